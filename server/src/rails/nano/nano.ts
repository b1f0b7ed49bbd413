import { join } from 'node:path'
import type { NanoNetwork } from '@pennypost/nano/work'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { ProcessConfig } from '../../platform/settings.ts'
import { type Confirmations, openConfirmations } from './node/confirmations.ts'
import { createNodeClient, type NodeClient } from './node/node-client.ts'
import { createNodeMonitor, type NodeMonitor } from './node/node-monitor.ts'
import { createRpcEndpoint } from './node/rpc-endpoint.ts'
import type { NanoConfig } from './settings.ts'
import { createWorkServers } from './work/work-servers.ts'
import { openWorkSource, type WorkSource } from './work/work-source.ts'

/** Everything the service needs for Nano. */
export interface NanoRail {
  /** Selects the thresholds that work has to reach: `workThresholds[network]`. */
  readonly network: NanoNetwork
  readonly client: NodeClient
  readonly work: WorkSource
  readonly confirmations: Confirmations
  readonly monitor: NodeMonitor
  /** Whether new payments are offered: not while all nodes that reply are on another network. */
  isOn(): boolean
  /** Returns the embedded ledger, which starts when it is first used. Undefined if a node is configured. */
  readonly embeddedLedger: (() => Promise<EmbeddedLedger>) | undefined
  close(): Promise<void>
}

/** A small Nano node that the service runs in development. */
export interface EmbeddedLedger {
  readonly rpcUrl: string
  readonly wsUrl: string
  close(): Promise<void>
}

export type OpenLedger = (options: { readonly folder: string; readonly clock: Clock }) => Promise<EmbeddedLedger>

const usualTimeoutMs = 8_000
const workTimeoutMs = 15_000

export interface NanoParts {
  readonly clock: Clock
  readonly log: Log
  /** How long a node may take to reply. The default is enough for a busy one. */
  readonly nodeTimeoutMs?: number | undefined
  /** Opens the ledger that is used if no node is configured, in development. */
  readonly openLedger?: OpenLedger | undefined
}

export function openNano(config: NanoConfig & Pick<ProcessConfig, 'dataDir'>, parts: NanoParts): NanoRail {
  const { clock, log, nodeTimeoutMs = usualTimeoutMs, openLedger = noLedger } = parts
  const { nano } = config
  let opened: Promise<EmbeddedLedger> | undefined
  const ledger = () => {
    opened ??= openLedger({ folder: join(config.dataDir, 'nano-ledger'), clock })
    return opened
  }
  const isEmbedded = nano.rpcUrls.length === 0
  const rpcUrls = isEmbedded ? [async () => (await ledger()).rpcUrl] : nano.rpcUrls
  const wsUrl = isEmbedded ? async () => (await ledger()).wsUrl : nano.wsUrl
  const { network } = nano
  const client = createNodeClient(
    rpcUrls.map((url) => createRpcEndpoint({ url, network, clock, log, timeoutMs: nodeTimeoutMs })),
    clock,
  )
  const { workUrls: urls } = nano
  const server = urls.length > 0 ? createWorkServers({ urls, clock, log, timeoutMs: workTimeoutMs }) : undefined
  const monitor = createNodeMonitor(client, log)
  const work = openWorkSource({ server, log })
  const confirmations = openConfirmations({ url: wsUrl, log })
  return {
    network,
    client,
    work,
    confirmations,
    monitor,
    isOn: monitor.isNetworkRight,
    embeddedLedger: isEmbedded ? ledger : undefined,
    async close() {
      monitor.stop()
      confirmations.close()
      await work.close()
      await (await opened?.catch(() => undefined))?.close()
    },
  }
}

const noLedger: OpenLedger = () => Promise.reject(new Error('no Nano node is configured'))
