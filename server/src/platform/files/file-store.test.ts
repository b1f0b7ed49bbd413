import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, open, readlink, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type FileStore, localFileStore } from './file-store.ts'
import { bytes, listed, listsMany } from './lists-many.fixture.ts'
import { s3FileStore } from './s3-file-store.ts'
import { startS3Server } from './s3-server.fixture.ts'

type OpenStore = (t: TestContext) => Promise<FileStore>

const folderIn = async (t: TestContext): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'pennypost-files-'))
  t.after(() => rm(folder, { recursive: true }))
  return folder
}

const stores: Record<string, OpenStore> = {
  'local files': async (t) => localFileStore(await folderIn(t)),
  S3: async (t) => s3FileStore(await startS3Server(t, await folderIn(t))),
}

const textOf = async (stream: AsyncIterable<Uint8Array> | undefined) => {
  const chunks: Uint8Array[] = []
  for await (const chunk of stream ?? []) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

for (const [name, open] of Object.entries(stores)) {
  test(`${name}: an object can be read, whole and in part, and removed`, async (t) => {
    const store = await open(t)
    equal((await store.put('images/one', bytes('hello ', 'world'))).sizeBytes, 11)
    equal(await store.sizeOf('images/one'), 11)
    equal(await textOf(await store.read('images/one')), 'hello world')
    equal(await textOf(await store.read('images/one', { start: 6, end: 8 })), 'wor')
    await store.remove('images/one')
    await store.remove('images/one')
    equal(await store.read('images/one'), undefined)
    equal(await store.sizeOf('images/one'), undefined)
    await store.verify()
  })

  test(`${name}: a second put replaces the object, and objects can be empty`, async (t) => {
    const store = await open(t)
    await store.put('images/one', bytes('first'))
    await store.put('images/one', bytes('second'))
    equal(await textOf(await store.read('images/one')), 'second')
    equal((await store.put('images/none', bytes())).sizeBytes, 0)
    equal(await store.sizeOf('images/none'), 0)
  })

  test(`${name}: an object with a new key is stored like any other, and leaves nothing if it is cut off`, async (t) => {
    const store = await open(t)
    const original = randomBytes(3 * 1024 * 1024 + 11)
    async function* pieces(isBroken = false) {
      for (let at = 0; at < original.length; at += 70_000) yield original.subarray(at, at + 70_000)
      if (isBroken) throw new Error('the line went dead')
    }
    equal((await store.put('parts/ab/one', pieces(), { isNew: true })).sizeBytes, original.length)
    const chunks: Uint8Array[] = []
    for await (const chunk of (await store.read('parts/ab/one'))!) chunks.push(chunk)
    ok(Buffer.concat(chunks).equals(original))
    await rejects(store.put('parts/ab/two', pieces(true), { isNew: true }), /line went dead/)
    deepEqual(await listed(store, 'parts/'), [`parts/ab/one ${original.length}`])
  })

  test(`${name}: an object is stored exactly from chunks that the store may take`, async (t) => {
    const store = await open(t)
    const original = randomBytes(6 * 1024 * 1024 + 11)
    async function* pieces() {
      for (let at = 0; at < original.length; at += 65_536) yield new Uint8Array(original.subarray(at, at + 65_536))
    }
    const { sizeBytes } = await store.put('parts/ab/one', pieces(), { isNew: true, takesBytes: true })
    equal(sizeBytes, original.length)
    const chunks: Uint8Array[] = []
    for await (const chunk of (await store.read('parts/ab/one'))!) chunks.push(chunk)
    ok(Buffer.concat(chunks).equals(original))
  })

  test(`${name}: large objects in pieces of any size are stored exactly`, async (t) => {
    const store = await open(t)
    const original = randomBytes(11 * 1024 * 1024 + 7)
    for (const length of [100_000, 5 * 1024 * 1024, original.length]) {
      async function* pieces() {
        for (let at = 0; at < original.length; at += length) yield original.subarray(at, at + length)
      }
      equal((await store.put('zips/large', pieces())).sizeBytes, original.length)
      const hash = createHash('sha256')
      for await (const piece of (await store.read('zips/large'))!) hash.update(piece)
      equal(hash.digest('hex'), createHash('sha256').update(original).digest('hex'))
      equal(await store.sizeOf('zips/large'), original.length)
    }
  })

  test(`${name}: an upload that is cut off leaves nothing, even if it is large`, async (t) => {
    const store = await open(t)
    for (const length of [4, 7 * 1024 * 1024]) {
      async function* broken() {
        yield Buffer.alloc(length)
        throw new Error('the line went dead')
      }
      await rejects(store.put('images/one', broken()), /line went dead/)
      equal(await store.sizeOf('images/one'), undefined)
      deepEqual(await listed(store, 'images/'), [])
    }
  })

  test(`${name}: a key that could leave the folder is refused`, async (t) => {
    const store = await open(t)
    for (const key of ['../x', 'a/../b', '/etc/passwd', 'a//b', '', 'a/.hidden', 'A', 'a\0b']) {
      await rejects(store.put(key, bytes('x')), /not an object key/, key)
      await rejects(store.read(key), /not an object key/, key)
      await rejects(store.remove(key), /not an object key/, key)
    }
  })
}

test('local files: all objects with a prefix are listed, however many', async (t) => {
  await listsMany(localFileStore(await folderIn(t)))
})

test('local files are private, and partial files of a killed process are listed', async (t) => {
  const folder = await folderIn(t)
  const store = localFileStore(folder)
  await store.put('images/one', bytes('hello'))
  equal((await stat(join(folder, 'images/one'))).mode & 0o777, 0o600)
  await writeFile(join(folder, 'images/two.4711-x1.new'), 'hal')
  deepEqual(await listed(store, 'images/'), ['images/one 5', 'images/two.4711-x1.new 3'])
  await store.remove('images/two.4711-x1.new')
  deepEqual(await listed(store, 'images/'), ['images/one 5'])
})

test('S3: a server that lists the same page again and again is an error, not a listing without end', async (t) => {
  const page = `<ListBucketResult><IsTruncated>true</IsTruncated><Contents><Key>images/one</Key><Size>1</Size>
    <LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents></ListBucketResult>`
  const server = createServer((_request, response) => response.setHeader('content-type', 'application/xml').end(page))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  const settings = { ...(await startS3Server(t, await folderIn(t))), endpoint: `http://127.0.0.1:${port}` }
  await rejects(listed(s3FileStore(settings), 'images/'), /again and again/)
})

test('S3: an unavailable server or a missing bucket is an error, not a missing object', async (t) => {
  const settings = await startS3Server(t, await folderIn(t))
  const elsewhere = s3FileStore({ ...settings, bucket: 'another' })
  await rejects(elsewhere.verify())
  await rejects(elsewhere.read('images/one'))
  await rejects(elsewhere.sizeOf('images/one'))
  const away = s3FileStore({ ...settings, endpoint: 'http://127.0.0.1:1' })
  await rejects(away.sizeOf('images/one'))
  await rejects(away.read('images/one'))
  await rejects(away.put('images/one', bytes('x')))
  await rejects(away.remove('images/one'))
  await rejects(listed(away, 'images/'))
})

test('local files: the memory of chunks that the store may take is freed, unless they share it with others', async (t) => {
  const store = localFileStore(await folderIn(t))
  const shared = Buffer.alloc(200_000, 'x')
  const chunks = [Buffer.alloc(300_000, 'y'), shared.subarray(50_000, 100_000), new Uint8Array(7).fill(122)]
  const empty = new Uint8Array()
  async function* pieces() {
    for (const chunk of chunks) yield* [empty, chunk]
  }
  const lengths = () => chunks.map(({ byteLength }) => byteLength)
  await store.put('parts/one', pieces())
  deepEqual(lengths(), [300_000, 50_000, 7])
  await store.put('parts/two', pieces(), { takesBytes: true })
  deepEqual(lengths(), [0, 50_000, 0])
  equal(shared.toString('latin1'), 'x'.repeat(200_000))
  equal(await textOf(await store.read('parts/two')), `${'y'.repeat(300_000)}${'x'.repeat(50_000)}${'z'.repeat(7)}`)
})

test('new folders are flushed together with their parents', {
  skip: process.platform !== 'linux' && 'needs /proc',
}, async (t) => {
  const folder = await folderIn(t)
  const handle = await open(folder, 'r')
  const prototype = Object.getPrototypeOf(handle) as { sync(this: { fd: number }): Promise<void> }
  await handle.close()
  const original = prototype.sync
  const flushed: string[] = []
  t.mock.method(prototype, 'sync', async function (this: { fd: number }) {
    flushed.push(relative(folder, await readlink(`/proc/self/fd/${this.fd}`)))
    return original.call(this)
  })
  const store = localFileStore(join(folder, 'objects'))
  await store.put('media/ab/one', bytes('x'))
  deepEqual(flushed.sort(), ['', 'objects', 'objects/media', 'objects/media/ab'])
  flushed.length = 0
  await store.put('media/ab/two', bytes('x'))
  deepEqual(flushed, ['objects/media/ab'])
  flushed.length = 0
  await store.put('media/ab/three', bytes('x'), { isNew: true })
  deepEqual(flushed, ['objects/media/ab'])
})
