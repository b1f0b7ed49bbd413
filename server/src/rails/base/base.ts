import type { Counter } from 'prom-client'
import type { EmbeddedChain } from './embedded-chain.ts'
import type { Facilitator, Token } from './payment/facilitator.ts'
import type { ChainClient } from './rpc/chain-client.ts'
import type { SignatureVerdict, SignedMessage } from './siwx/wallet-signature.ts'

/** Everything the service needs for Base. */
export interface BaseRail {
  /** The token that payments are made in, as offers name it. */
  readonly token: Token
  /** Loaded with the first payment, because the libraries behind it are large. */
  readonly facilitator: () => Promise<Facilitator>
  /** Payments that were verified, and payments that were settled, by outcome. */
  readonly verdicts: Counter
  readonly settlements: Counter
  /** The cost of the gas of settled payments, in ETH, by whether it brought a sale. */
  readonly gas: Counter
  /** The nodes. Undefined if a remote facilitator settles payments and no node is configured. */
  readonly chain: ChainClient | undefined
  /** Whether an account signed a text: with its key or, if there is a chain, as a smart wallet. */
  verifyMessage(signed: SignedMessage): Promise<SignatureVerdict>
  /** Returns the embedded chain, which starts when it is first used. Undefined if a node or facilitator is configured. */
  readonly embeddedChain: (() => Promise<EmbeddedChain>) | undefined
  /** The balance that our settling key had for gas at the last check. Undefined if that is not known. */
  gasWei(): Promise<bigint | undefined>
  /** Throws while payments cannot be settled. */
  check(): Promise<void>
  close(): Promise<void>
}
