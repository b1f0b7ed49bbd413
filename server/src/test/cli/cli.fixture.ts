import { ok } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { folderFor } from '../service-process.ts'
import type { World } from '../world.ts'

export const program = fileURLToPath(new URL('../../../../cli/bin/pennypost.mjs', import.meta.url))

export interface CliOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** Another program in place of ours, with the same surroundings. */
  readonly program?: string
  /** The text that the program reads from standard input. */
  readonly input?: string
  /** Called again and again while it runs. Runs the jobs of the service, by default. */
  readonly meanwhile?: (running: RunningCli) => Promise<void>
}

export interface RunningCli {
  readonly stdout: string
  readonly stderr: string
  type(text: string): void
  kill(signal: NodeJS.Signals): void
}

export interface CliResult {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
  /** The data that `--json` printed. */
  // biome-ignore lint/suspicious/noExplicitAny: it is what the test expects it to be
  readonly json: any
}

export interface Cli {
  (args: readonly string[], options?: CliOptions): Promise<CliResult>
  readonly folder: string
  /** The origin of the service. */
  readonly url: string
  /** The address where it listens. */
  readonly address: string
}

/** Sends what goes to the origin of the service, such as the parts of a ZIP, to where the test's one listens. */
export function preload(origin: string, url: string): string {
  const script = `const { fetch } = globalThis
globalThis.fetch = (input, init) => fetch(String(input).replace(${JSON.stringify(origin)}, ${JSON.stringify(url)}), init)`
  return `data:text/javascript,${encodeURIComponent(script)}`
}

/** Runs the real program as a process, with a home folder of the test, against the service of the test. */
export async function cliFor(t: TestContext, world: World, env: Readonly<Record<string, string>> = {}): Promise<Cli> {
  const folder = await folderFor(t)
  if (!world.server.server.listening) await world.server.listen({ host: '127.0.0.1', port: 0 })
  const url = `http://127.0.0.1:${(world.server.server.address() as AddressInfo).port}`
  const run = async (args: readonly string[], options: CliOptions = {}): Promise<CliResult> => {
    const [file, given] = options.program ? [options.program, args] : [process.execPath, [program, ...args]]
    const child = spawn(file, given, {
      cwd: options.cwd ?? folder,
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        NODE_NO_WARNINGS: '1',
        NODE_OPTIONS: `--import=${preload(world.origin, url)}`,
        PENNYPOST_CONFIG_DIR: join(folder, 'config'),
        PENNYPOST_URL: world.origin,
        PENNYPOST_ALLOW_HTTP: '1',
        ...env,
        ...options.env,
      },
    })
    t.after(() => child.kill('SIGKILL'))
    const running = {
      stdout: '',
      stderr: '',
      type: (text: string) => void child.stdin.write(text),
      kill: (signal: NodeJS.Signals) => void child.kill(signal),
    }
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      running.stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      running.stderr += text
    })
    // The program may end before it has read everything.
    child.stdin.on('error', () => {})
    if (options.meanwhile === undefined || options.input !== undefined) child.stdin.end(options.input ?? '')
    let exitCode: number | null | undefined
    child.once('close', (status) => {
      exitCode = status
    })
    const until = Date.now() + 120_000
    while (exitCode === undefined) {
      ok(Date.now() < until, `pennypost ${args.join(' ')} did not end: ${running.stdout}${running.stderr}`)
      if (options.meanwhile) await options.meanwhile(running)
      else await world.runJobs()
      await wait(20)
    }
    const { stdout, stderr } = running
    return {
      exitCode,
      stdout,
      stderr,
      get json() {
        return JSON.parse(exitCode === 0 ? stdout : stderr)
      },
    }
  }
  return Object.assign(run, { folder, url: world.origin, address: url })
}

/** Types the next code that a person gets by email, once. For `meanwhile` of a command that asks for it. */
export function typesCodeOf(world: World, email: string): (running: RunningCli) => Promise<void> {
  let isTyped = false
  const before = world.mailTo(email).then((mails) => mails.length)
  return async ({ type }) => {
    await world.runJobs()
    const mails = await world.mailTo(email)
    const code = mails[0]?.code
    if (isTyped || !code || mails.length === (await before)) return
    isTyped = true
    type(`${code}\n`)
  }
}
