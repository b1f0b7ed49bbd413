import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '../../../platform/clock.ts'
import { DataDirInUse, isErrno, lockDataDir, StartError } from '../../../platform/data-dir.ts'
import { type LedgerNode, openLedgerNode } from './ledger-node.ts'
import { serveLedger } from './ledger-server.ts'

/** A small Nano node for development, in a folder of its own. */
export interface DevelopmentLedger {
  readonly rpcUrl: string
  readonly wsUrl: string
  /** Undefined in a process that uses the ledger of another. */
  readonly node: LedgerNode | undefined
  close(): Promise<void>
}

export interface DevelopmentLedgerOptions {
  readonly folder: string
  readonly clock: Clock
  readonly confirmAfterMs?: number
}

const portPatienceMs = 5_000

/**
 * Opens the ledger in this folder. One process keeps it; others that share the folder use that one's. The port is
 * remembered, so that a wallet, or another process, finds the ledger again after a restart.
 */
export async function openDevelopmentLedger(options: DevelopmentLedgerOptions): Promise<DevelopmentLedger> {
  const { folder, clock, confirmAfterMs = 20 } = options
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const lock = await lockDataDir(folder, 0).catch((error) => {
    if (error instanceof DataDirInUse) return undefined
    throw error
  })
  const portFile = join(folder, 'port')
  if (!lock) return { ...addressesAt(await readPort(portFile)), node: undefined, close: async () => {} }
  try {
    const node = await openLedgerNode({ path: join(folder, 'blocks'), clock, confirmAfterMs })
    const server = await serveWhereBefore(node, clock, await rememberedPort(portFile))
    await writeFile(`${portFile}.new`, String(server.port))
    await rename(`${portFile}.new`, portFile)
    return {
      ...addressesAt(server.port),
      node,
      async close() {
        await server.close()
        await node.close()
        await lock.release()
      },
    }
  } catch (error) {
    await lock.release()
    throw error
  }
}

const addressesAt = (port: number) => ({ rpcUrl: `http://127.0.0.1:${port}`, wsUrl: `ws://127.0.0.1:${port}` })

async function serveWhereBefore(node: LedgerNode, clock: Clock, port: number) {
  try {
    return await serveLedger(node, clock, port)
  } catch (error) {
    if (!isErrno(error, 'EADDRINUSE', 'EACCES')) throw error
    return serveLedger(node, clock, 0)
  }
}

async function rememberedPort(portFile: string): Promise<number> {
  const text = await readFile(portFile, 'utf8').catch(() => '')
  return /^\d{1,5}$/.test(text) ? Number(text) : 0
}

/** Whoever keeps the ledger may be starting still. */
async function readPort(portFile: string): Promise<number> {
  for (let waitedMs = 0; ; waitedMs += 50) {
    const port = await rememberedPort(portFile)
    if (port !== 0) return port
    if (waitedMs >= portPatienceMs) throw new StartError(`${portFile}: the development ledger did not say its port`)
    await wait(50)
  }
}
