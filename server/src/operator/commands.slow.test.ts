import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { freePort } from '../test/free-port.ts'
import { folderFor, register } from '../test/service-process.ts'
import { cloneTestDatabase, emptyTestDatabase } from '../test/test-database.ts'
import { until } from '../test/until.ts'
import { runPennypost, type Started, startPennypost } from './pennypost.fixture.ts'

type Settings = Record<string, string>

/** Runs the service with the program, and waits until it is ready or has ended. */
async function serves(t: TestContext, settings: Settings, ...args: string[]): Promise<Started & { origin: string }> {
  const port = String(await freePort())
  const started = startPennypost({ PORT: port, ...settings }, 'serve', ...args)
  t.after(async () => {
    started.child.kill('SIGKILL')
    await started.ended
  })
  const isOver = () => started.child.exitCode !== null || started.child.signalCode !== null
  await until('the service is ready', () => started.output().includes('Pennypost is ready') || isOver())
  return { ...started, origin: `http://127.0.0.1:${port}` }
}

async function stops({ child, ended }: Started, signal: NodeJS.Signals): Promise<number | null> {
  child.kill(signal)
  return (await ended).code
}

test('serve runs the service, passes on signals and exit codes, and the other commands work beside it', async (t) => {
  const folder = await folderFor(t)
  const settings = { DATA_DIR: join(folder, 'data') }
  const service = await serves(t, settings)
  match(service.output(), /Pennypost is ready/)
  equal((await fetch(`${service.origin}/healthz`)).status, 200)
  const { accessToken } = await register(service.origin)
  const me = (await (
    await fetch(`${service.origin}/api/v1/me`, { headers: { authorization: `Bearer ${accessToken}` } })
  ).json()) as { profile: { handle: string } }
  const added = await runPennypost(settings, 'admin', 'add', me.profile.handle)
  equal(added.code, 0, added.stderr)
  equal((await runPennypost(settings, 'jobs', 'list')).code, 0)
  const doctor = await runPennypost({ ...settings, BASE_URL: service.origin }, 'doctor', '--json')
  deepEqual(
    JSON.parse(doctor.stdout).findings.filter(({ state }: { state: string }) => state === 'wrong'),
    [],
  )
  equal(doctor.code, 0)
  // A second one in the same folder does not start, and says why.
  const second = await runPennypost({ ...settings, PORT: String(await freePort()) }, 'serve')
  equal(second.code, 1)
  match(second.stderr, /^Pennypost cannot start: DATA_DIR .* has been in use by process/)
  const busy = await runPennypost({ ...settings, TARGET_DATABASE_URL: 'postgresql://127.0.0.1:1/x' }, 'move-database')
  equal(busy.code, 1)
  match(busy.stderr, /has been in use by process/)
  equal(await stops(service, 'SIGTERM'), 0)
  const again = await serves(t, settings)
  // A second signal changes nothing: it is stopping already.
  again.child.kill('SIGINT')
  equal(await stops(again, 'SIGINT'), 0)
  const stopped = await runPennypost(settings, 'secrets', 'list')
  equal(stopped.code, 0)
  match(stopped.stdout, /service-secret/)
})

test('the embedded database is moved to an external one and back, also after the move was killed', async (t) => {
  const [folder, external] = [await folderFor(t), await emptyTestDatabase()]
  t.after(() => external.drop())
  const settings = { DATA_DIR: join(folder, 'data'), BASE_URL: 'http://pennypost.test' }
  const first = await serves(t, settings)
  const { accessToken } = await register(first.origin)
  const isSignedIn = async ({ origin }: { origin: string }) =>
    (await fetch(`${origin}/api/v1/me`, { headers: { authorization: `Bearer ${accessToken}` } })).status === 200
  equal(await stops(first, 'SIGTERM'), 0)

  const out = { ...settings, TARGET_DATABASE_URL: external.url }
  for (const [signal, code] of [
    ['SIGKILL', null],
    ['SIGINT', 130],
  ] as const) {
    const move = startPennypost(out, 'move-database')
    await until('it writes into the target', () => isFilling(external.url, move))
    move.child.kill(signal)
    const ended = await move.ended
    if (ended.code !== 0) equal(ended.code, code, ended.stderr)
    await until('its transaction is over', async () => !(await isFilling(external.url, move, false)))
  }
  const [one, two] = await Promise.all([runPennypost(out, 'move-database'), runPennypost(out, 'move-database')])
  // The folder has one lock. A late command finds either the lock or everything done.
  ok(
    [one, two].some(({ code }) => code === 0),
    one.stderr + two.stderr,
  )
  const there = await runPennypost(out, 'move-database', '--json')
  deepEqual([there.code, JSON.parse(there.stdout).wasThere], [0, true])
  // Without DATABASE_URL, the service would go on with the old database.
  for (const command of [['serve'], ['backup', join(folder, 'old')]]) {
    const old = await runPennypost(settings, ...command)
    equal(old.code === 0, false, old.stdout)
    match(old.stderr, /DATABASE_URL: is not set, and the database in DATA_DIR was moved away/)
    ok(!old.stderr.includes(external.url), old.stderr)
  }

  const moved = await serves(t, { ...settings, DATABASE_URL: external.url })
  ok(await isSignedIn(moved), moved.output())
  const busy = await runPennypost({ ...settings, DATABASE_URL: external.url }, 'move-database', '--to', 'embedded')
  equal(busy.code, 4)
  match(busy.stderr, /A service or a command is using the source/)
  const other = await register(moved.origin)
  equal(await stops(moved, 'SIGTERM'), 0)

  const back = { ...settings, DATABASE_URL: external.url }
  const full = await runPennypost(back, 'move-database', '--to', 'embedded')
  equal(full.code, 4)
  match(full.stderr, /The target is not empty/)
  await mkdir(join(folder, 'away'))
  await rename(join(settings.DATA_DIR, 'postgres'), join(folder, 'away', 'postgres'))
  const returned = await runPennypost(back, 'move-database', '--to', 'embedded')
  equal(returned.code, 0, returned.stderr)
  const last = await serves(t, settings)
  ok(await isSignedIn(last), last.output())
  const me = await fetch(`${last.origin}/api/v1/me`, { headers: { authorization: `Bearer ${other.accessToken}` } })
  equal(me.status, 200)
  equal(await stops(last, 'SIGTERM'), 0)
})

/** Whether a move has a transaction open in the database; or the command has ended. */
async function isFilling(url: string, { child }: Started, orEnded = true): Promise<boolean> {
  if (orEnded && child.exitCode !== null) return true
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rowCount } = await client.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'pennypost move'
         AND xact_start IS NOT NULL AND query ~ '^(COPY|ALTER|TRUNCATE)'`,
    )
    return rowCount !== 0
  } finally {
    await client.end()
  }
}

test('a large table is moved without being held in memory', async (t) => {
  const [source, target, folder] = [await emptyTestDatabase(), await emptyTestDatabase(), await folderFor(t)]
  t.after(async () => {
    await source.drop()
    await target.drop()
  })
  const settings = { DATA_DIR: folder, DATABASE_URL: source.url, BASE_URL: 'http://pennypost.test' }
  const service = await serves(t, settings)
  equal(await stops(service, 'SIGTERM'), 0)
  const client = new pg.Client({ connectionString: source.url })
  await client.connect()
  await client.query(
    `INSERT INTO audit_log (at, act, target_kind, target_id, details)
     SELECT now(), 'x.y', 'account', n::text, jsonb_build_object('note', repeat(md5(n::text), 64))
     FROM generate_series(1, 150000) n`,
  )
  await client.end()
  const move = startPennypost({ ...settings, TARGET_DATABASE_URL: target.url }, 'move-database', '--json')
  let maxKilobytes = 0
  const watching = setInterval(async () => {
    const status = await readFile(`/proc/${move.child.pid}/status`, 'utf8').catch(() => '')
    maxKilobytes = Math.max(maxKilobytes, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0))
  }, 50)
  const { code, stdout, stderr } = await move.ended
  clearInterval(watching)
  equal(code, 0, stderr)
  ok(JSON.parse(stdout).rows > 150_000)
  // 300 MB were copied.
  ok(maxKilobytes < 250 * 1024, `${maxKilobytes} KB`)
  t.diagnostic(`the process had ${Math.round(maxKilobytes / 1024)} MB at most`)
})

test('every command has its output, its JSON and its exit codes', async (t) => {
  const [folder, database, target] = [await folderFor(t), await cloneTestDatabase(), await emptyTestDatabase()]
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  t.after(async () => {
    await client.end()
    await database.drop()
    await target.drop()
  })
  await client.query(
    `INSERT INTO accounts (id, name, handle, author_kind, created_at) VALUES (gen_random_uuid(), 'Ada', 'ada', 'human', now())`,
  )
  await client.query(
    `INSERT INTO jobs (name, payload, run_at, attempts, max_attempts, last_error, dead_at)
     VALUES ('delete-expired', '{}', now(), 5, 5, E'\\x1b[2J postgresql://a:sesame@h/x', now())`,
  )
  const settings = { DATA_DIR: join(folder, 'data'), DATABASE_URL: database.url }
  const file = join(folder, 'settings.env')
  await writeFile(file, `# settings\nDATA_DIR="${settings.DATA_DIR}"\nDATABASE_URL='${settings.DATABASE_URL}'\n`)
  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await runPennypost({}, ...args, '--json', '--settings', file)
    return { code, value: stdout === '' ? undefined : JSON.parse(stdout), error: stderr && JSON.parse(stderr).error }
  }

  const added = await runPennypost(settings, 'admin', 'add', '@ada')
  deepEqual(added, { code: 0, stdout: '@ada is now an administrator.\n', stderr: '' })
  const admins = await json('admin', 'list')
  deepEqual([admins.code, admins.value.administrators[0].handle], [0, 'ada'])
  const last = await json('admin', 'remove', 'ada')
  deepEqual([last.code, last.error.code, last.error.message], [4, 'refused', '@ada is the only administrator.'])

  const [dead, jobs] = [await json('jobs', 'dead'), await runPennypost(settings, 'jobs', 'dead')]
  equal(dead.value.jobs[0].error.includes('sesame'), false)
  ok(!jobs.stdout.includes('sesame') && !jobs.stdout.includes('\u001b'), jobs.stdout)
  const unconfirmed = await json('jobs', 'drop', '--kind', 'delete-expired')
  deepEqual([unconfirmed.code, unconfirmed.error.code], [2, 'not-confirmed'])
  equal((await json('jobs', 'retry')).code, 2)
  deepEqual((await json('jobs', 'drop', dead.value.jobs[0].id, '--yes')).value, { count: 1 })

  const nothing = await runPennypost(settings, 'restore', join(folder, 'nowhere'), '--yes')
  equal(nothing.code, 1)
  match(nothing.stderr, /nowhere is not a folder/)

  const made = await json('secrets', 'generate')
  deepEqual((await readdir(settings.DATA_DIR)).sort(), ['nano-seed', 'service-secret'])
  deepEqual([made.code, made.value.secrets[0].isNew], [0, true])
  equal((await json('secrets', 'check')).code, 0)

  const taken = await json('backup', join(folder, 'backup'))
  const unasked = await runPennypost(settings, 'restore', join(folder, 'backup'))
  equal(unasked.code, 2)
  match(unasked.stderr, /There is no terminal to confirm the restore into/)
  deepEqual([taken.code, taken.value.files], [0, 2])
  const doctor = await json('doctor', '--timeout', '20')
  equal(doctor.code, 1)
  const details = doctor.value.findings.map(
    ({ area, state, detail }: Record<string, string>) => `${area} ${state} ${detail}`,
  )
  ok(details.includes('work ok the last backup is less than a minute old'), details.join('\n'))

  const untold = await json('move-database')
  deepEqual([untold.code, untold.error.code], [2, 'wrong-usage'])
  const used = await runPennypost({ ...settings, TARGET_DATABASE_URL: database.url }, 'move-database')
  equal(used.code, 4)
  match(used.stderr, /The target is the source/)
  const moved = await runPennypost({ ...settings, TARGET_DATABASE_URL: target.url }, 'move-database', '--json')
  equal(moved.code, 0, moved.stderr)
  match(JSON.parse(moved.stdout).next, /^Now set DATABASE_URL/)
})
