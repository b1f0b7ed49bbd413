import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { listPosts } from '@pennypost/contract/posts'
import { sharedWorld } from '../world.ts'
import { cliFor, program, type RunningCli } from './cli.fixture.ts'
import { onTerminal } from './terminal.fixture.ts'
import { writer } from './writer.fixture.ts'

test('a wrong file of many is named, nothing is sent for it, and the error says what to do', async (t) => {
  const { creator, cli, path } = await writer(t)
  const head = '---\ntitle: A\nlanguage: en\n'
  const wrong: [string, RegExp][] = [
    [`${head}price: 0.1\n---\nText`, /^Error: b\.md: price in the front matter must be an amount and a currency/],
    [`${head}attachments: [no.zip]\n---\nText`, /^Error: b\.md: There is no file .*no\.zip/],
    [`${head}cover: no.png\n---\nText`, /^Error: b\.md: There is no file .*no\.png/],
    [`${head}tags: [open\n---\nText`, /^Error: b\.md: Its front matter cannot be read/],
    [`${head}\nText without an end`, /b\.md has no title .*\n.*The front matter has no end/],
    ['Only text', /b\.md has no title .*\n.*title: On engines/],
  ]
  await writeFile(path('c.md'), `${head}---\nText`)
  for (const [text, expected] of wrong) {
    await writeFile(path('b.md'), text)
    for (const more of [[], ['--dry-run']]) {
      const pushed = await cli(['post', 'push', 'b.md', 'c.md', ...more])
      equal(pushed.exitCode, 1)
      match(pushed.stderr, expected)
      match(pushed.stderr, /Files after it were not pushed: 1/)
    }
  }
  match((await cli(['post', 'push', '.'])).stderr, /is a folder/)
  match(
    (await cli(['post', 'new', 'no/such/folder.md'])).stderr,
    /^Error: There is no such file or folder: .*folder\.md/,
  )
  const { body } = await creator.publisher.calls(listPosts, {})
  deepEqual(body.data, [])
})

test('a file with a long name in Japanese is pushed', async (t) => {
  const { cli, path } = await writer(t)
  const name = `${'長い名前の記事'.repeat(11)}.md`
  await writeFile(path(name), '---\ntitle: A\n---\nText')
  const pushed = await cli(['post', 'push', name, '--json'])
  equal(pushed.exitCode, 0, pushed.stderr)
  equal((await cli(['post', 'push', name, '--json'])).json.outcome, 'unchanged')
})

test('a key that was revoked is exit code 3, with what to do', async (t) => {
  const world = await sharedWorld(t)
  const cli = await cliFor(t, world, { PENNYPOST_KEY: `svcpk_aaaaaaaaaaaa_${'b'.repeat(49)}` })
  const refused = await cli(['post', 'list'])
  equal(refused.exitCode, 3)
  match(refused.stderr, /expired, was revoked.*\n.*pennypost keys issue --save/)
})

test('a person who mistypes the code is asked again, and can come back with the same email', async (t) => {
  const world = await sharedWorld(t)
  const cli = await cliFor(t, world)
  const { email, handle } = await world.creator()
  const code = async () => (await world.mailTo(email))[0]?.code ?? undefined
  // The first attempt is interrupted at the question.
  let wasAsked = false
  const leaves = async ({ stdout, type }: RunningCli) => {
    await world.runJobs()
    if (!stdout.includes('Code: ') || wasAsked) return
    wasAsked = true
    type('\u0003')
  }
  const left = await onTerminal(cli, [program, 'login', email], leaves)
  equal(left.exitCode, 130, left.stdout)
  const answers = ['12345', '000000']
  let asked = 0
  const types = async ({ stdout, type }: RunningCli) => {
    await world.runJobs()
    const known = await code()
    if (!known || stdout.split('Code: ').length - 1 <= asked) return
    const wrong = answers[asked] === known ? '000001' : answers[asked]
    asked += 1
    type(`${wrong ?? known}\r`)
  }
  const signedIn = await onTerminal(cli, [program, 'login', email], types)
  equal(signedIn.exitCode, 0, signedIn.stdout)
  match(signedIn.stdout, /a moment ago/)
  match(signedIn.stdout, /The code has six digits/)
  match(signedIn.stdout, /The code is wrong/)
  ok(signedIn.stdout.includes(`@${handle}`))
  const files = await readFile(join(cli.folder, 'config/profiles/default/profile.json'), 'utf8')
  ok(files.includes(cli.url))
})

test('a key that is typed on a terminal is not shown', async (t) => {
  const world = await sharedWorld(t)
  const cli = await cliFor(t, world)
  const { publisher, handle } = await world.creator()
  const key = publisher.token!
  let isTyped = false
  const types = async ({ stdout, type }: RunningCli) => {
    await world.runJobs()
    if (isTyped || !stdout.includes('not shown')) return
    isTyped = true
    type(`${key}\r`)
  }
  const saved = await onTerminal(cli, [program, 'login', '--key-file', '-'], types)
  equal(saved.exitCode, 0, saved.stdout)
  ok(saved.stdout.includes(`@${handle}`))
  ok(!saved.stdout.includes(key.split('_')[2]!))
})
