import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { spawnWatched } from '../../platform/spawn-watched.ts'

/** A running anvil: a small Ethereum node that mines each transaction as it comes. */
export interface Anvil {
  readonly port: number
  readonly pid: number
  /** Resolves when it has ended, for whatever reason. */
  readonly exited: Promise<void>
  // biome-ignore lint/suspicious/noExplicitAny: whatever the method answers
  ask(method: string, ...params: unknown[]): Promise<any>
  /** It writes its state before it ends, where it was told where. */
  stop(): Promise<void>
}

export interface AnvilOptions {
  readonly program: string
  /** 0: any that is free. */
  readonly port: number
  readonly chainId: number
  readonly loadStateFrom?: string | undefined
  readonly dumpStateAtEndTo?: string | undefined
}

export class AnvilFailed extends Error {
  override name = 'AnvilFailed'
}

const startPatienceMs = 20_000
const askPatienceMs = 10_000
const stopPatienceMs = 5_000

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
    const impatience = setTimeout(() => child.kill('SIGKILL'), stopPatienceMs)
    child.ref()
    child.kill('SIGINT')
    await exited
    clearTimeout(impatience)
  }
  try {
    const port = await announcedPort(child.stdout!, exited)
    // Whoever is done does not wait for it: its watcher ends it.
    child.unref()
    const ask: Anvil['ask'] = (method, ...params) => askAnvil(`http://127.0.0.1:${port}`, method, params)
    return { port, pid: child.pid!, exited, ask, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Its first words end with where it listens. What it says later is read and forgotten, or it would stop. */
async function announcedPort(output: Readable, exited: Promise<void>): Promise<number> {
  const lines = createInterface({ input: output })
  const signal = AbortSignal.timeout(startPatienceMs)
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

export async function askAnvil(rpcUrl: string, method: string, params: readonly unknown[]) {
  const response = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(askPatienceMs),
  })
  // biome-ignore lint/suspicious/noExplicitAny: whatever the method answers
  const answer = (await response.json()) as { result?: any; error?: { message: string } }
  if (answer.error) throw new AnvilFailed(`${method}: ${answer.error.message}`)
  return answer.result
}
