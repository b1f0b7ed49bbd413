import { deepEqual, equal, match } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { folderFor, startProcess } from './service-process.ts'

// Runs the commands of README.md and docs/api-tour.md in order, exactly as a newcomer would copy them.

const root = fileURLToPath(new URL('../../..', import.meta.url))

interface Result {
  readonly failed: boolean
  readonly stdout: string
  readonly stderr: string
}

const run = (command: string, args: readonly string[]): Promise<Result> =>
  new Promise((resolve) => {
    execFile(command, args, { timeout: 300_000 }, (error, stdout, stderr) =>
      resolve({ failed: error !== null, stdout, stderr }),
    )
  })

const blocks = (text: string, language: string): string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, code]) => code!)

/** Whether curl is at least 7.82, the first version with `--json`. */
async function hasCurl(): Promise<boolean> {
  const { stdout } = await run('curl', ['--version'])
  const [, major, minor] = /^curl (\d+)\.(\d+)/.exec(stdout) ?? []
  return Number(major) * 100 + Number(minor) >= 782
}

test('the commands of README and of the API tour work on a fresh start', async (t) => {
  if (!(await hasCurl())) return t.skip('curl 7.82 or later is not installed')
  const service = await startProcess(t, { DATA_DIR: await folderFor(t), LOG_LEVEL: 'warn' })
  const origin = service.origin.replace('127.0.0.1', 'localhost')
  const copied = (code: string) => run('bash', ['-euc', code.replaceAll('http://localhost:3000', origin)])

  const readme = await readFile(join(root, 'README.md'), 'utf8')
  const inTenLines = blocks(readme, 'sh').find((code) => code.includes('curl'))!
  equal(inTenLines.trim().split('\n').length, 10)
  const first = await copied(inTenLines)
  match(first.stdout, new RegExp(`${origin}/posts/[0-9a-f-]{36}\n$`), first.stderr)

  const tour = await readFile(join(root, 'docs', 'api-tour.md'), 'utf8')
  const { failed, stdout, stderr } = await copied(blocks(tour, 'sh').join('echo\n'))
  equal(failed, false, stderr)
  match(stdout, /\nnano:mainnet\n/)
  match(stdout, /\nHow the first one worked\.\n$/)
  const shown = blocks(tour, 'json').flatMap((reply) => [...reply.matchAll(/"(\w+)":/g)].map(([, name]) => name!))
  deepEqual(
    shown.filter((name) => !stdout.includes(`"${name}":`)),
    [],
  )
})
