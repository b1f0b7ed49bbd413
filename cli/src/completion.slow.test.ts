import { deepEqual, equal, ok } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { commandTable } from './commands.ts'
import { completionScript } from './frame/completion.ts'

const run = promisify(execFile)
const isInstalled = async (shell: string) =>
  run(shell, ['-c', 'true']).then(
    () => true,
    () => false,
  )

async function scriptFor(t: TestContext, shell: 'zsh' | 'fish'): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'pennypost-completion-'))
  t.after(() => rm(folder, { recursive: true }))
  const path = join(folder, 'script')
  await writeFile(path, completionScript(shell, commandTable))
  return path
}

/** What fish offers for a command line. */
async function offeredByFish(script: string, line: string): Promise<string[]> {
  const program = 'source $argv[1]; complete -C "pennypost $argv[2]"'
  const { stdout, stderr } = await run('fish', ['-c', program, '--', script, line])
  equal(stderr, '')
  return stdout.split('\n').flatMap((row) => row.split('\t')[0] || [])
}

/** What zsh offers for a command line: typed into a pseudo-terminal, with the completions written to a file. */
async function offeredByZsh(script: string, line: string): Promise<string[]> {
  const inner = `${script}.inner`
  const found = `${script}.found`
  await writeFile(found, '')
  await writeFile(
    inner,
    `autoload -Uz compinit && compinit -u -D
source ${script}
compadd () {
  if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then builtin compadd "$@"; return; fi
  local -a hits
  builtin compadd -A hits "$@"
  (( $#hits )) && print -rl -- $hits >> ${found}
  builtin compadd "$@"
}
finish () { exit }
comppostfuncs=(finish)
bindkey '^I' complete-word
`,
  )
  const outer = `zmodload zsh/zpty
zpty shell 'zsh -f -i'
zpty -w shell "source $1"
zpty -w -n shell "pennypost $2"$'\\t'
while zpty -r shell text; do :; done`
  await run('zsh', ['-f', '-c', outer, 'zsh', inner, line], { timeout: 20_000 })
  return (await readFile(found, 'utf8')).split('\n').filter((word) => word !== '')
}

const offers = { zsh: offeredByZsh, fish: offeredByFish }

for (const shell of ['zsh', 'fish'] as const)
  test(`${shell} completes commands, options, their values and files`, {
    skip: !(await isInstalled(shell)) && `${shell} is not installed`,
  }, async (t) => {
    const script = await scriptFor(t, shell)
    const offered = async (line: string) => (await offers[shell](script, line)).sort()
    ok((await offered('')).includes('whoami'))
    deepEqual(await offered('who'), ['whoami'])
    deepEqual(await offered('post pu'), ['publish', 'pull', 'push'])
    deepEqual(await offered('--profile work who'), ['whoami'])
    deepEqual(await offered('--profile work post unp'), ['unpublish'])
    deepEqual(await offered('--pro'), ['--profile'])
    deepEqual(await offered('completion z'), ['zsh'])
    deepEqual(await offered('import gh'), ['ghost'])
    deepEqual(await offered('login --key'), ['--key-file'])
    deepEqual(await offered('search --sort old'), ['oldest'])
    deepEqual(await offered('help exit'), ['exit-codes'])
    for (const before of ['login --key-file', 'post publish', 'import ghost'])
      ok(
        (await offered(`${before} ${script.slice(0, -2)}`)).some((path) => path.endsWith('script')),
        before,
      )
  })
