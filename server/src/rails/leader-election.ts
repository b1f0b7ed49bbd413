import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { DataDirInUse, lockDataDir, StartError } from '../platform/data-dir.ts'

/** A server on a port of this machine. */
export interface LocalServer {
  readonly port: number
  close(): Promise<void>
}

/** A server that several processes share. One of them, the leader, runs it. */
export interface ElectedServer<Server extends LocalServer> {
  readonly port: number
  /** The server, if this process is the leader. */
  readonly own: Server | undefined
  close(): Promise<void>
}

export interface ElectionOptions<Server extends LocalServer> {
  readonly folder: string
  /** For error messages. */
  readonly name: string
  /** Starts the server, on its previous port if that is free. 0 if it had none. */
  start(rememberedPort: number): Promise<Server>
}

const portTimeoutMs = 15_000
const takeOverEveryMs = 500

/**
 * Runs a server in one of the processes that share a folder. The process that gets the folder's lock is the leader and
 * starts the server; the others use it, and one of them takes over when the leader ends. The port is stored, so that the
 * server has the same one after a restart.
 */
export async function electServer<Server extends LocalServer>(
  options: ElectionOptions<Server>,
): Promise<ElectedServer<Server>> {
  await mkdir(options.folder, { recursive: true, mode: 0o700 })
  const portFile = join(options.folder, 'port')
  let own = await lead(options, portFile)
  let port = own?.port ?? (await announcedPort(options.name, portFile))
  const closed = new AbortController()
  const following = own ? undefined : follow()

  async function follow(): Promise<void> {
    while (!own && (await delay(takeOverEveryMs, closed.signal))) {
      // The cause may be gone at the next attempt.
      own = await lead(options, portFile).catch(() => undefined)
      port = own?.port ?? ((await rememberedPort(portFile)) || port)
    }
  }

  return {
    get port() {
      return own?.port ?? port
    },
    get own() {
      return own
    },
    async close() {
      closed.abort()
      await following
      await own?.close()
    },
  }
}

/** Tries to become the leader. Returns undefined if another process is. */
async function lead<Server extends LocalServer>(
  options: ElectionOptions<Server>,
  portFile: string,
): Promise<Server | undefined> {
  const lock = await lockDataDir(options.folder, 0).catch((error) => {
    if (error instanceof DataDirInUse) return undefined
    throw error
  })
  if (!lock) return undefined
  let server: Server | undefined
  try {
    const started = await options.start(await rememberedPort(portFile))
    server = started
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
    await server?.close()
    await lock.release()
    throw error
  }
}

/** Returns true after the delay, or false when the signal is aborted. Does not keep the process alive. */
const delay = (milliseconds: number, signal: AbortSignal): Promise<boolean> =>
  wait(milliseconds, undefined, { signal, ref: false }).then(
    () => true,
    () => false,
  )

async function rememberedPort(portFile: string): Promise<number> {
  const text = await readFile(portFile, 'utf8').catch(() => '')
  return /^\d{1,5}$/.test(text) ? Number(text) : 0
}

/** Waits for the leader, which may still be starting. */
async function announcedPort(name: string, portFile: string): Promise<number> {
  for (let waitedMs = 0; ; waitedMs += 50) {
    const port = await rememberedPort(portFile)
    if (port !== 0) return port
    if (waitedMs >= portTimeoutMs) throw new StartError(`${portFile}: ${name} did not announce its port`)
    await wait(50)
  }
}
