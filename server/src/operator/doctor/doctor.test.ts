import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { SMTPServer } from 'smtp-server'
import { readConfig } from '../../config.ts'
import { openMarketWithSigner, signerSecret } from '../../payments/signing/signer.fixture.ts'
import { markMoved } from '../../platform/database/moved-database.ts'
import { startS3Server } from '../../platform/files/s3-server.fixture.ts'
import { fingerprintOf, secretsFrom } from '../../platform/secrets.ts'
import { freePort } from '../../test/free-port.ts'
import { openNanoNetwork } from '../../test/nano-network.ts'
import { cloneTestDatabase, emptyTestDatabase } from '../../test/test-database.ts'
import { generateSecrets } from '../secrets.ts'
import { type Diagnosis, diagnose } from './doctor.ts'

const secret = 'ab'.repeat(32)

async function folderFor(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'pennypost-doctor-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function databaseFor(t: TestContext) {
  const database = await cloneTestDatabase()
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  t.after(async () => {
    await client.end()
    await database.drop()
  })
  return { url: database.url, client }
}

async function httpServer(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function tcpServer(t: TestContext, onSocket: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    onSocket(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** The findings of an area, as one text. */
const about = ({ findings }: Diagnosis, area: string): string =>
  findings
    .filter((finding) => finding.area === area)
    .map(({ state, detail, advice }) => `${state}: ${detail}${advice === undefined ? '' : ` -> ${advice}`}`)
    .join('\n')

test('a deployment that is right has no finding that is wrong', async (t) => {
  const [folder, network, database] = [await folderFor(t), await openNanoNetwork(t), await databaseFor(t)]
  const s3 = await startS3Server(t, join(folder, 's3'))
  const smtp = new SMTPServer({ authOptional: true, disabledCommands: ['STARTTLS'] })
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve))
  t.after(() => new Promise<void>((resolve) => smtp.close(() => resolve())))
  const rates = await httpServer(t, (_, response) => {
    const at = Math.floor(Date.now() / 1000) - 60
    response.end(JSON.stringify({ XNO: { usd: '1.25', at }, USDC: { usd: '1', at } }))
  })
  const facilitator = await httpServer(t, (request, response) => {
    const isAllowed = request.headers['x-api-key'] === 'sesame-open' && request.url === '/x402/supported'
    response.statusCode = isAllowed ? 200 : 401
    response.end(JSON.stringify({ kinds: [{ x402Version: 2, scheme: 'exact', network: 'eip155:8453' }] }))
  })
  const base = await httpServer(t, (_, response) => response.end('{"status":"ok"}'))
  const dataDir = join(folder, 'data')
  await mkdir(dataDir, { mode: 0o700 })
  await writeFile(join(dataDir, 'service-secret'), secret, { mode: 0o600 })
  await database.client.query('INSERT INTO service_secret (fingerprint) VALUES ($1)', [
    fingerprintOf(secretsFrom(secret)),
  ])
  const { bucket, accessKeyId, secretAccessKey } = s3
  const diagnosis = await diagnose({
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    BASE_URL: base,
    NANO_RPC_URL: network.rpcUrl,
    NANO_WS_URL: network.wsUrl,
    NANO_NETWORK: 'dev',
    NANO_SEED: secret,
    SMTP_URL: `smtp://127.0.0.1:${(smtp.server.address() as AddressInfo).port}`,
    MAIL_FROM: 'post@pennypost.test',
    OBJECT_STORE_URL: `s3://${accessKeyId}:${secretAccessKey}@${new URL(s3.endpoint).host}/${bucket}?tls=0`,
    RATES_URL: rates,
    FACILITATOR_URL: `${facilitator}/x402`,
    FACILITATOR_HEADER: 'X-API-Key: sesame-open',
  })
  const wrong = diagnosis.findings.filter(({ state }) => state === 'wrong').map(({ detail }) => detail)
  // The database of the tests flushes nothing.
  deepEqual(
    wrong.filter((detail) => !/^(fsync|full_page_writes) is off/.test(detail)),
    [],
  )
  match(about(diagnosis, 'secrets'), /ok: service-secret is there and belongs to this database/)
  match(about(diagnosis, 'file store'), /ok: S3 bucket pennypost: wrote, read and removed an object/)
  match(about(diagnosis, 'mail'), /ok: .* accepts our login/)
  match(about(diagnosis, 'facilitator'), /ok: .* settles USDC on Base/)
  match(about(diagnosis, 'rates'), /ok: .* 1 minutes old/)
  match(about(diagnosis, 'database'), /ok: all \d+ migrations are applied/)
  match(about(diagnosis, 'work'), /no backup was made(.|\n)*there was no audit yet/)
  match(about(diagnosis, 'public URL'), /ok: .* is ready/)
  match(about(diagnosis, 'nano node'), /ok: .* is on the dev network/)
})

test('it reports every setting that is wrong, those that contradict, misspelled ones and unsafe ones', async () => {
  const several = await diagnose({ PORT: 'x', HOST: '', LOG_LEVEL: 'loud', NODE_ENV: 'production', SMTP_ULR: 'x' })
  match(about(several, 'settings'), /PORT: must be a port/)
  match(about(several, 'settings'), /LOG_LEVEL: /)
  match(about(several, 'settings'), /BASE_URL: is required in production/)
  match(about(several, 'settings'), /warning: SMTP_ULR is not a setting -> Did you mean SMTP_URL\?/)
  equal(about(several, 'everything else'), 'skipped: correct the settings first')
  const two = await diagnose({ CAPTCHA_SECRET: 'x', DKIM_SELECTOR: 'a' })
  match(about(two, 'settings'), /DKIM_SELECTOR, DKIM_KEY_FILE: set both(.|\n)*CAPTCHA_URL, CAPTCHA_SECRET: set both/)
  equal(two.counts.wrong, 2)
  const open = await diagnose({ BASE_URL: 'https://192.0.2.1', DATA_DIR: '/nonexistent/x' }, 300)
  match(about(open, 'settings'), /wrong: NODE_ENV is not production: everyone can use \/dev/)
})

test('servers that hang are given up, whatever they are', async (t) => {
  const hangs = await httpServer(t, () => {})
  const port = await tcpServer(t, () => {})
  const begunAt = performance.now()
  const diagnosis = await diagnose(
    {
      DATA_DIR: await folderFor(t),
      DATABASE_URL: `postgresql://ada:hunter22@127.0.0.1:${port}/x`,
      REDIS_URL: `redis://:hunter22@127.0.0.1:${port}`,
      SMTP_URL: `smtp://ada:hunter22@127.0.0.1:${port}`,
      MAIL_FROM: 'post@pennypost.test',
      OBJECT_STORE_URL: `s3://key:hunter22@127.0.0.1:${port}/bucket?tls=0`,
      CLAMAV_URL: `tcp://127.0.0.1:${port}`,
      BASE_URL: hangs,
      NANO_RPC_URL: hangs,
      NANO_WS_URL: `ws://127.0.0.1:${port}`,
      NANO_WORK_URL: hangs,
      RATES_URL: hangs,
      FACILITATOR_URL: hangs,
      BASE_RPC_URL: hangs,
    },
    1_500,
  )
  ok(performance.now() - begunAt < 30_000)
  for (const area of ['database', 'work', 'redis', 'mail', 'file store', 'clamav', 'public URL', 'nano node', 'rates'])
    match(about(diagnosis, area), /^wrong: /m, area)
  for (const area of ['nano websocket', 'nano work server', 'facilitator', 'base node'])
    match(about(diagnosis, area), /^wrong: no answer within 1.5 seconds/m, area)
  ok(!JSON.stringify(diagnosis).includes('hunter22'))
})

test('servers that lie, break off or talk without end are wrong, and print neither secrets nor escapes', async (t) => {
  const replies = ['<html>\u001b[2J', '{"error":', '[]', 'null', '{"kinds":"x","result":{},"network":7}', '', 'endless']
  const isWrong = async (reply: string) => {
    const liar = await httpServer(t, (request, response) => {
      if (reply === 'endless') {
        const chunk = Buffer.alloc(1 << 16, 'x')
        const more = () => {
          while (response.write(chunk));
        }
        response.on('drain', more)
        return more()
      }
      if (reply === '') return request.socket.destroy()
      response.end(reply)
    })
    const port = await tcpServer(t, (socket) => socket.end(`\u001b[2J${reply}\r\n`))
    const key = 'verylongproviderkey0123'
    const diagnosis = await diagnose(
      {
        DATA_DIR: await folderFor(t),
        DATABASE_URL: `postgresql://ada:hunter22@127.0.0.1:${port}/x`,
        REDIS_URL: `redis://:hunter22@127.0.0.1:${port}`,
        SMTP_URL: `smtp://ada:hunter22@127.0.0.1:${port}`,
        MAIL_FROM: 'post@pennypost.test',
        CLAMAV_URL: `tcp://127.0.0.1:${port}`,
        BASE_URL: liar,
        NANO_RPC_URL: `${liar}/${key}`,
        NANO_WS_URL: `ws://127.0.0.1:${port}/${key}`,
        NANO_WORK_URL: `${liar}/${key}`,
        RATES_URL: `${liar}/?k=${key}`,
        FACILITATOR_URL: `${liar}/${key}`,
        BASE_RPC_URL: `${liar}/${key}`,
      },
      4_000,
    )
    const areas = ['database', 'redis', 'mail', 'clamav', 'public URL', 'nano node', 'nano websocket', 'rates']
    for (const area of [...areas, 'nano work server', 'facilitator', 'base node'])
      match(about(diagnosis, area), /^wrong: /m, `${area} of ${reply}`)
    const printed = JSON.stringify(diagnosis)
    ok(!/hunter22|verylongproviderkey|\\u001b/.test(printed), printed)
  }
  await Promise.all(replies.map(isWrong))
})

test('a database, secrets and a folder that are wrong are noticed', async (t) => {
  const [folder, database] = [await folderFor(t), await databaseFor(t)]
  const dataDir = join(folder, 'data')
  await mkdir(dataDir)
  await chmod(dataDir, 0o777)
  await writeFile(join(dataDir, 'service-secret'), secret, { mode: 0o644 })
  await writeFile(join(dataDir, 'nano-seed'), '0123456789', { mode: 0o600 })
  await database.client.query(`INSERT INTO service_secret (fingerprint) VALUES ('another one')`)
  await database.client.query(`INSERT INTO migrations VALUES ('9999-of-tomorrow.sql', now())`)
  t.after(() => database.client.query(`DELETE FROM migrations WHERE name = '9999-of-tomorrow.sql'`).catch(() => {}))
  await database.client.query(
    `INSERT INTO jobs (name, payload, run_at, attempts, max_attempts, dead_at) VALUES
       ('delete-expired', '{}', now() - interval '2 hours', 0, 5, NULL), ('delete-expired', '{}', now(), 5, 5, now())`,
  )
  await database.client.query(
    `INSERT INTO audit_runs (started_at, service_time, finished_at, findings) VALUES (now(), now(), now(), 3)`,
  )
  await database.client.query(
    `INSERT INTO last_backup (taken_at, row_count, file_count) VALUES (now() - interval '9 days', 1, 1)`,
  )
  const settings = { DATA_DIR: dataDir, DATABASE_URL: database.url, DATABASE_CONNECTIONS: '1000' }
  const diagnosis = await diagnose(settings, 10_000)
  match(about(diagnosis, 'data folder'), /wrong: other users can write into/)
  match(about(diagnosis, 'secrets'), /wrong: service-secret is not the one that this database was used with/)
  match(about(diagnosis, 'secrets'), /wrong: nano-seed is not a seed/)
  match(about(diagnosis, 'database'), /warning: it is being updated to a newer version: it has 9999-of-tomorrow/)
  match(
    about(diagnosis, 'database'),
    /wrong: a process with these settings opens up to 1011 connections, none is running/,
  )
  match(about(diagnosis, 'database'), /wrong: fsync is off/)
  match(about(diagnosis, 'work'), /wrong: jobs due: 1, the oldest for 2 hours/)
  match(about(diagnosis, 'work'), /wrong: dead jobs: 1/)
  match(about(diagnosis, 'work'), /wrong: the last audit, .* had 3 findings/)
  match(about(diagnosis, 'work'), /warning: the last backup is 9 days old/)
  match(about(diagnosis, 'work'), /warning: there is no administrator/)
  equal(about(diagnosis, 'file store'), 'skipped: the first upload creates DATA_DIR/objects')
  deepEqual((await readdir(dataDir)).sort(), ['nano-seed', 'service-secret'])
  await mkdir(join(dataDir, 'objects'))
  await chmod(dataDir, 0o700)
  match(
    about(await diagnose(settings, 10_000), 'file store'),
    /^ok: DATA_DIR\/objects: wrote, read and removed an object/,
  )
  // The probe is gone.
  deepEqual(await readdir(join(dataDir, 'objects')), [])
  ok(!JSON.stringify(diagnosis).includes(secret))
})

test('an unused database beside a DATA_DIR that was used is wrong, and beside a new one it is not', async (t) => {
  const [unused, migrated] = [await emptyTestDatabase(), await databaseFor(t)]
  t.after(() => unused.drop())
  const dataDir = await folderFor(t)
  const seen = async (DATABASE_URL: string, area: string) =>
    about(await diagnose({ DATA_DIR: dataDir, DATABASE_URL }, 10_000), area)
  await generateSecrets(readConfig({ DATA_DIR: dataDir }), undefined)
  // As what a check of the disk leaves.
  await mkdir(join(dataDir, 'objects'))
  await writeFile(join(dataDir, 'objects', '.probe'), '')
  await mkdir(join(dataDir, 'journal'))
  match(await seen(unused.url, 'database'), /skipped: it is empty: the first start prepares it/)
  const states = await seen(unused.url, 'secrets')
  match(states, /ok: service-secret is there, and this database was not used with one yet/)
  match(states, /ok: nano-seed is there, and this database was not used with one yet/)
  // A folder `postgres` without a password of ours is the one of another server.
  await mkdir(join(dataDir, 'postgres'))
  await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '')
  match(await seen(unused.url, 'database'), /skipped: it is empty: the first start prepares it/)
  await rm(join(dataDir, 'postgres'), { recursive: true })
  await writeFile(join(dataDir, 'postgres.password'), 'secret')
  for (const path of ['journal/2026-11-19-abcdef01.jsonl', 'objects/a', 'postgres/.', 'tmp/.']) {
    const [folder, file] = path.split('/') as [string, string]
    await mkdir(join(dataDir, folder), { recursive: true })
    if (file !== '.') await writeFile(join(dataDir, path), '')
    for (const url of [unused.url, migrated.url])
      match(
        await seen(url, 'database'),
        /^wrong: no service has used this database yet, but one has used .*there is .* -> Check DATABASE_URL\. .*restore a backup/m,
        path,
      )
    await rm(file === '.' ? join(dataDir, folder) : join(dataDir, path), { recursive: true })
  }
  await mkdir(join(dataDir, 'tmp'))
  const value = await readFile(join(dataDir, 'service-secret'), 'utf8')
  await migrated.client.query('INSERT INTO service_secret (fingerprint) VALUES ($1)', [
    fingerprintOf(secretsFrom(value)),
  ])
  match(await seen(migrated.url, 'database'), /ok: all \d+ migrations are applied/)
})

test('a database that was moved away is the reason why none is running', async (t) => {
  const dataDir = await folderFor(t)
  await markMoved(dataDir, 'pennypost at db.example', new Date(0))
  const seen = about(await diagnose({ DATA_DIR: dataDir }, 2_000), 'database')
  match(seen, /^wrong: DATABASE_URL: is not set, and the database in DATA_DIR was moved away \(.* at db\.example\)/)
})

test('what a start refuses about settings, it refuses too', async (t) => {
  const DATA_DIR = await folderFor(t)
  const seen = async (settings: Record<string, string>) =>
    about(await diagnose({ DATA_DIR, ...settings }, 2_000), 'settings')
  match(
    await seen({ JOBS_AT_ONCE: 'x=1', BACKUP_URL: join(DATA_DIR, 'backups') }),
    /^wrong: BACKUP_URL: must not be in DATA_DIR(.|\n)*^wrong: JOBS_AT_ONCE: there is no job or share x/m,
  )
  const mistyped = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02914'
  match(await seen({ USDC_ADDRESS: mistyped }), /^wrong: USDC_ADDRESS: the checksum is wrong/)
})

test('the form of a URL with a password is shown, and no password', async () => {
  const given = { OBJECT_STORE_URL: 's3://ada:hunter22@host', SMTP_URL: 'ada:hunter22', DATABASE_URL: 'x' }
  const seen = about(await diagnose(given, 2_000), 'settings')
  match(
    seen,
    /OBJECT_STORE_URL: must look like s3:\/\/key:secret@host:port\/bucket\?region=…&tls=0: the bucket is missing/,
  )
  match(seen, /SMTP_URL: must be a URL like smtps:\/\/user:password@mail\.example\.com:465/)
  match(seen, /DATABASE_URL: must be a URL like postgresql:\/\/user:password@host:5432\/database/)
  ok(!/hunter22|removed/.test(seen))
})

test('a DATA_DIR that nothing can be written into is wrong, whoever asks', {
  skip: !existsSync('/proc/self'),
}, async (t) => {
  const file = join(await folderFor(t), 'file')
  await writeFile(file, '')
  // Even root cannot create a file there.
  const refuses = await diagnose({ DATA_DIR: '/proc' }, 2_000)
  match(about(refuses, 'data folder'), /^wrong: nothing can be written into \/proc: E[A-Z]+: [a-z ]+ -> Mount it so/m)
  ok(!/GB are free/.test(about(refuses, 'data folder')))
  equal(about(refuses, 'file store'), 'skipped: nothing can be written into DATA_DIR: see the data folder')
  const isFile = await diagnose({ DATA_DIR: file }, 2_000)
  equal(about(isFile, 'data folder'), `wrong: ${file} is not a folder -> Choose another DATA_DIR.`)
  match(about(isFile, 'database'), /^wrong: DATA_DIR ".*file" is not a folder: choose another ->/)
  match(about(await diagnose({ DATA_DIR: join(file, 'data') }, 2_000), 'data folder'), /^wrong: ENOTDIR/)
  const isTooLong = await diagnose({ DATA_DIR: join(file, '..', 'a'.repeat(300)) }, 2_000)
  match(about(isTooLong, 'data folder'), /^wrong: ENAMETOOLONG/)
  match(about(isTooLong, 'database'), /^wrong: DATA_DIR .* cannot be used: ENAMETOOLONG/)
})

test('a BACKUP_URL that no backup can be written into is wrong', { skip: !existsSync('/proc/self') }, async (t) => {
  const folder = await folderFor(t)
  await writeFile(join(folder, 'file'), '')
  const seen = async (BACKUP_URL: string) =>
    about(await diagnose({ DATA_DIR: join(folder, 'data'), BACKUP_URL }, 2_000), 'backup place')
  equal(await seen(''), 'skipped: BACKUP_URL is not set')
  const [file, missing] = [join(folder, 'file'), join(folder, 'new', 'backups')]
  equal(await seen(file), `wrong: ${file} in BACKUP_URL is not a folder -> Choose another.`)
  match(await seen(join(file, 'backups')), /^wrong: nothing can be written into .*file, where BACKUP_URL is: ENOTDIR/)
  // Even root cannot create a file there.
  match(
    await seen('/proc/backups'),
    /^wrong: nothing can be written into \/proc, where BACKUP_URL is: E[A-Z]+: [a-z ]+ -> Let it/,
  )
  equal(await seen(missing), `ok: ${missing} in BACKUP_URL can be written to`)
  equal(await seen(folder), `ok: ${folder} in BACKUP_URL can be written to`)
  deepEqual(await readdir(folder), ['file'])
})

test('a list of known pictures that cannot be read is wrong', async (t) => {
  const folder = await folderFor(t)
  const path = join(folder, 'hashes')
  const seen = async () => about(await diagnose({ DATA_DIR: folder, PDQ_LIST: path }, 5_000), 'picture list')
  match(await seen(), /^wrong: ENOENT: .* -> Check PDQ_LIST: a file with one hash on each line/)
  await writeFile(path, `${'0'.repeat(64)}\nnot a hash\n`)
  match(await seen(), /^wrong: line 2 is not a hash -> Check PDQ_LIST/)
  await writeFile(path, `# known\n${'0'.repeat(64)}\n`)
  equal(await seen(), `ok: ${path} can be read`)
  match(about(await diagnose({ DATA_DIR: folder, PDQ_LIST: folder }, 5_000), 'picture list'), /^wrong: EISDIR/)
})

test('a key for DKIM that cannot be read is named once', async (t) => {
  const settings = { DATA_DIR: await folderFor(t), DKIM_SELECTOR: 'mail', DKIM_KEY_FILE: '/nothing/here' }
  match(about(await diagnose(settings, 2_000), 'secrets'), /^wrong: DKIM_KEY_FILE cannot read \/nothing\/here ->/m)
})

test('a replica that is away, or is no standby, is noticed', async (t) => {
  const dataDir = await folderFor(t)
  const database = await databaseFor(t)
  const seen = async (DATABASE_REPLICA_URL: string) =>
    about(await diagnose({ DATA_DIR: dataDir, DATABASE_REPLICA_URL }, 5_000), 'replica')
  equal(await seen(''), 'skipped: DATABASE_REPLICA_URL is not set')
  const away = await seen(`postgresql://nobody:${secret}@127.0.0.1:1/away`)
  match(
    away,
    /^wrong: connect ECONNREFUSED .* -> Check DATABASE_REPLICA_URL\. Until then the primary answers all reads\.$/,
  )
  match(await seen(database.url), /^warning: it is not a standby, so it is not read from ->/)
})

test('an embedded database that is not running is not started, and a missing folder not created', async (t) => {
  const folder = await folderFor(t)
  const diagnosis = await diagnose({ DATA_DIR: join(folder, 'data') }, 2_000)
  match(about(diagnosis, 'database'), /skipped: the embedded database is not running/)
  match(about(diagnosis, 'data folder'), /skipped: .* does not exist yet/)
  deepEqual(await readdir(folder), [])
})

test('before the first start nothing has to respond at the public URL, afterwards it has to', async (t) => {
  const used = await databaseFor(t)
  const fresh = await emptyTestDatabase()
  t.after(() => fresh.drop())
  const [folder, nobody] = [await folderFor(t), `http://127.0.0.1:${await freePort()}`]
  const proxy = await httpServer(t, (_, response) => response.writeHead(502).end('nobody is there'))
  const statesOf = async (BASE_URL: string, settings: Record<string, string>) =>
    about(await diagnose({ DATA_DIR: join(folder, 'data'), BASE_URL, ...settings }, 5_000), 'public URL')
  for (const url of [nobody, proxy]) {
    match(await statesOf(url, {}), /^skipped: nothing responds at .* yet/)
    match(await statesOf(url, { DATABASE_URL: fresh.url }), /^skipped: nothing responds at .* yet/)
    match(await statesOf(url, { DATABASE_URL: used.url }), /^wrong: /)
  }
  // What is wrong with the certificate, or here with TLS at all, is wrong before, too.
  match(await statesOf(proxy.replace('http:', 'https:'), {}), /^wrong: /)
})

test('it says whether the proxy passes on the address of the client', async (t) => {
  const settings = {
    DATA_DIR: await folderFor(t),
    NODE_ENV: 'production',
    DATABASE_URL: 'postgresql://127.0.0.1:1/x',
    NANO_RPC_URL: 'http://127.0.0.1:1',
    SMTP_URL: 'smtp://127.0.0.1:1',
    MAIL_FROM: 'post@pennypost.test',
  }
  /** A service behind a proxy, which takes this address for the client's. */
  const seen = (address: (claimed: string) => string) =>
    httpServer(t, (request, response) => {
      if (request.url === '/readyz') return response.end('{"status":"ok"}')
      response.setHeader('x-client-address', address(String(request.headers['x-forwarded-for'])))
      response.end('metrics')
    })
  const METRICS_TOKEN = 'a-token-of-the-metrics'
  const proxied = async (address: (claimed: string) => string) =>
    about(await diagnose({ ...settings, METRICS_TOKEN, BASE_URL: await seen(address) }, 4_000), 'public URL')
  match(await proxied(() => '203.0.113.9'), /the service sees this request come from 203\.0\.113\.9/)
  match(await proxied(() => '8.8.8.8'), /ok: the service sees this request come from 8\.8\.8\.8/)
  match(await proxied(() => '10.0.0.2'), /warning: the service sees this request come from 10\.0\.0\.2/)
  match(await proxied((claimed) => claimed), /wrong: a client can choose its own address/)
  match(await proxied(() => '<script>'), /skipped: .* does not show the address/)
  const open = await seen(() => '127.0.0.1')
  const withoutToken = async (BASE_URL: string) => about(await diagnose({ ...settings, BASE_URL }, 4_000), 'public URL')
  match(await withoutToken(open), /skipped: http:\/\/127.* is this machine: nothing can be said about a proxy/)
  // Is this machine too, but does not look like it.
  match(
    await withoutToken(open.replace('127.0.0.1', '0.0.0.0')),
    /wrong: the proxy does not set X-Forwarded-For, and \/metrics is public/,
  )
})

test('it says who can read the metrics, and whether the collector takes traces', async (t) => {
  const sent: unknown[] = []
  let status = 200
  const collector = await httpServer(t, (request, response) => {
    sent.push([request.method, request.url, request.headers['api-key']])
    response.writeHead(status).end('{}')
  })
  const settings = {
    DATA_DIR: await folderFor(t),
    BASE_URL: collector,
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector}/`,
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=sesame-open',
  }
  const seen = async (more: Record<string, string> = {}) =>
    about(await diagnose({ ...settings, ...more }, 2_000), 'metrics and traces')
  match(await seen(), /ok: only this machine can read \/metrics(.|\n)*ok: the collector at .* takes traces, 5 %/)
  deepEqual(
    sent.filter((call) => JSON.stringify(call).includes('traces')),
    [['POST', '/v1/traces', 'sesame-open']],
  )
  status = 401
  const refused = await diagnose({ ...settings, METRICS_TOKEN: 'a-token-of-the-metrics' }, 2_000)
  match(about(refused, 'metrics and traces'), /ok: METRICS_TOKEN is set(.|\n)*wrong: the collector .* refuses us/)
  ok(!JSON.stringify(refused).includes('sesame-open'))
  status = 404
  match(await seen(), /wrong: the collector .* replies with status 404 -> .*before \/v1\/traces/)
  match(await seen({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }), /wrong: fetch failed/)
  match(await seen({ OTEL_EXPORTER_OTLP_ENDPOINT: '' }), /ok: no traces are recorded/)
})

test('a signer is not asked for what the other roles need', async (t) => {
  const settings = { NODE_ENV: 'production', ROLE: 'signer', DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none' }
  const { findings } = await diagnose({
    ...settings,
    DATA_DIR: await folderFor(t),
    NANO_RPC_URL: 'http://127.0.0.1:1',
    SIGNER_SECRET: secret,
  })
  const about = findings.filter(({ area }) => area === 'settings').map(({ state, detail }) => `${state}: ${detail}`)
  deepEqual(about, [
    'ok: 6 settings are set; none is wrong, none contradicts another',
    'skipped: USDC is off: BASE_RPC_URL and FACILITATOR_URL are not set',
  ])
})

test('a signer is not asked for backups, and a web process for none of its own', async (t) => {
  const [{ url }, DATA_DIR] = [await databaseFor(t), await folderFor(t)]
  await writeFile(join(DATA_DIR, 'nano-seed'), secret, { mode: 0o600 })
  const signer = { ROLE: 'signer', NANO_RPC_URL: 'http://127.0.0.1:1', SIGNER_SECRET: secret }
  const seen = async (settings: Record<string, string>) =>
    about(await diagnose({ DATA_DIR, DATABASE_URL: url, ...settings }, 10_000), 'work')
  match(await seen({ ROLE: 'web' }), /no backup was made .* -> Set BACKUP_URL and BACKUP_EVERY for the workers,/)
  match(await seen({ ROLE: 'all' }), /no backup was made .* -> Set BACKUP_URL and BACKUP_EVERY, or run/)
  const asSigner = await seen(signer)
  match(asSigner, /ok: no job is dead/)
  ok(!/backup/i.test(asSigner), asSigner)
})

test('who has the keys is said: a signer that is away, a seed beside it, a web process that signs for itself', async (t) => {
  const { url } = await databaseFor(t)
  const dataDir = await folderFor(t)
  await writeFile(join(dataDir, 'nano-seed'), secret, { mode: 0o600 })
  const settings = { DATA_DIR: dataDir, DATABASE_URL: url }
  const statesOf = async (more: Record<string, string>) =>
    (await diagnose({ ...settings, ...more })).findings
      .filter(({ area }) => area === 'signer')
      .map(({ state, detail }) => `${state}: ${detail}`)
  deepEqual(await statesOf({ ROLE: 'web' }), ['warning: this process has the keys, and ROLE is web'])
  const [seed, away] = await statesOf({ ROLE: 'web', SIGNER_URL: 'http://127.0.0.1:9', SIGNER_SECRET: 'x'.repeat(32) })
  equal(seed, `wrong: ${dataDir} has a nano-seed`)
  match(away!, /^wrong: the signer: /)
})

test('the advice about a signer fits what it does: no reply, another secret, something else', async (t) => {
  const { url } = await databaseFor(t)
  const dataDir = await folderFor(t)
  let [status, body] = [401, '{"error":"SIGNER_SECRET is another one"}']
  const signerUrl = await httpServer(t, (_, response) => response.writeHead(status).end(body))
  const adviceFor = async (SIGNER_URL: string) => {
    const settings = { DATA_DIR: dataDir, DATABASE_URL: url, ROLE: 'web', SIGNER_URL, SIGNER_SECRET: 'x'.repeat(32) }
    const about = (await diagnose(settings)).findings.filter(({ area }) => area === 'signer')
    deepEqual(
      about.map(({ state }) => state),
      ['wrong'],
    )
    return about[0]!.advice!
  }
  match(await adviceFor('http://127.0.0.1:9'), /^Is the process with ROLE=signer running/)
  match(await adviceFor(signerUrl), /^It is running, and its SIGNER_SECRET differs from ours/)
  for ([status, body] of [
    [404, 'not here'],
    [200, 'hello'],
  ] as const)
    match(await adviceFor(signerUrl), /^Something else replies at SIGNER_URL/)
})

test('a signer that is connected to a copy of the database is noticed', async (t) => {
  const { world, signer } = await openMarketWithSigner(t)
  await signer.start()
  const copy = await databaseFor(t)
  const dataDir = await folderFor(t)
  const statesOf = async (DATABASE_URL: string) => {
    const settings = {
      DATA_DIR: dataDir,
      DATABASE_URL,
      ROLE: 'web',
      SIGNER_URL: signer.url,
      SIGNER_SECRET: signerSecret,
    }
    return about(await diagnose(settings), 'signer')
  }
  equal(/another database/.test(await statesOf(world.databaseUrl)), false)
  match(await statesOf(copy.url), /^wrong: the signer is connected to another database, perhaps to a copy/m)
  // A database that is away is not the signer's fault.
  const { host } = new URL(signer.url)
  equal(
    await statesOf('postgresql://127.0.0.1:1/away'),
    `ok: ${host} takes our SIGNER_SECRET\nskipped: the database was not asked whether the signer belongs to it`,
  )
})
