import { deepEqual, equal, match, rejects } from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { each, modifiedAt, options, run, skip, text, writtenTo } from './zip-stream.fixture.ts'
import { zipStream } from './zip-stream.ts'

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
