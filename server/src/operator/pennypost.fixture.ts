import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../../../cli/bin/pennypost.mjs', import.meta.url))

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Started {
  readonly child: ChildProcess
  output(): string
  readonly ended: Promise<Ended>
}

/** Starts the program as an operator would, with these settings and no others. */
export function startPennypost(settings: Readonly<Record<string, string>>, ...args: string[]): Started {
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text
    })
  const ended = once(child, 'close').then(([code]) => ({ code, ...texts }) as Ended)
  return { child, output: () => texts.stdout + texts.stderr, ended }
}

export const runPennypost = (settings: Readonly<Record<string, string>>, ...args: string[]): Promise<Ended> =>
  startPennypost(settings, ...args).ended
