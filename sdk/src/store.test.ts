import { deepEqual, equal, rejects } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { fileStore } from './node.ts'
import { memoryStore, readJson, type Store, withLock } from './store.ts'

async function countsAlone(stores: readonly Store[]): Promise<void> {
  let running = 0
  let most = 0
  const work = async () => {
    running += 1
    most = Math.max(most, running)
    await turn()
    running -= 1
  }
  await Promise.all(Array.from({ length: 12 }, (_, index) => withLock(stores[index % stores.length]!, 'one', work)))
  equal(most, 1)
}

test('a lock lets one in at a time, and a failure lets the next one in', async () => {
  const store = memoryStore()
  await countsAlone([store])
  const failed = withLock(store, 'one', () => Promise.reject(new Error('no')))
  const next = withLock(store, 'one', async () => 'next')
  deepEqual(await Promise.all([failed.catch((error: Error) => error.message), next]), ['no', 'next'])
})

test('files keep values across programs, readable by their owner only, and their locks exclude others', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'pennypost-store-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const store = fileStore(join(folder, 'secrets'))
  equal(await store.get('payment access http://localhost/ x'), undefined)
  await store.set('payment access http://localhost/ x', 'signed')
  const other = fileStore(join(folder, 'secrets'))
  equal(await other.get('payment access http://localhost/ x'), 'signed')
  const [name] = await readdir(join(folder, 'secrets'))
  equal((await stat(join(folder, 'secrets', name!))).mode & 0o777, 0o600)
  await countsAlone([store, other])
  await store.delete('payment access http://localhost/ x')
  await store.delete('payment access http://localhost/ x')
  deepEqual(await readdir(join(folder, 'secrets')), [])
})

test('keys may be longer than the name of a file, and stay apart', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'pennypost-store-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const store = fileStore(folder)
  // A path in Japanese: each letter takes nine bytes in the name of a file.
  const keys = ['記事'.repeat(100), `${'記事'.repeat(100)}2`, `push /${'d'.repeat(300)}`, 'x'.repeat(200)]
  for (const key of keys) await store.set(key, key)
  for (const key of keys) equal(await fileStore(folder).get(key), key)
  equal((await readdir(folder)).length, keys.length)
  for (const key of keys) await store.delete(key)
  await countsAlone(
    [store, fileStore(folder)].map((each) => ({ ...each, lock: (_, work) => each.lock!(keys[0]!, work) })),
  )
  deepEqual(await readdir(folder), [])
})

test('the lock of a program that was killed is taken over', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'pennypost-store-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const lock = join(folder, 'one.lock')
  await writeFile(lock, '')
  const old = new Date(Date.now() - 600_000)
  await utimes(lock, old, old)
  await countsAlone([fileStore(folder), fileStore(folder)])
})

test('the lock of a program that was killed a moment ago is taken over at once', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'pennypost-store-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const program = `import { fileStore } from ${JSON.stringify(new URL('./node.js', import.meta.url).href)}
    await fileStore(${JSON.stringify(folder)}).lock('one', async () => {
      console.log('locked')
      await new Promise((resolve) => setTimeout(resolve, 60_000))
    })`
  const child = spawn(process.execPath, [...process.execArgv, '--input-type=module', '-e', program])
  t.after(() => child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await once(child, 'exit')
  await countsAlone([fileStore(folder), fileStore(folder)])
  deepEqual(await readdir(folder), [])
})

test('a program whose lock was taken over leaves that of the other one alone', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'pennypost-store-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const lock = join(folder, 'one.lock')
  await fileStore(folder).lock!('one', () => writeFile(lock, 'of another machine'))
  deepEqual(await readdir(folder), ['one.lock'])
})

test('a damaged value is an error that names it, and never counts as missing', async () => {
  const store = memoryStore()
  await store.set('spending', '{"XNO":{"0":"1')
  await rejects(readJson(store, 'spending'), { code: 'store-damaged', message: /spending/ })
})
