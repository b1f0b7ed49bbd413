// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// A wallet for tests that wastes the gas of whoever presents its signatures. It accepts any signature while it is
/// honest; when it is not, or when `seesPrice` and its gas has a price, it burns all the gas that it gets.
contract TrickWallet {
    bool public seesPrice;
    bool public isHonest = true;

    constructor(bool itSeesPrice) {
        seesPrice = itSeesPrice;
    }

    function turn() external {
        isHonest = !isHonest;
    }

    function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
        if (isHonest && !(seesPrice && tx.gasprice > 0)) return 0x1626ba7e;
        uint256 sum;
        while (true) sum += gasleft();
        return 0xffffffff;
    }
}
