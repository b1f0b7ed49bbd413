import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { withOrigin } from '../../site/guides/guide-links.ts'
import { resolvable, runProgram } from '../run-program.ts'

// The samples of our pages, and how they are run: word for word, as separate processes.

const root = fileURLToPath(new URL('../../../..', import.meta.url))

export const languages = ['sh', 'js', 'python'] as const
export type Language = (typeof languages)[number]

export interface Sample {
  /** The file and the heading that it is under. */
  readonly place: string
  readonly language: string
  readonly code: string
}

/** Every block of code in a language that can be run. Blocks without a language, and data, are not samples. */
export async function samplesIn(file: string): Promise<Sample[]> {
  const text = await readFile(join(root, 'docs', file), 'utf8')
  return text.split(/^#{1,3} (?=.*$)/m).flatMap((part) => {
    const heading = part.split('\n', 1)[0]!
    return [...part.matchAll(/^ *```(sh|js|ts|python)\n(.*?)^ *```/gms)].map(([, language, code]) => ({
      place: `${file}: ${heading}`,
      language: language!,
      code: code!,
    }))
  })
}

/** The files that docs/README.md lists. */
export async function listedFiles(): Promise<string[]> {
  const index = await readFile(join(root, 'docs', 'README.md'), 'utf8')
  return [...index.matchAll(/^- \[[^\]]+\]\(([^)]+\.md)\)/gm)].map(([, file]) => file!)
}

export const hasPython = isThere('python3')

function isThere(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

interface Running {
  readonly origin: string
  readonly env: Readonly<Record<string, string>>
  readonly folder: string
  /** Called with what was printed so far, until the sample has ended. */
  readonly meanwhile: (printed: string) => Promise<unknown>
}

/** Runs a sample until it ends, and returns what it printed. */
export async function runSample({ place, language, code }: Sample, running: Running): Promise<string> {
  const { origin, env, folder, meanwhile } = running
  return runProgram({
    name: `${place} (${language})`,
    command: commandOf(language, withOrigin(code, origin)),
    folder,
    env,
    timeoutMs: 60_000,
    meanwhile,
  })
}

function commandOf(language: string, code: string): string[] {
  if (language === 'sh') return ['bash', '-euo', 'pipefail', '-c', code]
  if (language === 'python') return ['python3', '-c', code]
  return [process.execPath, '--input-type=module', '-e', resolvable(code)]
}
