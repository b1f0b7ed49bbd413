import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { type CommandTable, command } from './command.ts'
import { runCommandLine } from './run-command-line.ts'

const calls: unknown[] = []
const push = command({
  name: 'post push',
  summary: 'Upload posts',
  positionals: [{ name: 'FILE', summary: 'Markdown files', many: true }],
  options: {
    force: { type: 'boolean', summary: 'Overwrite', short: 'f' },
    tag: { type: 'string', summary: 'A tag', value: 'TAG', many: true },
    sort: { type: 'string', summary: 'Order', choices: ['newest', 'oldest'], default: 'newest' },
  },
  async run({ args, options }, { output }) {
    calls.push({ args, options })
    const title: string = args.FILE[0]!
    output.result({ title }, [`Pushed ${title}.`])
  },
})
const fails = command({
  name: 'fails',
  summary: 'Fail',
  async run() {
    throw new Error('A bug with \u001b[31mcolour')
  },
})
const table: CommandTable = { commands: [push, fails], groups: { post: 'Your posts' } }

async function run(...args: string[]) {
  const stdout: string[] = []
  const stderr: string[] = []
  const exitCode = await runCommandLine(args, table, {
    env: {},
    cwd: '/',
    input: Readable.from([]),
    stdout: { write: (text: string) => stdout.push(text) },
    stderr: { write: (text: string) => stderr.push(text) },
    signal: new AbortController().signal,
    version: '1.2.3',
  })
  return { exitCode, stdout: stdout.join(''), stderr: stderr.join('') }
}

test('arguments and options come by name, in any order, with their defaults', async () => {
  equal((await run('post', 'push', 'a.md', '-f', 'b.md', '--tag', 'x', '--tag=y')).stdout, 'Pushed a.md.\n')
  deepEqual(calls.at(-1), {
    args: { FILE: ['a.md', 'b.md'] },
    options: { force: true, tag: ['x', 'y'], sort: 'newest' },
  })
  // Options of every command may stand before it, and after -- everything is an argument.
  const { stdout } = await run('--profile', 'work', '--json', 'post', 'push', '--', '--json')
  deepEqual(JSON.parse(stdout), { title: '--json' })
})

test('a wrong command line says what was probably meant, does nothing, and exits with 2', async () => {
  for (const [args, expected] of [
    [['post', 'psuh', 'x'], /no command post psuh\.\n.*Did you mean post push\?/s],
    [['push', 'x'], /Did you mean post push\?/],
    [['fail'], /Did you mean fails\?/],
    [['nonsense'], /no command nonsense\.\n {2}See: pennypost help\n$/],
    [['post', 'push', 'a.md', '--forse'], /has no option --forse\.\n {2}Did you mean --force\?/],
    [['post', 'push'], /FILE is missing/],
    [['post', 'push', 'x', '--sort', 'newst'], /one of newest, oldest\.\n {2}Did you mean newest\?/],
    [['post', 'push', 'x', '--tag'], /--tag needs a value: --tag TAG/],
    [['post', 'push', 'x', '--tag', '--force'], /--tag needs a value/],
    [['post', 'push', 'x', '--force=1'], /--force takes no value/],
    [['fails', 'x'], /takes no arguments/],
    [['--nonsense'], /no option --nonsense/],
    [['post'], /pennypost post push/],
  ] as const) {
    const before = calls.length
    const { exitCode, stderr, stdout } = await run(...args)
    equal(exitCode, 2, args.join(' '))
    match(stderr, expected, args.join(' '))
    deepEqual([stdout, calls.length], ['', before])
  }
})

test('secrets on the command line are refused, and not repeated', async () => {
  const key = `svcpk_abcdefghijkl_${'s3cret'.repeat(7)}`
  for (const args of [
    ['post', 'push', key],
    ['post', 'push', 'x', `--tag=${key}`],
    ['post', 'push', '0'.repeat(64)],
    ['post', 'push', 'x', '--key', `0x${'ab'.repeat(32)}`],
  ]) {
    const { exitCode, stdout, stderr } = await run(...args, '--json')
    equal(exitCode, 2)
    ok(!(stdout + stderr).includes(args.at(-1)!.replace('--tag=', '')))
    match(JSON.parse(stderr).error.message, /secrets are not accepted/)
  }
})

test('help is there at every level, for people and programs', async () => {
  for (const args of [[], ['--help'], ['-h']]) {
    const { exitCode, stdout } = await run(...args)
    equal(exitCode, 0)
    match(stdout, /post … +Your posts \(push\)/)
  }
  match((await run('post', '--help')).stdout, /pennypost post push +Upload posts/)
  const ofCommand = await run('post', 'push', '--help')
  match(ofCommand.stdout, /^Upload posts\.\n\nUsage: pennypost post push FILE… \[options\]\n/)
  match(
    ofCommand.stdout,
    / {2}-f, --force +Overwrite\n {2}--tag TAG +A tag\n {2}--sort VALUE +Order: newest, oldest \(newest\)\n/,
  )
  const { options } = JSON.parse((await run('post', 'push', '--help', '--json')).stdout)
  equal(options.force.summary, 'Overwrite')
  equal((await run('--version')).stdout, 'pennypost 1.2.3\n')
})

test('errors are cleaned, and with --json they are JSON on stderr', async () => {
  const human = await run('fails')
  deepEqual([human.exitCode, human.stdout, human.stderr], [1, '', 'Error: A bug with [31mcolour\n'])
  const { error } = JSON.parse((await run('fails', '--json')).stderr)
  deepEqual([error.code, error.exitCode], ['failed', 1])
})
