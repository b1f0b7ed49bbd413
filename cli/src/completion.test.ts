import { deepEqual, ok } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { commandTable } from './commands.ts'
import { completionScript } from './frame/completion.ts'

const run = promisify(execFile)
async function scriptFor(t: TestContext, shell: 'bash'): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'pennypost-completion-'))
  t.after(() => rm(folder, { recursive: true }))
  const path = join(folder, 'script')
  await writeFile(path, completionScript(shell, commandTable))
  return path
}

/** What bash would offer for a command line, whose last word is being typed. */
async function offered(script: string, ...words: string[]): Promise<string[]> {
  const program = `source "$1"; shift; COMP_WORDS=(pennypost "$@"); COMP_CWORD=$#; _pennypost; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout } = await run('bash', ['-uc', program, 'bash', script, ...words])
  return stdout.split('\n').filter((word) => word !== '')
}

test('bash completes commands, options, their values and files', async (t) => {
  const script = await scriptFor(t, 'bash')
  ok((await offered(script, '')).includes('whoami'))
  deepEqual(await offered(script, 'who'), ['whoami'])
  deepEqual(await offered(script, '--profile', 'work', 'who'), ['whoami'])
  deepEqual(await offered(script, 'completion', 'z'), ['zsh'])
  deepEqual(await offered(script, 'login', '--key'), ['--key-file'])
  deepEqual(await offered(script, 'login', '--key-file', script.slice(0, -2)), [script])
  deepEqual(await offered(script, 'help', 'exit'), ['exit-codes'])
  deepEqual(await offered(script, 'post', 'publish', script.slice(0, -2)), [script])
})
