import { spawn } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'

interface Run {
  /** Its name in the error if it fails. */
  readonly name: string
  readonly command: readonly string[]
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  /** It has failed if it has not ended by then. */
  readonly timeoutMs: number
  /** Called again and again with what was printed so far, until the program has ended. It can type into the program. */
  readonly meanwhile: (printed: string, type: (text: string) => void) => Promise<unknown>
}

/** Runs a program as a separate process until it ends, and returns what it printed. Throws if it fails. */
export async function runProgram({ name, command, folder, env, timeoutMs, meanwhile }: Run): Promise<string> {
  const [program, ...args] = command
  const child = spawn(program!, args, { cwd: folder, env: { PATH: process.env.PATH, NODE_NO_WARNINGS: '1', ...env } })
  let printed = ''
  let complaints = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    printed += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    complaints += text
  })
  let exitCode: number | null | undefined
  child.once('close', (status) => {
    exitCode = status
  })
  const until = Date.now() + timeoutMs
  try {
    while (exitCode === undefined) {
      if (Date.now() > until) throw new Error(`${name} did not end: ${printed}${complaints}`)
      await meanwhile(printed, (text) => child.stdin.write(text))
      await wait(20)
    }
  } finally {
    child.kill()
  }
  if (exitCode !== 0) throw new Error(`${name} failed: ${printed}${complaints}`)
  return printed
}

/** Bare imports of our packages and of viem are resolved from here, whatever folder the program runs in. */
export const resolvable = (script: string): string =>
  script.replaceAll(
    /from (['"])(@pennypost\/[^'"]+|viem[^'"]*)\1/g,
    (_, quote: string, name: string) => `from ${quote}${import.meta.resolve(name)}${quote}`,
  )
