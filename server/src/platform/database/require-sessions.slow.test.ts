import { equal, match, ok } from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createClient } from '@pennypost/contract/client'
import { contract, developmentContract } from '@pennypost/contract/contract'
import pg from 'pg'
import { freePort } from '../../test/free-port.ts'
import { folderFor, publishingKey, startProcess } from '../../test/service-process.ts'
import { emptyTestDatabase } from '../../test/test-database.ts'
import { until } from '../../test/until.ts'
import { requireSessions } from './require-sessions.ts'

const hasPgbouncer =
  spawnSync('pgbouncer', ['--version'], { env: { PATH: `${process.env.PATH}:/usr/sbin` } }).status === 0
const skip = hasPgbouncer ? false : 'pgbouncer is not installed (apt-get install pgbouncer)'

/** A real pgbouncer before the database. Returns its URL. */
async function startPgbouncer(t: TestContext, url: string, mode: 'transaction' | 'session'): Promise<string> {
  const { host, port: serverPort, user, password, database } = new pg.Client({ connectionString: url })
  const folder = await mkdtemp(join(tmpdir(), 'pgbouncer-'))
  const port = await freePort()
  await writeFile(
    join(folder, 'pgbouncer.ini'),
    `[databases]
${database} = host=${host} port=${serverPort} dbname=${database} user=${user} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = 30
max_client_conn = 500
`,
  )
  await chmod(folder, 0o755)
  // It does not run as root, and only the owner of a database's socket may enter its folder.
  const owner = host.startsWith('/') ? String((await stat(host)).uid) : 'nobody'
  const asUser = process.getuid?.() === 0 ? ['-u', spawnSync('id', ['-nu', owner]).stdout.toString().trim()] : []
  const child: ChildProcess = spawn('pgbouncer', [...asUser, join(folder, 'pgbouncer.ini')], {
    env: { PATH: `${process.env.PATH}:/usr/sbin` },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  t.after(async () => {
    if (child.exitCode === null) {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    await rm(folder, { recursive: true, force: true })
  })
  await until(`pgbouncer listens: ${output}`, () => output.includes('process up') || child.exitCode !== null)
  equal(child.exitCode, null, output)
  return `postgresql://${user}@127.0.0.1:${port}/${database}`
}

test('a pooler in transaction mode is recognized; session mode and PostgreSQL itself are not', { skip }, async (t) => {
  const database = await emptyTestDatabase()
  const other = await emptyTestDatabase()
  const transactions = await startPgbouncer(t, database.url, 'transaction')
  const sessions = await startPgbouncer(t, database.url, 'session')
  t.after(async () => {
    await database.drop()
    await other.drop()
  })
  const problem = (url: string, directUrl?: string) =>
    requireSessions(url, directUrl).then(
      () => '',
      (error: Error) => error.message,
    )
  match(await problem(transactions), /^DATABASE_URL: is a pooler in transaction mode; set DATABASE_DIRECT_URL/)
  equal(await problem(sessions), '')
  equal(await problem(database.url), '')
  equal(await problem(transactions, database.url), '')
  match(await problem(transactions, transactions), /^DATABASE_DIRECT_URL: is a pooler in transaction mode/)
  equal(await problem(transactions, other.url), 'DATABASE_DIRECT_URL: is another database than DATABASE_URL')
  match(await problem('postgresql://127.0.0.1:9/none'), /^DATABASE_URL: cannot connect to PostgreSQL: /)
})

test('the service works behind pgbouncer in transaction mode', { skip, timeout: 240_000 }, async (t) => {
  const database = await emptyTestDatabase()
  const pooled = await startPgbouncer(t, database.url, 'transaction')
  const settings = { DATABASE_URL: pooled, DATA_DIR: await folderFor(t) }

  const refused = await startProcess(t, settings)
  equal(await until('it has stopped', () => refused.child.exitCode), 1)
  match(refused.output(), /^Pennypost cannot start: DATABASE_URL: is a pooler in transaction mode/m)

  const direct = { ...settings, DATABASE_DIRECT_URL: database.url }
  const processes = await Promise.all([startProcess(t, direct), startProcess(t, direct)])
  t.after(() => database.drop())
  // The code comes by a job, which the worker hears of by NOTIFY.
  const [first, second] = processes.map(({ origin }) => origin) as [string, string]
  const token = await publishingKey(first)
  const author = createClient({ ...contract, ...developmentContract }, { baseUrl: first, token })
  // Many at the same time, so that transactions change sessions and prepared statements would meet.
  const created = await Promise.all(
    Array.from({ length: 60 }, (_, number) => author.createPost({ body: { title: `Draft ${number}` } })),
  )
  ok(created.every(({ status }) => status === 201))
  const reads = ['/', '/api/v1/posts/public', '/api/v1/me', '/search?q=engines', '/readyz']
  const statuses = await Promise.all(
    Array.from({ length: 150 }, async (_, number) => {
      const origin = number % 2 ? first : second
      const { status } = await fetch(origin + reads[number % reads.length], {
        headers: { authorization: `Bearer ${token}` },
      })
      return `${reads[number % reads.length]} ${status}`
    }),
  )
  const wrong = new Set(statuses.filter((line) => / 5\d\d$/.test(line)))
  equal(wrong.size, 0, [...wrong].join())
  const { body: ready } = { body: (await (await fetch(`${second}/readyz`)).json()) as { status: string } }
  equal(ready.status, 'ready')
  for (const running of processes) equal(await running.end('SIGTERM'), 0)
})
