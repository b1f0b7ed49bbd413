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
  /** Undefined while another process keeps the ledger. */
  readonly node: LedgerNode | undefined
  close(): Promise<void>
}

export interface DevelopmentLedgerOptions {
  readonly folder: string
  readonly clock: Clock
  readonly confirmAfterMs?: number
}

const portPatienceMs = 5_000
const takeOverEveryMs = 500

/**
 * Opens the ledger in this folder. One process keeps it; others that share the folder use that one's, and one of them
 * takes it over when it ends. The port is remembered, so that wallets find the ledger again after a restart.
 */
export async function openDevelopmentLedger(options: DevelopmentLedgerOptions): Promise<DevelopmentLedger> {
  await mkdir(options.folder, { recursive: true, mode: 0o700 })
  const portFile = join(options.folder, 'port')
  let kept = await keepLedger(options, portFile)
  let port = kept?.port ?? (await announcedPort(portFile))
  const closed = new AbortController()
  const following = kept ? undefined : follow()

  async function follow(): Promise<void> {
    while (!kept && (await isLeftAlone(takeOverEveryMs, closed.signal))) {
      // Whatever stands in the way now may be gone the next time.
      kept = await keepLedger(options, portFile).catch(() => undefined)
      port = kept?.port ?? ((await rememberedPort(portFile)) || port)
    }
  }

  return {
    get rpcUrl() {
      return `http://127.0.0.1:${port}`
    },
    get wsUrl() {
      return `ws://127.0.0.1:${port}`
    },
    get node() {
      return kept?.node
    },
    async close() {
      closed.abort()
      await following
      await kept?.close()
    },
  }
}

interface KeptLedger {
  readonly port: number
  readonly node: LedgerNode
  close(): Promise<void>
}

/** Undefined: another process keeps it. */
async function keepLedger(options: DevelopmentLedgerOptions, portFile: string): Promise<KeptLedger | undefined> {
  const { folder, clock, confirmAfterMs = 20 } = options
  const lock = await lockDataDir(folder, 0).catch((error) => {
    if (error instanceof DataDirInUse) return undefined
    throw error
  })
  if (!lock) return undefined
  let node: LedgerNode | undefined
  try {
    const opened = await openLedgerNode({ path: join(folder, 'blocks'), clock, confirmAfterMs })
    node = opened
    const server = await serveWhereBefore(opened, clock, await rememberedPort(portFile))
    await writeFile(`${portFile}.new`, String(server.port))
    await rename(`${portFile}.new`, portFile)
    return {
      port: server.port,
      node: opened,
      async close() {
        await server.close()
        await opened.close()
        await lock.release()
      },
    }
  } catch (error) {
    await node?.close()
    await lock.release()
    throw error
  }
}

/** Waits so long; answers false as soon as the signal says so. Does not keep the process alive. */
const isLeftAlone = (milliseconds: number, signal: AbortSignal): Promise<boolean> =>
  wait(milliseconds, undefined, { signal, ref: false }).then(
    () => true,
    () => false,
  )

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
async function announcedPort(portFile: string): Promise<number> {
  for (let waitedMs = 0; ; waitedMs += 50) {
    const port = await rememberedPort(portFile)
    if (port !== 0) return port
    if (waitedMs >= portPatienceMs) throw new StartError(`${portFile}: the development ledger did not say its port`)
    await wait(50)
  }
}
