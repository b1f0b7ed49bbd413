import { join } from 'node:path'
import type { Clock } from '../../platform/clock.ts'
import { isErrno } from '../../platform/data-dir.ts'
import { electServer, type LocalServer } from '../../rails/leader-election.ts'
import type { EmbeddedLedger } from '../../rails/nano/nano.ts'
import { type LedgerNode, openLedgerNode } from './ledger-node.ts'
import { serveLedger } from './ledger-server.ts'

/** A small Nano node for development that stores its blocks in a folder. */
export interface DevelopmentLedger extends EmbeddedLedger {
  /** Undefined while another process runs the ledger. */
  readonly node: LedgerNode | undefined
}

export interface DevelopmentLedgerOptions {
  readonly folder: string
  readonly clock: Clock
  readonly confirmAfterMs?: number
}

/** Opens the ledger in this folder, or uses the one that another process runs there. */
export async function openDevelopmentLedger(options: DevelopmentLedgerOptions): Promise<DevelopmentLedger> {
  const { folder } = options
  const ledger = await electServer({
    folder,
    name: 'the development ledger',
    start: (port) => runLedger(options, port),
  })
  return {
    get rpcUrl() {
      return `http://127.0.0.1:${ledger.port}`
    },
    get wsUrl() {
      return `ws://127.0.0.1:${ledger.port}`
    },
    get node() {
      return ledger.own?.node
    },
    close: () => ledger.close(),
  }
}

// A node on its own dev network takes 50 to 140 ms, the live network about 300 ms.
const usualConfirmationMs = 100

interface RunningLedger extends LocalServer {
  readonly node: LedgerNode
}

async function runLedger(options: DevelopmentLedgerOptions, port: number): Promise<RunningLedger> {
  const { folder, clock, confirmAfterMs = usualConfirmationMs } = options
  const node = await openLedgerNode({ path: join(folder, 'blocks'), clock, confirmAfterMs })
  try {
    const server = await serveWhereBefore(node, clock, port)
    return {
      port: server.port,
      node,
      async close() {
        await server.close()
        await node.close()
      },
    }
  } catch (error) {
    await node.close()
    throw error
  }
}

async function serveWhereBefore(node: LedgerNode, clock: Clock, port: number) {
  try {
    return await serveLedger(node, clock, port)
  } catch (error) {
    if (!isErrno(error, 'EADDRINUSE', 'EACCES')) throw error
    return serveLedger(node, clock, 0)
  }
}
