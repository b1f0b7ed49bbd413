// The client never sees a private key: it asks a signer that you pass.

/** Signs payments in USDC on Base. An account of viem is one. */
export interface UsdcSigner {
  readonly address: `0x${string}`
  /** Signs EIP-712 data: an authorization (EIP-3009) of one exact amount to one receiver, valid for a few minutes. */
  signTypedData(message: {
    domain: Record<string, unknown>
    types: Record<string, unknown>
    primaryType: string
    message: Record<string, unknown>
  }): Promise<`0x${string}`>
}

/** Signs payments in Nano. `nanoSigner` of `@pennypost/sdk/nano` is one. */
export interface NanoSigner {
  readonly address: string
  /** Makes and signs the next block of the account, a send of this amount. It must not publish the block. */
  signSend(send: { readonly to: string; readonly amountRaw: string }): Promise<NanoBlock>
}

/** A signed state block, as nodes spell it. The service adds the work if it is missing. */
export interface NanoBlock {
  readonly type: 'state'
  readonly account: string
  readonly previous: string
  readonly representative: string
  readonly balance: string
  readonly link: string
  readonly signature: string
  readonly work?: string
}

export interface Signers {
  usdc?: UsdcSigner | undefined
  nano?: NanoSigner | undefined
}
