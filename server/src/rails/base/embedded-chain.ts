import type { ServiceClock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'

export type CallChain = (method: string, ...params: unknown[]) => Promise<unknown>

/** A chain like Base that the service runs in development, with a test token at USDC's address. */
export interface EmbeddedChain {
  readonly rpcUrl: string
  /** The key of the account that settles payments there. It has coins for gas. */
  readonly settlerKey: `0x${string}`
  readonly call: CallChain
  /** Mints test USDC and returns the hash of the transaction. */
  mint(to: string, amountAtomic: bigint): Promise<string>
  close(): Promise<void>
}

export interface EmbeddedChainOptions {
  readonly folder: string
  readonly usdc: string
  readonly clock: ServiceClock
  readonly log: Log
}

export type OpenChain = (options: EmbeddedChainOptions) => Promise<EmbeddedChain>
