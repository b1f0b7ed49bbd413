import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { DataDirInUse, lockDataDir, StartError } from '../platform/data-dir.ts'

/** Something that listens on a port of this machine. */
export interface LocalServer {
  readonly port: number
  close(): Promise<void>
}

/** What several processes that share a folder use, and one of them keeps. */
export interface ElectedServer<K extends LocalServer> {
  readonly port: number
  /** Undefined while another process keeps it. */
  readonly own: K | undefined
  close(): Promise<void>
}

export interface ElectionOptions<K extends LocalServer> {
  readonly folder: string
  /** In words, for whoever waits in vain. */
  readonly name: string
  /** Starts it, at the port it had before where that is free; 0 where there was none. */
  start(rememberedPort: number): Promise<K>
}

const portPatienceMs = 15_000
const takeOverEveryMs = 500

/**
 * Keeps something in this folder. One process does; others that share the folder use that one's, and one of them takes
 * it over when it ends. The port is remembered, so that others find it again after a restart.
 */
export async function electServer<K extends LocalServer>(options: ElectionOptions<K>): Promise<ElectedServer<K>> {
  await mkdir(options.folder, { recursive: true, mode: 0o700 })
  const portFile = join(options.folder, 'port')
  let kept = await keepHere(options, portFile)
  let port = kept?.port ?? (await announcedPort(options.name, portFile))
  const closed = new AbortController()
  const following = kept ? undefined : follow()

  async function follow(): Promise<void> {
    while (!kept && (await isLeftAlone(takeOverEveryMs, closed.signal))) {
      // Whatever stands in the way now may be gone the next time.
      kept = await keepHere(options, portFile).catch(() => undefined)
      port = kept?.port ?? ((await rememberedPort(portFile)) || port)
    }
  }

  return {
    get port() {
      return kept?.port ?? port
    },
    get own() {
      return kept
    },
    async close() {
      closed.abort()
      await following
      await kept?.close()
    },
  }
}

/** Undefined: another process keeps it. */
async function keepHere<K extends LocalServer>(options: ElectionOptions<K>, portFile: string): Promise<K | undefined> {
  const lock = await lockDataDir(options.folder, 0).catch((error) => {
    if (error instanceof DataDirInUse) return undefined
    throw error
  })
  if (!lock) return undefined
  let kept: K | undefined
  try {
    const started = await options.start(await rememberedPort(portFile))
    kept = started
    await writeFile(`${portFile}.new`, String(started.port))
    await rename(`${portFile}.new`, portFile)
    return {
      ...started,
      async close() {
        await started.close()
        await lock.release()
      },
    }
  } catch (error) {
    await kept?.close()
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

async function rememberedPort(portFile: string): Promise<number> {
  const text = await readFile(portFile, 'utf8').catch(() => '')
  return /^\d{1,5}$/.test(text) ? Number(text) : 0
}

/** Whoever keeps it may be starting still. */
async function announcedPort(name: string, portFile: string): Promise<number> {
  for (let waitedMs = 0; ; waitedMs += 50) {
    const port = await rememberedPort(portFile)
    if (port !== 0) return port
    if (waitedMs >= portPatienceMs) throw new StartError(`${portFile}: ${name} did not say its port`)
    await wait(50)
  }
}
