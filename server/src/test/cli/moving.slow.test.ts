import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { listPosts } from '@pennypost/contract/posts'
import { payable } from '../../posts/posts.fixture.ts'
import { picture } from '../../uploads/uploads.fixture.ts'
import { sharedWorld } from '../world.ts'
import { cliFor, program, typesCodeOf } from './cli.fixture.ts'

async function owner(t: TestContext) {
  const world = await sharedWorld(t)
  const creator = await payable(await world.creator())
  const cli = await cliFor(t, world)
  const signedIn = await cli(['login', creator.email], { meanwhile: typesCodeOf(world, creator.email) })
  equal(signedIn.exitCode, 0, signedIn.stderr)
  return { world, creator, cli }
}

test('keys: issued to the profile, a file or the screen, rotated and revoked', async (t) => {
  const { cli } = await owner(t)
  equal((await cli(['post', 'list'])).exitCode, 3)
  const saved = await cli(['keys', 'issue', '--save', '--label', 'laptop', '--json'])
  equal(saved.exitCode, 0, saved.stderr)
  equal(saved.json.key, undefined)
  equal((await cli(['post', 'list'])).stdout, 'You have no posts yet.\n')
  const inFile = await cli(['keys', 'issue', '--to-file', 'key.txt', '--days', '7', '--json'])
  ok(!/svcpk_\w+_\w/.test(inFile.stdout))
  match(readFileSync(join(cli.folder, 'key.txt'), 'utf8'), /^svcpk_\w+_\w+\n$/)
  // A file that exists is not replaced, and no key is made for it.
  equal((await cli(['keys', 'issue', '--to-file', 'key.txt'])).exitCode, 1)
  const shown = await cli(['keys', 'issue', '--days', 'never'])
  match(shown.stdout, /^svcpk_\w+_\w+\n$/)
  const rotated = await cli(['keys', 'rotate', saved.json.keyId, '--save', '--json'])
  equal(rotated.exitCode, 0, rotated.stderr)
  equal((await cli(['keys', 'revoke', inFile.json.keyId])).exitCode, 2)
  equal((await cli(['keys', 'revoke', inFile.json.keyId, '--yes'])).exitCode, 0)
  const { keys } = (await cli(['keys', 'list', '--json'])).json
  const active = keys.filter(({ revokedAt }: { revokedAt: string | null }) => revokedAt === null)
  ok(active.some(({ keyId }: { keyId: string }) => keyId === rotated.json.keyId))
  ok(!active.some(({ keyId }: { keyId: string }) => [saved.json.keyId, inFile.json.keyId].includes(keyId)))
  deepEqual((await cli(['earnings', '--json'])).json.summary.XNO, {
    payments: 0,
    gross: '0',
    commission: '0',
    net: '0',
  })
  equal((await cli(['library'])).stdout, 'Nothing bought yet.\n')
})

test('a key that cannot be saved is not created, or it is revoked', async (t) => {
  const { cli } = await owner(t)
  const keys = async () =>
    (await cli(['keys', 'list', '--json'])).json.keys as { keyId: string; revokedAt: string | null }[]
  const before = await keys()
  // A limit of zero bytes for each file is as good as a full disk.
  for (const to of ['--save', '--to-file key.txt']) {
    const issue = `ulimit -f 0; exec "${process.execPath}" "${program}" keys issue ${to}`
    const refused = await cli(['-c', issue], { program: '/bin/bash' })
    equal(refused.exitCode, 1, refused.stderr)
    match(refused.stderr, /^Error: /)
    deepEqual([await keys(), await readdir(cli.folder)], [before, ['config']])
  }
  // The file disappears as soon as the key is there.
  const script = `import { readdirSync, rmSync } from 'node:fs'
const { fetch } = globalThis
globalThis.fetch = async (input, init) => {
  const reply = await fetch(String(input).replace(${JSON.stringify(cli.url)}, ${JSON.stringify(cli.address)}), init)
  if (init?.method === 'POST' && String(input).endsWith('/api-keys'))
    for (const name of readdirSync('config', { recursive: true })) if (name.endsWith('.tmp')) rmSync('config/' + name)
  return reply
}`
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` }
  const lost = await cli(['keys', 'issue', '--save'], { env })
  equal(lost.exitCode, 1)
  match(lost.stderr, /^Error: The new key could not be saved\..*\n.*was revoked/)
  const added = (await keys()).filter(({ keyId }) => !before.some((other) => other.keyId === keyId))
  deepEqual([added.length, added[0]!.revokedAt === null], [1, false])
})

test('an import reports first, asks, and continues; an export can be imported again', async (t) => {
  const { world, creator, cli } = await owner(t)
  await mkdir(join(cli.folder, 'old'))
  await writeFile(join(cli.folder, 'old/engine.png'), await picture())
  await writeFile(
    join(cli.folder, 'old/one.md'),
    '---\ntitle: "One \u001b[31mred"\ndate: 2020-01-02\nprice: 0.1 XNO\n---\n![x](engine.png)\n\n<!--paid-->\n\nSecret',
  )
  await writeFile(join(cli.folder, 'old/two.md'), '---\ntitle: Two\n---\nText')
  const titles = async () =>
    (await creator.publisher.calls(listPosts, {})).body.data.map(({ title }: { title: string }) => title).sort()
  const plan = await cli(['import', 'markdown', 'old', '--dry-run', '--json'])
  equal(plan.exitCode, 0, plan.stderr)
  deepEqual([plan.json.totals.created, plan.json.totals.paid, plan.json.isDryRun], [2, 1, true])
  const unasked = await cli(['import', 'markdown', 'old'])
  deepEqual([unasked.exitCode, await titles()], [2, []])
  ok(!unasked.stderr.includes('\u001b'))
  equal((await cli(['import', 'ghost', 'old', '--yes'])).exitCode, 2)
  equal((await cli(['import', 'auto', 'nothing', '--yes'])).exitCode, 1)
  const done = await cli(['import', 'auto', 'old', '--yes', '--json'])
  equal(done.exitCode, 0, done.stderr)
  await world.runJobs()
  equal((await titles()).length, 2)
  equal((await cli(['import', 'auto', 'old', '--yes', '--json'])).json.totals.unchanged, 2)
  await world.advance(61)
  const exported = await cli(['export', 'all.zip', '--json'], { meanwhile: typesCodeOf(world, creator.email) })
  equal(exported.exitCode, 0, exported.stderr)
  // It has personal data.
  equal((await stat(join(cli.folder, 'all.zip'))).mode & 0o777, 0o600)
  await importedElsewhere(t, join(cli.folder, 'all.zip'))
  ok(!(await readdir(cli.folder)).some((name) => name.endsWith('.tmp')))
})

async function importedElsewhere(t: TestContext, file: string): Promise<void> {
  const { world, cli } = await owner(t)
  const again = await cli(['import', 'pennypost', file, '--yes', '--json'])
  equal(again.exitCode, 0, again.stderr)
  deepEqual([again.json.totals.created, again.json.totals.paid], [2, 1])
  // An import does not wait until its images have been screened.
  await world.runJobs()
}
