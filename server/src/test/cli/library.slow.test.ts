import { deepEqual, equal, match } from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { openMarket } from '../../payments/market.fixture.ts'
import { zip } from '../../uploads/uploads.fixture.ts'
import { fundedSeed } from '../funded-seed.ts'
import { cliFor, typesCodeOf } from './cli.fixture.ts'

test('library --download writes what was bought, with every ZIP file, and can be run again', async (t) => {
  const market = await openMarket(t, { isolation: 'own' })
  const { world, creator, network } = market
  const author = await cliFor(t, world, { PENNYPOST_KEY: creator.publisher.token! })
  const head = (title: string) =>
    `---\ntitle: ${title}\ncategory: technology\nlanguage: en\ncreationMethod: human\nprice: 0.25 XNO\n`
  const [first, second] = [zip({ 'a.txt': 'first' }), zip({ 'a.txt': 'second' })]
  await writeFile(join(author.folder, 'drawings.zip'), first)
  // A title that is not a valid file name.
  const title = '"../../engines / 記事記事記事記事記事記事記事記事記事記事記事記事記事記事記事記事記事記事記事記事"'
  const text = `${head(title)}attachments: [drawings.zip]\n---\nfree <!--x-->\n\n<!--paid-->\n\npaid text\n`
  await writeFile(join(author.folder, 'a.md'), text)
  const published = await author(['post', 'publish', 'a.md', '--attest', '--json'])
  equal(published.exitCode, 0, published.stderr)

  const cli = await cliFor(t, world, { PENNYPOST_NANO_SEED_FILE: 'seed', PENNYPOST_NANO_NODE: network.rpcUrl })
  await writeFile(join(cli.folder, 'seed'), await fundedSeed(network), { mode: 0o600 })
  const { email } = await world.reader()
  equal((await cli(['login', email], { meanwhile: typesCodeOf(world, email) })).exitCode, 0)
  match((await cli(['library'])).stdout, /Nothing bought yet/)
  for (const postId of [published.json.id, market.postId]) {
    const bought = await cli(['buy', postId, '--max', '0.25XNO'])
    equal(bought.exitCode, 0, bought.stderr)
  }
  // The author replaces the file by another of the same name. Earlier buyers keep both.
  await writeFile(join(author.folder, 'drawings.zip'), second)
  const replaced = await author(['post', 'push', 'a.md', '--json'])
  equal(replaced.exitCode, 0, replaced.stderr)

  const saved = await cli(['library', '--download', 'bought', '--json'])
  equal(saved.exitCode, 0, saved.stderr)
  const lines = saved.stdout.trim().split('\n')
  equal(lines.length, 2)
  const folder = join(cli.folder, 'bought')
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((each) => each.isFile())
  const zips = files.filter(({ name }) => name.endsWith('.zip'))
  const hashes = await Promise.all(
    zips.map(async ({ parentPath, name }) => hashOf(await readFile(join(parentPath, name)))),
  )
  deepEqual(hashes.sort(), [hashOf(first), hashOf(second)].sort())
  const texts = files.filter(({ name, parentPath }) => name.endsWith('.md') && parentPath === folder)
  deepEqual([texts.length, zips.length, files.length], [2, 2, 4])
  const contents = await Promise.all(texts.map(({ name }) => readFile(join(folder, name), 'utf8')))
  const whole = contents.find((content) => content.includes('engines /'))!
  match(
    whole,
    /^---\nid: "[0-9a-f-]{36}"\ntitle: "\.\.\/\.\.\/engines[\s\S]*price: "0\.25 XNO"\n---\n\nfree[\s\S]*<!--paid-->\n\npaid text/,
  )
  // Nothing but what is missing is written the second time.
  const before = await Promise.all(
    files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).mtimeMs),
  )
  equal((await cli(['library', '--download', 'bought'])).exitCode, 0)
  const after = await Promise.all(
    files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).mtimeMs),
  )
  deepEqual(after, before)
  const some = await cli(['library', '--limit', '1'])
  match(some.stderr, /There are more than 1/)
  // Nothing to write to.
  await mkdir(join(cli.folder, 'other'))
  await writeFile(join(cli.folder, 'other', 'file'), '')
  const wrong = await cli(['library', '--download', 'other/file/below'])
  deepEqual([wrong.exitCode, /^Error: .*(folder|file)/.test(wrong.stderr)], [1, true], wrong.stderr)
  const nowhere = await cli(['library', '--download', '/proc/x/y'])
  deepEqual([nowhere.exitCode, /^Error: .*\/proc\/x/.test(nowhere.stderr)], [1, true], nowhere.stderr)
  await market.later(10)
})

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
