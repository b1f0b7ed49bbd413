// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// A smart wallet for tests. It accepts its owner's signatures as its own (ERC-1271) and runs any call its owner sends.
contract SmartWallet {
    address public immutable owner;

    constructor(address itsOwner) {
        owner = itsOwner;
    }

    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        if (signature.length != 65) return 0xffffffff;
        address recovered =
            ecrecover(digest, uint8(signature[64]), bytes32(signature[0:32]), bytes32(signature[32:64]));
        return recovered != address(0) && recovered == owner ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
    }

    /// Makes several calls in one transaction: all succeed or none.
    function perform(address[] calldata targets, bytes[] calldata calls) external {
        require(msg.sender == owner, "only the owner");
        for (uint256 index = 0; index < targets.length; index++) {
            (bool success,) = targets[index].call(calls[index]);
            require(success, "a call failed");
        }
    }
}

contract SmartWalletFactory {
    function create(address owner, bytes32 salt) external returns (address) {
        return address(new SmartWallet{salt: salt}(owner));
    }

    function addressOf(address owner, bytes32 salt) external view returns (address) {
        bytes32 code = keccak256(abi.encodePacked(type(SmartWallet).creationCode, abi.encode(owner)));
        return address(uint160(uint256(keccak256(abi.encodePacked(hex"ff", address(this), salt, code)))));
    }
}
