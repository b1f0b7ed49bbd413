// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// Combines several calls into one, like Multicall3, which has the same address on every public chain.
contract Multicall {
    struct Call {
        address target;
        bytes callData;
    }

    struct Call3 {
        address target;
        bool allowFailure;
        bytes callData;
    }

    struct Result {
        bool success;
        bytes returnData;
    }

    function aggregate3(Call3[] calldata calls) external payable returns (Result[] memory results) {
        results = new Result[](calls.length);
        for (uint256 index = 0; index < calls.length; index++) {
            results[index] = one(calls[index].target, calls[index].callData, calls[index].allowFailure);
        }
    }

    function tryAggregate(bool requireSuccess, Call[] calldata calls) external payable returns (Result[] memory results) {
        results = new Result[](calls.length);
        for (uint256 index = 0; index < calls.length; index++) {
            results[index] = one(calls[index].target, calls[index].callData, !requireSuccess);
        }
    }

    function one(address target, bytes calldata callData, bool allowFailure) private returns (Result memory) {
        (bool success, bytes memory returnData) = target.call(callData);
        require(success || allowFailure, "Multicall3: call failed");
        return Result(success, returnData);
    }
}
