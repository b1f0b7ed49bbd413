import { deepEqual, equal, match, rejects } from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { type ZipEntry, zipStream } from './zip-stream.ts'

const run = promisify(execFile)
const skip = spawnSync('unzip', ['-v']).error && 'unzip is not installed'
// Otherwise unzip replaces what is not ASCII in names.
const options = { env: { PATH: '/usr/bin:/bin:/usr/local/bin', LC_ALL: 'C.UTF-8' } }
const modifiedAt = new Date('2026-02-14T10:30:42Z')

async function* each<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items
}

const text = (name: string, ...content: (string | Uint8Array)[]): ZipEntry => ({
  name,
  modifiedAt,
  content: each(content),
})

async function writtenTo(t: TestContext, entries: AsyncIterable<ZipEntry>): Promise<{ folder: string; path: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'pennypost-zip-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'made.zip')
  await writeFile(path, zipStream(entries))
  return { folder, path }
}

test('an archive opens with unzip: names in UTF-8, empty files, stored bytes, text in pieces', { skip }, async (t) => {
  const bytes = Uint8Array.from({ length: 100_000 }, (_, index) => (index * 7919) % 251)
  const { folder, path } = await writtenTo(
    t,
    each([
      text('README.txt', 'Hello, ', 'world.\n'),
      text('posts/größe.md', 'ä'.repeat(50_000)),
      text('empty.json', ''),
      { name: 'images/one.bin', modifiedAt, content: each([bytes]), isStored: true },
    ]),
  )
  match((await run('unzip', ['-t', path], options)).stdout, /No errors detected/)
  await run('unzip', ['-q', path, '-d', folder], options)
  equal(await readFile(join(folder, 'README.txt'), 'utf8'), 'Hello, world.\n')
  equal(await readFile(join(folder, 'posts/größe.md'), 'utf8'), 'ä'.repeat(50_000))
  deepEqual(new Uint8Array(await readFile(join(folder, 'images/one.bin'))), bytes)
})

test('an archive may have more files than the old format can count', { skip }, async (t) => {
  const many = each(Array.from({ length: 70_000 }, (_, index) => ({ ...text(`${index}.txt`, 'x'), isStored: true })))
  const { path } = await writtenTo(t, many)
  match((await run('unzip', ['-tqq', path], options)).stdout, /^$/)
})

test('files are read no faster than the archive, and a reader that stops ends them', async () => {
  let pieces = 0
  let isClosed = false
  async function* endless(): AsyncGenerator<Buffer> {
    try {
      for (;;) {
        pieces += 1
        yield Buffer.alloc(16_384, pieces)
      }
    } finally {
      isClosed = true
    }
  }
  for (const isStored of [true, false]) {
    isClosed = false
    pieces = 0
    const stream = zipStream(each([{ name: 'endless', modifiedAt, content: endless(), isStored }]))
    await stream.next()
    await stream.next()
    // Deflate takes some hundred pieces of equal bytes before it returns the first chunk.
    equal(pieces < 10_000, true)
    await stream.return(undefined)
    equal(isClosed, true)
  }
})

test('a file that cannot be read fails the archive', async () => {
  async function* failing(): AsyncGenerator<string> {
    yield 'a'
    throw new Error('the disk is gone')
  }
  for (const isStored of [true, false])
    await rejects(async () => {
      for await (const _ of zipStream(each([{ name: 'a', modifiedAt, content: failing(), isStored }])));
    }, /the disk is gone/)
})
