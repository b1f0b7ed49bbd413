import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { sendToServer } from '../../platform/outgoing/send-to-server.ts'
import { spawnWatched } from '../../platform/spawn-watched.ts'

/** A running anvil, a small Ethereum node that mines each transaction as it arrives. */
export interface Anvil {
  readonly port: number
  readonly pid: number
  /** Resolves when the process has ended for any reason. */
  readonly exited: Promise<void>
  // biome-ignore lint/suspicious/noExplicitAny: the type depends on the method
  call(method: string, ...params: unknown[]): Promise<any>
  /** Ends the process. Anvil first writes its state to `dumpStateAtEndTo`, if that is set. */
  stop(): Promise<void>
}

export interface AnvilOptions {
  readonly program: string
  /** 0 means any free port. */
  readonly port: number
  readonly chainId: number
  readonly loadStateFrom?: string | undefined
  readonly dumpStateAtEndTo?: string | undefined
}

export class AnvilFailed extends Error {
  override name = 'AnvilFailed'
}

const startTimeoutMs = 20_000
const maxReplyBytes = 64 * 1024 * 1024
const callTimeoutMs = 10_000
const stopTimeoutMs = 5_000

export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  const { program, loadStateFrom, dumpStateAtEndTo } = options
  const command = [
    ...[program, '--host', '127.0.0.1', '--port', String(options.port), '--chain-id', String(options.chainId)],
    ...['--hardfork', 'cancun', '--threads', '2'],
    ...(loadStateFrom ? ['--load-state', loadStateFrom] : []),
    ...(dumpStateAtEndTo ? ['--dump-state', dumpStateAtEndTo] : []),
  ]
  const child = spawnWatched(command, { signalIfOrphaned: 'INT', stdout: 'pipe', stderr: 'ignore' })
  const exited = new Promise<void>((resolve) => {
    child.once('error', () => resolve())
    child.once('exit', () => resolve())
  })
  const stop = async () => {
    const killTimer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs)
    child.ref()
    child.kill('SIGINT')
    await exited
    clearTimeout(killTimer)
  }
  try {
    const port = await announcedPort(child.stdout!, exited)
    // Our process may exit while anvil still runs. The watcher then ends anvil.
    child.unref()
    const call: Anvil['call'] = (method, ...params) => callAnvil(`http://127.0.0.1:${port}`, method, params)
    return { port, pid: child.pid!, exited, call, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Reads the port from anvil's output. Later output is read and discarded, or anvil would block on a full pipe. */
async function announcedPort(output: Readable, exited: Promise<void>): Promise<number> {
  const lines = createInterface({ input: output })
  const signal = AbortSignal.timeout(startTimeoutMs)
  const announced = new Promise<number>((resolve) => {
    lines.on('line', (line) => {
      const port = /^Listening on 127\.0\.0\.1:(\d+)$/.exec(line)?.[1]
      if (port) resolve(Number(port))
    })
  })
  const failed = Promise.race([exited, once(signal, 'abort')]).then(() => {
    throw new AnvilFailed('anvil did not start')
  })
  const port = await Promise.race([announced, failed])
  failed.catch(() => {})
  lines.close()
  output.resume()
  ;(output as Readable & { unref?(): void }).unref?.()
  return port
}

export async function callAnvil(rpcUrl: string, method: string, params: readonly unknown[]) {
  const { text } = await sendToServer(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(callTimeoutMs),
    maxBytes: maxReplyBytes,
  })
  // biome-ignore lint/suspicious/noExplicitAny: the type depends on the method
  const reply = JSON.parse(text) as { result?: any; error?: { message: string } }
  if (reply.error) throw new AnvilFailed(`${method}: ${reply.error.message}`)
  return reply.result
}
