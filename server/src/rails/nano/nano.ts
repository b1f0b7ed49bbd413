import { join } from 'node:path'
import type { NanoNetwork } from '@pennypost/nano/work'
import type { Clock } from '../../platform/clock.ts'
import type { Config } from '../../platform/config.ts'
import type { Log } from '../../platform/log.ts'
import { type DevelopmentLedger, openDevelopmentLedger } from './ledger/development-ledger.ts'
import { createFaucet, type Faucet } from './ledger/faucet.ts'
import { type Confirmations, openConfirmations } from './node/confirmations.ts'
import { createNodeClient, type NodeClient } from './node/node-client.ts'
import { createRpcEndpoint } from './node/rpc-endpoint.ts'
import { openWorkSource, type WorkSource } from './work/work-source.ts'

/** Everything the service needs of Nano. */
export interface NanoRail {
  /** Which thresholds work has to reach: `workThresholds[network]`. */
  readonly network: NanoNetwork
  readonly client: NodeClient
  readonly work: WorkSource
  readonly confirmations: Confirmations
  /** The embedded ledger, where no node is configured. */
  readonly development: DevelopmentNano | undefined
  close(): Promise<void>
}

export interface DevelopmentNano {
  /** Starts it if it does not run yet. */
  ledger(): Promise<DevelopmentLedger>
  readonly faucet: Faucet
}

const usualTimeoutMs = 8_000
const workTimeoutMs = 15_000

export interface NanoParts {
  readonly clock: Clock
  readonly log: Log
  /** How long a node may take to answer; left out: what a busy one may need. */
  readonly nodeTimeoutMs?: number | undefined
}

export function openNano(config: Config, { clock, log, nodeTimeoutMs = usualTimeoutMs }: NanoParts): NanoRail {
  const { nano } = config
  let opened: Promise<DevelopmentLedger> | undefined
  const ledger = () => {
    opened ??= openDevelopmentLedger({ folder: join(config.dataDir, 'nano-ledger'), clock })
    return opened
  }
  const isEmbedded = nano.rpcUrls.length === 0
  const rpcUrls = isEmbedded ? [async () => (await ledger()).rpcUrl] : nano.rpcUrls
  const wsUrl = isEmbedded ? async () => (await ledger()).wsUrl : nano.wsUrl
  const endpoint = (url: (typeof rpcUrls)[number], timeoutMs: number) =>
    createRpcEndpoint({ url, clock, log, timeoutMs })

  const client = createNodeClient(rpcUrls.map((url) => endpoint(url, nodeTimeoutMs)))
  const server = nano.workUrl ? createNodeClient([endpoint(nano.workUrl, workTimeoutMs)]) : undefined
  const work = openWorkSource({ server, log })
  const confirmations = openConfirmations({ url: wsUrl, log })
  return {
    network: nano.network,
    client,
    work,
    confirmations,
    development: isEmbedded ? { ledger, faucet: createFaucet(client, work) } : undefined,
    async close() {
      confirmations.close()
      await work.close()
      await (await opened?.catch(() => undefined))?.close()
    },
  }
}
