import { deepEqual, equal, match, notEqual, ok, rejects } from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { type TestContext, test } from 'node:test'
import { lockDataDir, readOrCreateSecret, replaceSecret, StartError } from './data-dir.ts'
import { findDatabase } from './database/find-database.ts'
import { requireNotMoved } from './database/moved-database.ts'
import type { ProcessConfig } from './settings.ts'

test('the error for a folder in use names the process, since when, and its URL', async (t) => {
  const dataDir = await emptyFolder(t)
  const lock = await lockDataDir(dataDir)
  await lock.announce('http://localhost:3000')
  await rejects(lockDataDir(dataDir, 0), (error: Error) => {
    ok(error instanceof StartError)
    match(error.message, new RegExp(`^DATA_DIR "${dataDir}" has been in use by process ${process.pid} since \\d{4}-`))
    match(error.message, /\(http:\/\/localhost:3000\): stop it or choose another DATA_DIR$/)
    return true
  })
  await lock.release()
  await (await lockDataDir(dataDir, 0)).release()
  deepEqual(await readdir(dataDir), [])
})

test('a start waits for a process that is stopping', async (t) => {
  const dataDir = await emptyFolder(t)
  const leaving = await lockDataDir(dataDir)
  const waiting = lockDataDir(dataDir)
  await leaving.release()
  await (await waiting).release()
})

test('exactly one of many processes takes over the lock of a killed one', async (t) => {
  const dataDir = await emptyFolder(t)
  const killed = starter(t, dataDir)
  equal(await firstLine(killed), 'got it')
  killed.kill('SIGKILL')
  await once(killed, 'exit')

  const answers = await Promise.all(Array.from({ length: 6 }, () => firstLine(starter(t, dataDir))))
  equal(answers.filter((answer) => answer === 'got it').length, 1, answers.join('\n'))
  equal(answers.filter((answer) => answer.includes('has been in use by process')).length, 5, answers.join('\n'))
})

test('a process with the id of a dead holder is not mistaken for it', async (t) => {
  const dataDir = await emptyFolder(t)
  const since = new Date(0).toISOString()
  await writeFile(join(dataDir, 'lock'), JSON.stringify({ id: 'old', pid: process.pid, birth: 'long ago', since }))
  await (await lockDataDir(dataDir, 0)).release()
})

test('an unreadable lock can be taken', async (t) => {
  const dataDir = await emptyFolder(t)
  await writeFile(join(dataDir, 'lock'), '')
  await (await lockDataDir(dataDir, 0)).release()
})

test('a new folder is private, an existing one keeps its mode', async (t) => {
  const existing = await emptyFolder(t)
  await chmod(existing, 0o750)
  await (await lockDataDir(existing)).release()
  equal((await stat(existing)).mode & 0o777, 0o750)

  const created = join(existing, 'new', 'data')
  await (await lockDataDir(created)).release()
  equal((await stat(created)).mode & 0o777, process.getuid?.() === 0 ? 0o711 : 0o700)
})

test('the error for an unusable folder names the setting', async (t) => {
  const file = join(await emptyFolder(t), 'file')
  await writeFile(file, '')
  const uses = [
    () => lockDataDir(file),
    () => requireNotMoved(file),
    () => readOrCreateSecret(file, 'a-secret', () => 'x'),
    () => findDatabase({ dataDir: file } as ProcessConfig),
  ]
  for (const use of uses)
    await rejects(
      use,
      (error: Error) =>
        error instanceof StartError && /^DATA_DIR ".*file" is not a folder: choose another$/.test(error.message),
    )
  await rejects(
    requireNotMoved(join(file, 'data')),
    (error: Error) => error instanceof StartError && /^DATA_DIR ".*data" cannot be used: ENOTDIR/.test(error.message),
  )
})

test('a secret that root replaces still belongs to the user of the service', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'pennypost-data-'))
  t.after(() => rm(folder, { recursive: true }))
  const path = join(folder, 'secret')
  await writeFile(path, 'old', { mode: 0o600 })
  const isRoot = process.getuid!() === 0
  if (isRoot) await chown(path, 65_534, 65_534)
  const before = await stat(path)
  await replaceSecret(folder, 'secret', 'new')
  const after = await stat(path)
  deepEqual([after.uid, after.gid, after.mode & 0o777], [before.uid, before.gid, 0o600])
  equal(await readFile(path, 'utf8'), 'new')
})

test('a secret is created once, under any race, and is private', async (t) => {
  const dataDir = await emptyFolder(t)
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) => readOrCreateSecret(dataDir, 'signing-key', () => `secret ${index}`)),
  )
  equal(new Set(answers).size, 1)
  equal(await readFile(join(dataDir, 'signing-key'), 'utf8'), answers[0])
  equal((await stat(join(dataDir, 'signing-key'))).mode & 0o777, 0o600)
  deepEqual(await readdir(dataDir), ['signing-key'])
  notEqual(await readOrCreateSecret(dataDir, 'other-key', () => 'another'), answers[0])
})

test('a secret that may not be created leaves nothing behind', async (t) => {
  const dataDir = join(await emptyFolder(t), 'data')
  const create = () => Promise.reject(new StartError('there was another one'))
  await rejects(readOrCreateSecret(dataDir, 'a-secret', create), /there was another one/)
  await rejects(stat(dataDir), { code: 'ENOENT' })
})

test('a secret that another process creates at the same time is used, though we may not create it any longer', async (t) => {
  const dataDir = await emptyFolder(t)
  // Between our look at the folder and our look at the database, the other one has created it and started.
  const create = async () => {
    await readOrCreateSecret(dataDir, 'a-secret', () => 'of the other')
    throw new StartError('this database was used with one')
  }
  equal(await readOrCreateSecret(dataDir, 'a-secret', create), 'of the other')
})

async function emptyFolder(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'pennypost-test-'))
  t.after(() => rm(path, { recursive: true, force: true }))
  return path
}

/** A process that tries to take the lock, prints the result and keeps running. */
function starter(t: TestContext, dataDir: string): ChildProcess {
  const script = `
    const { lockDataDir } = await import(process.argv[1])
    await lockDataDir(process.argv[2], 0).then(() => console.log('got it'), (error) => console.log(error.message))
    setInterval(() => {}, 1000)`
  const moduleUrl = new URL('./data-dir.js', import.meta.url).href
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, moduleUrl, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  return child
}

async function firstLine(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) return line
  return 'said nothing'
}
