import type { Log } from '../platform/log.ts'
import type { OpenChain } from '../rails/base/embedded-chain.ts'
import type { BaseConfig } from '../rails/base/settings.ts'
import type { OpenLedger } from '../rails/nano/nano.ts'
import { findAnvil } from './base-chain/anvil-program.ts'
import { openDevelopmentChain } from './base-chain/development-chain.ts'
import { openDevelopmentLedger } from './nano-ledger/development-ledger.ts'

/** The nodes that the rails use in development if no real node is configured. */
export interface EmbeddedNodes {
  readonly openLedger: OpenLedger
  /** Undefined if there is no anvil for this machine. Then USDC is not available. */
  readonly openChain: OpenChain | undefined
}

export const embeddedNodes = async ({ base }: BaseConfig, log: Log): Promise<EmbeddedNodes> => ({
  openLedger: openDevelopmentLedger,
  openChain: base?.settle === 'embedded' ? await findChain(log) : undefined,
})

async function findChain(log: Log): Promise<OpenChain | undefined> {
  const program = await findAnvil()
  if (!program) log.warn('there is no anvil build for this machine, so there is no development chain and no USDC')
  return program ? (options) => openDevelopmentChain({ ...options, program }) : undefined
}
