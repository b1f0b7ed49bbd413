import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { nameOf } from '../platform/backup/place.ts'
import { withClient } from '../platform/backup/tables.ts'
import { takeBackup } from '../platform/backup/take-backup.job.ts'
import { s3FileStore } from '../platform/files/s3-file-store.ts'
import { startS3Server } from '../platform/files/s3-server.fixture.ts'
import { folderFor, register, startProcess } from '../test/service-process.ts'
import { emptyTestDatabase } from '../test/test-database.ts'
import { until } from '../test/until.ts'
import { openWorld } from '../test/world.ts'
import { backUp } from './backup.ts'
import { reportBackup } from './doctor/report-backup.ts'
import { runPennypost, startPennypost } from './pennypost.fixture.ts'

const run = promisify(execFile)

async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const each of source) found.push(each)
  return found
}

async function openBucket(t: TestContext) {
  const folder = await folderFor(t)
  await mkdir(join(folder, 'bucket'))
  const bucket = await startS3Server(t, join(folder, 'bucket'))
  const { accessKeyId, secretAccessKey, endpoint, bucket: name } = bucket
  const url = `s3://${accessKeyId}:${secretAccessKey}@${new URL(endpoint).host}/${name}?tls=0`
  const store = s3FileStore(bucket)
  const keys = async () => (await all(store.list(''))).map(({ key }) => key)
  return { folder, url, store, keys }
}

/** A bucket that loses what one of its keys ends with. Everything else is passed on. */
async function losingBucket(t: TestContext, endpoint: string, ending: string): Promise<string> {
  const server = createServer((asked, reply) => {
    if (asked.method === 'GET' && asked.url!.split('?')[0]!.endsWith(ending))
      return void reply.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>')
    const { method, headers } = asked
    const passedOn = request(endpoint + asked.url, { method, headers }, (found) => {
      reply.writeHead(found.statusCode!, found.headers)
      found.pipe(reply)
    })
    asked.pipe(passedOn)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function keyIn(folder: string, name: string) {
  const identity = await generateX25519Identity()
  const file = join(folder, name)
  await writeFile(file, `${identity}\n`, { mode: 0o600 })
  return { file, recipient: await identityToRecipient(identity) }
}

/** Whether nothing was made in it. */
const isEmpty = (url: string) =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ tables: number }>(
      `SELECT count(*)::int AS tables FROM pg_class WHERE relnamespace = 'public'::regnamespace`,
    )
    return rows[0]!.tables === 0
  })

test('an encrypted backup in a bucket is restored; a damaged, unfinished or foreign one leaves the database empty', async (t) => {
  const { folder, url: BACKUP_URL, store, keys } = await openBucket(t)
  const [key, spare, stranger] = [
    await keyIn(folder, 'key'),
    await keyIn(folder, 'spare'),
    await keyIn(folder, 'stranger'),
  ]
  const BACKUP_RECIPIENTS = `${key.recipient},${spare.recipient}`
  const first = { DATA_DIR: join(folder, 'first'), BACKUP_URL, BACKUP_RECIPIENTS }
  const service = await startProcess(t, first)
  const { key: publishingKey } = await register(service.origin)
  await mkdir(join(first.DATA_DIR, 'objects/specimen'), { recursive: true })
  // More than one part of an upload.
  const large = Buffer.alloc(20 * 1024 * 1024, 'large')
  await writeFile(join(first.DATA_DIR, 'objects/specimen/a'), large)
  const taken = await runPennypost(first, 'backup', '--json')
  equal(taken.code, 0, taken.stderr)
  const { name, isEncrypted, removed } = JSON.parse(taken.stdout)
  deepEqual([isEncrypted, removed], [true, []])
  deepEqual((await readdir(first.DATA_DIR)).includes('tmp-backup'), false)
  equal(await service.end('SIGTERM'), 0)

  // Nobody learns anything from the bucket but how many tables there are, and how large.
  const seed = await readFile(join(first.DATA_DIR, 'nano-seed'), 'utf8')
  const stored = await keys()
  ok(stored.every((stored) => stored.endsWith('.age') || stored === `${name}/backup.json`))
  for (const each of stored) {
    const bytes = Buffer.concat(await all((await store.read(each))!))
    equal(bytes.includes(seed.trim()) || bytes.includes('@example.com') || bytes.includes(publishingKey), false, each)
  }
  // The standard tools open it.
  if (await run('age', ['--version']).catch(() => undefined)) {
    const archive = join(folder, 'files.tar.age')
    await writeFile(archive, Buffer.concat(await all((await store.read(`${name}/files.tar.age`))!)))
    await run('sh', ['-c', 'age -d -i "$0" "$1" | tar x -C "$2" nano-seed', spare.file, archive, folder])
    equal(await readFile(join(folder, 'nano-seed'), 'utf8'), seed)
  }

  const external = await emptyTestDatabase()
  t.after(() => external.drop())
  const second = { ...first, DATA_DIR: join(folder, 'second'), DATABASE_URL: external.url }
  const refuses = async (reason: RegExp, ...args: string[]) => {
    const { code, stdout, stderr } = await runPennypost(second, 'restore', '--yes', ...args)
    deepEqual([code, stdout], [1, ''], stderr)
    match(stderr, reason)
    equal(stderr.trim().split('\n').length, 1, stderr)
    ok(await isEmpty(external.url))
  }
  await refuses(/encrypted: name the file with your private key/)
  await refuses(/no private key in .*stranger opens this backup/, '--identity', stranger.file)
  await refuses(/there is no backup 2020/, '--name', '2020-01-01t00-00-00z', '--identity', key.file)
  const part = `${name}/database/accounts.copy.gz.age`
  const whole = Buffer.concat(await all((await store.read(part))!))
  const put = (stored: string, bytes: Buffer) =>
    store.put(
      stored,
      (async function* () {
        yield bytes
      })(),
    )
  await put(part, Buffer.concat([whole.subarray(0, -1), Buffer.of(whole.at(-1)! ^ 1)]))
  await refuses(/accounts\.copy\.gz\.age is damaged/, '--identity', key.file)
  await store.remove(part)
  await refuses(/accounts\.copy\.gz\.age is missing: the backup is not whole/, '--identity', key.file)
  await put(part, whole)
  const manifest = Buffer.concat(await all((await store.read(`${name}/backup.json`))!))
  await store.remove(`${name}/backup.json`)
  await refuses(/there is no whole backup/, '--identity', key.file)
  await put(`${name}/backup.json`, manifest)

  // A restore that is killed can be repeated. The second key works as well as the first.
  const killed = startPennypost(second, 'restore', '--yes', '--identity', spare.file)
  await until('it has begun', async () => (await readdir(second.DATA_DIR).catch(() => [])).length > 0)
  killed.child.kill('SIGKILL')
  await killed.ended
  const restored = await runPennypost(second, 'restore', '--yes', '--without-recovery', '--identity', spare.file)
  equal(restored.code, 0, restored.stderr)
  deepEqual(await readFile(join(second.DATA_DIR, 'objects/specimen/a')), large)
  const again = await startProcess(t, second)
  const me = await fetch(`${again.origin}/api/v1/me`, { headers: { authorization: `Bearer ${publishingKey}` } })
  equal(me.status, 200)
  equal(await again.end('SIGTERM'), 0)
  const secretInArgument = await runPennypost(second, 'backup', BACKUP_URL)
  deepEqual([secretInArgument.code, /BACKUP_URL/.test(secretInArgument.stderr)], [2, true])
})

test('the service makes backups when they are due, keeps as many as it should, and tells when they fail', async (t) => {
  const { folder, url: BACKUP_URL, keys } = await openBucket(t)
  const { recipient } = await keyIn(folder, 'key')
  const settings = { BACKUP_URL, BACKUP_RECIPIENTS: recipient, BACKUP_EVERY: '24h', BACKUP_KEEP: '2' }
  const world = await openWorld(t, { isolation: 'unmoved', settings })
  const { services } = world
  const { config, pool, db, clock } = services
  const hours = async (count: number, overrides = config.backup) => {
    await world.advance(count * 3600)
    await takeBackup.run({ ...services, config: { ...config, backup: overrides } }, {})
  }
  const names = async () => [...new Set((await keys()).map((key) => key.split('/')[0]!))].sort()
  // As a process that keeps its seed in DATA_DIR.
  const own = { ...config, nano: { ...config.nano, seed: undefined } }
  const findings = async (settings = own) => {
    const found: string[] = []
    const note = (state: string) => (detail: string) => void found.push(`${state}: ${detail}`)
    const report = { ok: note('ok'), warn: note('warn'), wrong: note('wrong'), skip: note('skip') }
    await reportBackup(report, db, settings, clock.now())
    return found
  }
  await hours(0, { ...config.backup, everyMs: undefined })
  deepEqual([await names(), await findings()], [[], ['warn: no backup was made with pennypost backup']])
  const begunAt = clock.now()
  await hours(0)
  const [first] = await names()
  ok(nameOf(begunAt) <= first! && first! <= nameOf(clock.now()), first)
  await hours(23)
  deepEqual(await names(), [first])
  deepEqual(await findings(), ['ok: the last backup is 23 hours old'])
  await hours(1)
  equal((await names()).length, 2)

  // One that fails leaves no remains and is reported until one succeeds.
  const { place } = config.backup
  const away = {
    ...config.backup,
    place: place?.kind === 's3' ? { ...place, bucket: { ...place.bucket, bucket: 'absent' } } : place,
  }
  await rejects(hours(24, away))
  const [failed, late] = await findings()
  match(failed!, /^wrong: the last backup failed .* ago: .*bucket/)
  equal(late, 'ok: the last backup is 24 hours old')
  await withClient(world.databaseUrl, async (other) => {
    await other.query('SELECT pg_advisory_lock(7065511103)')
    await rejects(hours(0), /another backup of this database is being made/)
  })
  equal((await names()).length, 2)
  await hours(0)
  deepEqual([(await names()).length, (await names()).includes(first!)], [2, false])
  deepEqual(await findings(), ['ok: the last backup is less than a minute old'])
  const { rows } = await pool.query('SELECT is_encrypted, size_bytes > 0 AS has_size FROM last_backup')
  deepEqual(rows, [{ is_encrypted: true, has_size: true }])
  // A seed that is elsewhere is in none of them.
  const withSigner = { ...own, signer: { ...own.signer, url: 'http://127.0.0.1:1' } }
  match(
    (await findings(withSigner)).at(-1)!,
    /^ok: the Nano seed is not in the backups: the signer has it\. Keep a copy/,
  )
  // The command is mistyped by hand; the service makes its own backups. Without BACKUP_EVERY, a timer may have run it.
  const inFile = { kind: 'folder', folder: join(folder, 'key', 'backups') } as const
  const { databaseUrl } = world
  const runsCommand = (backup: Partial<typeof config.backup>) =>
    backUp({ ...config, tracing: undefined, databaseUrl, backup: { ...config.backup, ...backup } }, 2)
  await rejects(runsCommand({ place: inFile }), { code: 'ENOTDIR' })
  await rejects(runsCommand({ everyMs: undefined, place: undefined }), /^StartError: BACKUP_URL: is not set/)
  equal((await findings())[0], 'ok: the last backup is less than a minute old')
  // A backup that is not there any longer when it is read back is no mistake of an operator.
  if (place?.kind !== 's3') throw new Error('the bucket')
  const endpoint = await losingBucket(t, place.bucket.endpoint, '/files.tar.age')
  const losing = { kind: 's3', bucket: { ...place.bucket, endpoint } } as const
  await rejects(runsCommand({ everyMs: undefined, place: losing }), /files\.tar\.age is missing/)
  match((await findings())[0]!, /^wrong: the last backup failed .* ago: .*files\.tar\.age is missing/)
  await rejects(runsCommand({ everyMs: undefined, place: inFile }), { code: 'ENOTDIR' })
  match((await findings())[0]!, /^wrong: the last backup failed .* ago: ENOTDIR/)
  await hours(27)
  deepEqual(
    (await keys()).filter((key) => !key.startsWith('2')),
    [],
  )
})
