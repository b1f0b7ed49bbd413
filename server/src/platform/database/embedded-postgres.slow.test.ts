import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { until } from '../../test/until.ts'
import { StartError } from '../data-dir.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts'

const isRoot = process.getuid?.() === 0
const needsProc = process.platform !== 'linux' && 'processes are looked up in /proc'

test('the first start creates the database, and the next one finds its data', async (t) => {
  const dataDir = await folder(t)
  const first = await start(t, dataDir, { durable: true })
  await run(first.url, "CREATE TABLE notes AS SELECT 'kept' AS note")
  equal(await run(first.url, 'SELECT current_user'), 'pennypost')
  equal(await run(first.url, "SELECT 'Ä' ~* 'ä'"), true)
  equal((await stat(join(dataDir, 'postgres.password'))).mode & 0o777, 0o600)
  await first.stop()
  await first.exited
  deepEqual((await readdir(dataDir)).sort(), ['postgres', 'postgres.log', 'postgres.password'])

  const second = await start(t, dataDir, { durable: true })
  equal(await run(second.url, 'SELECT note FROM notes'), 'kept')
  await rejects(run(second.url.replace(/:[^:@]+@/, ':guess@'), 'SELECT 1'), /password authentication failed/)
})

test('neither the log nor the process list shows a password or a statement', { skip: needsProc }, async (t) => {
  const dataDir = await folder(t)
  const postgres = await start(t, dataDir)
  await rejects(run(postgres.url, "SELECT 'reader@example.org'::int"))
  const password = await readFile(join(dataDir, 'postgres.password'), 'utf8')
  const shown = [
    await readFile(join(dataDir, 'postgres.log'), 'utf8'),
    await readFile(`/proc/${postgres.pid}/cmdline`, 'utf8'),
  ]
  for (const text of shown) ok(!text.includes(password) && !text.includes('SELECT'), text)
})

test('the path may be long and contain spaces, commas and quotes', async (t) => {
  const parent = await folder(t)
  for (const name of ['my "little", data', 'a folder with a long name '.repeat(5).trim()]) {
    const postgres = await start(t, join(parent, name, 'data'))
    equal(await run(postgres.url, 'SELECT 1'), 1)
    await postgres.stop()
  }
})

test('when the parent process is killed, the database stops and the next start has the data', async (t) => {
  const dataDir = await folder(t)
  const child = starter(t, dataDir)
  const { pid, url } = await started(child)
  await run(url, "CREATE TABLE notes AS SELECT 'kept' AS note")
  child.kill('SIGKILL')
  await gone(pid)
  const next = await start(t, dataDir)
  equal(await run(next.url, 'SELECT note FROM notes'), 'kept')
})

test('the next start stops an orphaned database whose watcher was killed too', {
  skip: needsProc,
}, async (t) => {
  const dataDir = await folder(t)
  const child = starter(t, dataDir)
  const { pid, url } = await started(child)
  await run(url, "CREATE TABLE notes AS SELECT 'kept' AS note")
  const watchers = await groupMembers(pid, 'sh')
  equal(watchers.length, 1)
  for (const watcher of watchers) process.kill(watcher, 'SIGKILL')
  child.kill('SIGKILL')
  await once(child, 'exit')
  process.kill(pid, 0)

  const next = await start(t, dataDir)
  equal(await run(next.url, 'SELECT note FROM notes'), 'kept')
  await gone(pid)
})

test('a killed database is noticed, its watcher exits, and the next start recovers', async (t) => {
  const dataDir = await folder(t)
  const lines: string[] = []
  const postgres = await start(t, dataDir, { durable: true, log: (line) => lines.push(line) })
  await run(postgres.url, "CREATE TABLE notes AS SELECT 'kept' AS note")
  process.kill(postgres.pid, 'SIGKILL')
  await postgres.exited
  match(lines.join('\n'), /PostgreSQL ended: killed by SIGKILL/)
  const next = await start(t, dataDir, { durable: true })
  equal(await run(next.url, 'SELECT note FROM notes'), 'kept')
  if (!needsProc) deepEqual(await groupMembers(postgres.pid), [])
})

test('a first start that was killed half-way starts over', async (t) => {
  const dataDir = await folder(t)
  const child = starter(t, dataDir)
  // Folders come and go while it looks.
  const names = () => readdir(dataDir, { recursive: true }).catch(() => [])
  await until('it creates a cluster', async () => (await names()).some((name) => name.endsWith('/PG_VERSION')), {
    everyMs: 5,
  })
  child.kill('SIGKILL')
  await mkdir(join(dataDir, 'postgres.new', 'base'), { recursive: true })
  const postgres = await start(t, dataDir)
  equal(await run(postgres.url, 'SELECT 1'), 1)
  deepEqual(
    (await readdir(dataDir)).filter((name) => name.startsWith('postgres.new')),
    [],
  )
})

test('a pid file with the id of another program is ignored', async (t) => {
  const dataDir = await folder(t)
  const child = starter(t, dataDir)
  const { pid } = await started(child)
  process.kill(pid, 'SIGKILL')
  child.kill('SIGKILL')
  await gone(pid)
  const pidFile = join(dataDir, 'postgres', 'postmaster.pid')
  await writeFile(pidFile, (await readFile(pidFile, 'utf8')).replace(/^\d+/, String(process.pid)))
  const postgres = await start(t, dataDir)
  equal(await run(postgres.url, 'SELECT 1'), 1)
})

test('a start that fails says why in one line', async (t) => {
  const dataDir = await folder(t)
  const first = await start(t, dataDir)
  await first.stop()

  const refuses = (reason: RegExp) =>
    rejects(start(t, dataDir), (error: Error) => {
      ok(error instanceof StartError, error.stack)
      match(error.message, reason)
      ok(!error.message.includes('\n'))
      return true
    })
  const cluster = join(dataDir, 'postgres')
  await rm(join(cluster, 'global', 'pg_control'))
  await refuses(/could not (open|find)/)
  await writeFile(join(cluster, 'PG_VERSION'), '9\n')
  await refuses(/was created by PostgreSQL 9/)
  await rm(join(cluster, 'PG_VERSION'))
  await refuses(/contains no database/)
})

test('root can have DATA_DIR inside a folder that only root can enter', { skip: !isRoot }, async (t) => {
  const closed = await folder(t)
  await chmod(closed, 0o700)
  const dataDir = join(closed, 'data')
  for (const attempt of ['first', 'second']) {
    const postgres = await start(t, dataDir)
    equal(await run(postgres.url, 'SELECT 1'), 1, attempt)
    ok((await stat(`/proc/${postgres.pid}`)).uid !== 0 || needsProc)
    await postgres.stop()
  }
  equal((await stat(closed)).mode & 0o777, 0o700)
  ok((await stat(join(dataDir, 'postgres'))).uid !== 0)
})

test('an ordinary user runs the database under its own user id', { skip: !isRoot }, async (t) => {
  const nobody = 65534
  const dataDir = await folder(t)
  await chown(dataDir, nobody, nobody)
  const child = starter(t, dataDir, { uid: nobody, gid: nobody })
  const answer = await started(child).catch((error: Error) => error)
  // An ordinary user cannot read a checkout inside /root. That is not what is tested here.
  if (answer instanceof Error && !(await isPassable(import.meta.dirname))) return t.skip('this checkout is closed')
  if (answer instanceof Error) throw answer
  equal(await run(answer.url, 'SELECT 1'), 1)
  equal((await stat(join(dataDir, 'postgres'))).uid, nobody)
  child.kill('SIGKILL')
  await gone(answer.pid)

  // The cluster keeps its owner when root starts it later.
  const postgres = await start(t, dataDir)
  equal((await stat(join(dataDir, 'postgres'))).uid, nobody)
  equal(await run(postgres.url, 'SELECT 1'), 1)
})

async function folder(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'pennypost-test-'))
  await chmod(path, 0o711)
  t.after(() => rm(path, { recursive: true, force: true, maxRetries: 5 }))
  return path
}

type StartOptions = Partial<Parameters<typeof startEmbeddedPostgres>[0]>

async function start(t: TestContext, dataDir: string, options: StartOptions = {}): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ dataDir, log: () => {}, durable: false, ...options })
  t.after(() => postgres.stop())
  return postgres
}

/** A process that starts the database, prints its URL and keeps running. */
function starter(t: TestContext, dataDir: string, identity: { uid?: number; gid?: number } = {}): ChildProcess {
  const script = `
    const { startEmbeddedPostgres } = await import(process.argv[1])
    const { pid, url } = await startEmbeddedPostgres({ dataDir: process.argv[2], log() {}, durable: false })
    console.log(JSON.stringify({ pid, url }))`
  const moduleUrl = new URL('./embedded-postgres.js', import.meta.url).href
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, moduleUrl, dataDir], {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...identity,
  })
  t.after(() => child.kill('SIGKILL'))
  return child
}

async function started(child: ChildProcess): Promise<{ pid: number; url: string }> {
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) return JSON.parse(line)
  throw new Error(`the starter ended: ${await text(child.stderr as NodeJS.ReadableStream)}`)
}

async function run(connectionString: string, statement: string): Promise<unknown> {
  const client = new pg.Client({ connectionString })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query({ text: statement, rowMode: 'array' })
    return rows[0]?.[0]
  } finally {
    await client.end()
  }
}

/** A zombie counts as gone: some containers never reap processes. */
async function gone(pid: number): Promise<void> {
  await until('the process is gone', async () => {
    try {
      process.kill(pid, 0)
    } catch {
      return true
    }
    return !needsProc && (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')) === ''
  })
}

async function groupMembers(group: number, name?: string): Promise<number[]> {
  const members: number[] = []
  for (const pid of (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))) {
    const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
    const [, comm, state, , pgrp] = /\((.*)\) (\S) (\d+) (\d+)/.exec(status) ?? []
    if (Number(pgrp) === group && state !== 'Z' && (name === undefined || comm === name)) members.push(Number(pid))
  }
  return members
}

async function isPassable(path: string): Promise<boolean> {
  for (let current = path; current !== '/'; current = join(current, '..')) {
    if (((await stat(current)).mode & 0o001) === 0) return false
  }
  return true
}
