import { privateKeyToAccount } from 'viem/accounts'
import { baseChainId } from '../base-chain-id.ts'
import type { Hex } from '../rpc/chain-replies.ts'

/** The account that pays for gas: its key is in this process, or with the signer. */
export interface SettlerAccount {
  /** Throws NodeUnreachable while the signer is unavailable. */
  address(): Promise<Hex>
  /** Returns the signed bytes. Sends nothing. */
  sign(transaction: SettlerTransaction): Promise<Hex>
}

export interface SettlerCall {
  readonly to: Hex
  readonly data: Hex
  readonly gas: bigint
}

export interface Fees {
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/** A transaction on Base that moves no ETH. */
export interface SettlerTransaction extends SettlerCall, Fees {
  readonly nonce: number
}

export function accountOf(key: Hex): SettlerAccount {
  const account = privateKeyToAccount(key)
  return {
    address: async () => account.address,
    sign: ({ to, data, gas, nonce, maxFeePerGas, maxPriorityFeePerGas }) =>
      account.signTransaction({
        type: 'eip1559',
        chainId: baseChainId,
        to,
        data,
        gas,
        nonce,
        maxFeePerGas,
        maxPriorityFeePerGas,
      }),
  }
}
