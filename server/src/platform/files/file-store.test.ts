import { equal, ok, rejects } from 'node:assert/strict'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { localFileStore } from './file-store.ts'

async function storeIn(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'pennypost-files-'))
  t.after(() => rm(folder, { recursive: true }))
  return { folder, store: localFileStore(folder) }
}

async function* bytes(...texts: string[]) {
  for (const text of texts) yield Buffer.from(text)
}

const textOf = async (stream: AsyncIterable<Uint8Array> | undefined) => {
  const chunks: Uint8Array[] = []
  for await (const chunk of stream ?? []) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

test('what was put can be read, whole and in part, and removed', async (t) => {
  const { store, folder } = await storeIn(t)
  equal((await store.put('images/one', bytes('hello ', 'world'))).sizeBytes, 11)
  equal(await store.sizeOf('images/one'), 11)
  equal(await textOf(await store.read('images/one')), 'hello world')
  equal(await textOf(await store.read('images/one', { start: 6, end: 8 })), 'wor')
  equal((await stat(join(folder, 'images/one'))).mode & 0o777, 0o600)
  await store.remove('images/one')
  await store.remove('images/one')
  equal(await store.read('images/one'), undefined)
  equal(await store.sizeOf('images/one'), undefined)
})

test('bytes that break off leave nothing behind', async (t) => {
  const { store, folder } = await storeIn(t)
  async function* broken() {
    yield Buffer.from('half')
    throw new Error('the line went dead')
  }
  await rejects(store.put('images/one', broken()), /line went dead/)
  equal(await store.sizeOf('images/one'), undefined)
  ok((await readdir(join(folder, 'images'))).length === 0)
})

test('a key that could leave the folder is refused', async (t) => {
  const { store } = await storeIn(t)
  for (const key of ['../x', 'a/../b', '/etc/passwd', 'a//b', '', 'a/.hidden', 'A', 'a\0b']) {
    await rejects(store.put(key, bytes('x')), /not an object key/, key)
  }
})
