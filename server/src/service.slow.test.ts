import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createClient } from '@pennypost/contract/client'
import { contract, developmentContract } from '@pennypost/contract/contract'
import sharp from 'sharp'
import { SMTPServer } from 'smtp-server'
import { freePort } from './test/free-port.ts'
import { openEmptyLedger } from './test/nano-network.ts'
import { folderFor, publishingKey, type Running, startProcess } from './test/service-process.ts'
import { emptyTestDatabase } from './test/test-database.ts'
import { until } from './test/until.ts'

// The service as a process, started, killed and ended as an operator would. service.test.ts has the first start.

test('kill -9 leaves nothing that the next start trips over, and money where it was', async (t) => {
  const DATA_DIR = join(await folderFor(t), 'data')
  const first = await startProcess(t, { DATA_DIR })
  const clientOf = ({ origin }: Running) => createClient({ ...contract, ...developmentContract }, { baseUrl: origin })
  const to = 'nano_3i1aq1cchnmbn9x5rsbap8b15akfh7wj7pwskuzi7ahz8oq6cobd99d4r3b7'
  const { hash } = (await clientOf(first).sendFromNanoFaucet({ body: { to, amountRaw: '5' } })).body
  await first.end('SIGKILL')
  const next = await startProcess(t, { DATA_DIR })
  match(next.output(), /Pennypost is ready/)
  const { rpcUrl } = (await clientOf(next).readNanoLedger()).body
  const asked = { method: 'POST', body: JSON.stringify({ action: 'receivable', account: to }) }
  deepEqual(await (await fetch(rpcUrl, asked)).json(), { blocks: [hash] })
  equal(await next.end('SIGTERM'), 0)
})

test('a request under way is answered before the process ends', async (t) => {
  const DATA_DIR = join(await folderFor(t), 'data')
  const service = await startProcess(t, { DATA_DIR })
  const body = JSON.stringify({ advanceSeconds: 1 })
  const headers = { 'content-type': 'application/json', 'content-length': body.length, expect: '100-continue' }
  const sending = request(`${service.origin}/dev/clock`, { method: 'POST', headers })
  sending.flushHeaders()
  // The service has the request, and waits for its body.
  await once(sending, 'continue')
  const ended = service.end('SIGTERM')
  const refusesOthers = () =>
    fetch(`${service.origin}/healthz`).then(
      () => false,
      () => true,
    )
  await until('it accepts no further connection', refusesOthers)
  sending.end(body)
  const [response] = (await once(sending, 'response')) as [IncomingMessage]
  equal(response.statusCode, 200)
  equal(await ended, 0)
})

async function mailServer(t: TestContext): Promise<string> {
  const server = new SMTPServer({ authOptional: true })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  t.after(() => new Promise<void>((resolve) => server.close(() => resolve())))
  return `smtp://127.0.0.1:${(server.server.address() as { port: number }).port}`
}

async function startInProduction(t: TestContext, nanoRpcUrl: string): Promise<Running> {
  const database = await emptyTestDatabase()
  t.after(() => database.drop())
  return startProcess(t, {
    NODE_ENV: 'production',
    DATA_DIR: await folderFor(t),
    DATABASE_URL: database.url,
    BASE_URL: 'https://pennypost.example',
    SMTP_URL: await mailServer(t),
    MAIL_FROM: 'post@pennypost.example',
    NANO_RPC_URL: nanoRpcUrl,
  })
}

test('a service that lacks what it needs runs, and does not say that it is ready', async (t) => {
  const ofDevelopers = await openEmptyLedger(t)
  const service = await startInProduction(t, ofDevelopers.rpcUrl)
  match(
    service.output(),
    /Pennypost is running and waits .* \(nano-network\): see https:\/\/pennypost\.example\/readyz/,
  )
  equal((await fetch(`${service.origin}/readyz`)).status, 503)
  equal(await service.end('SIGTERM'), 0)
})

test('production has no development convenience', async (t) => {
  // Nobody is there: without a node the service is degraded, not down.
  const service = await startInProduction(t, `http://127.0.0.1:${await freePort()}`)
  match(service.output(), /Pennypost is ready: https:\/\/pennypost\.example/)
  for (const { method, path } of Object.values(developmentContract)) {
    equal((await fetch(service.origin + path, { method })).status, 404, path)
  }
  const openapi = (await (await fetch(`${service.origin}/openapi.json`)).json()) as { paths: object }
  deepEqual(
    Object.keys(openapi.paths).filter((path) => path.startsWith('/dev')),
    [],
  )
  const ready = await fetch(`${service.origin}/readyz`)
  equal(ready.status, 200)
  ok(((await ready.json()) as { degraded: string[] }).degraded.includes('nano'))
  equal(await service.end('SIGTERM'), 0)
})

test('production does not start without what it needs, and says what', async (t) => {
  const service = await startProcess(t, { NODE_ENV: 'production', DATA_DIR: await folderFor(t) })
  equal(service.output().trim(), 'Pennypost cannot start: SMTP_URL: is required in production')
  equal(service.child.exitCode, 1)
})

test('a DATA_DIR that cannot be used is said in one line', async (t) => {
  const file = join(await folderFor(t), 'file')
  await writeFile(file, '')
  const database = await emptyTestDatabase()
  t.after(() => database.drop())
  for (const settings of [{}, { DATABASE_URL: database.url }]) {
    const service = await startProcess(t, { ...settings, DATA_DIR: file })
    const lines = service
      .output()
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('{'))
    deepEqual(lines, [`Pennypost cannot start: DATA_DIR "${file}" is not a folder: choose another`])
    equal(service.child.exitCode, 1)
  }
})

test('a process without the secrets of its database is refused, and leaves no others behind', async (t) => {
  const database = await emptyTestDatabase()
  t.after(() => database.drop())
  const first = { DATA_DIR: await folderFor(t), DATABASE_URL: database.url }
  equal(await (await startProcess(t, first)).end('SIGTERM'), 0)
  const DATA_DIR = join(await folderFor(t), 'data')
  for (const ROLE of ['web', 'worker', 'all']) {
    const refused = await startProcess(t, { ...first, DATA_DIR, ROLE })
    match(refused.output(), /Pennypost cannot start: DATA_DIR: nano-seed is missing, and this database was used/)
    await rejects(stat(DATA_DIR), { code: 'ENOENT' })
  }
  const NANO_SEED = (await readFile(join(first.DATA_DIR, 'nano-seed'), 'utf8')).trim()
  const refused = await startProcess(t, { ...first, DATA_DIR, ROLE: 'web', NANO_SEED })
  match(refused.output(), /Pennypost cannot start: DATA_DIR: service-secret is missing, and this database was used/)
  await rejects(stat(DATA_DIR), { code: 'ENOENT' })
})

test('a port in use is said in one line, and nothing is left running', async (t) => {
  const blocker = createServer().listen(0, '127.0.0.1')
  await once(blocker, 'listening')
  t.after(() => blocker.close())
  const { port } = blocker.address() as { port: number }
  const DATA_DIR = join(await folderFor(t), 'data')
  const service = await startProcess(t, { DATA_DIR, PORT: String(port) })
  match(service.output(), /Pennypost cannot start: PORT: \d+ is in use/)
  const next = await startProcess(t, { DATA_DIR })
  equal(await next.end('SIGTERM'), 0)
})

test('a worker runs jobs and answers operators, nobody else', async (t) => {
  const database = await emptyTestDatabase()
  t.after(() => database.drop())
  const settings = { DATA_DIR: await folderFor(t), DATABASE_URL: database.url }
  const [web, worker] = [
    await startProcess(t, { ...settings, ROLE: 'web' }),
    await startProcess(t, { ...settings, ROLE: 'worker' }),
  ]
  const handle = '/api/profile/handle-availability?handle=ada_l'
  deepEqual([(await fetch(web.origin + handle)).status, (await fetch(worker.origin + handle)).status], [200, 404])
  for (const { origin } of [web, worker]) equal((await fetch(`${origin}/readyz`)).status, 200)
  equal(await web.end('SIGTERM'), 0)
  equal(await worker.end('SIGTERM'), 0)
})

test('two processes with one database share the limits of their callers', async (t) => {
  const database = await emptyTestDatabase()
  t.after(() => database.drop())
  const settings = { DATA_DIR: await folderFor(t), DATABASE_URL: database.url, ROLE: 'web' }
  const web = [await startProcess(t, settings), await startProcess(t, settings)]
  const asked = await Promise.all(
    Array.from({ length: 60 }, (_, index) => fetch(`${web[index % 2]!.origin}/api/posts/${randomUUID()}/reactions`)),
  )
  const statuses = asked.map(({ status }) => status)
  // Forty reads in ten seconds, whichever process they reach.
  deepEqual(
    [statuses.filter((status) => status === 404).length, statuses.filter((status) => status === 429).length],
    [40, 20],
  )
  for (const one of web) equal(await one.end('SIGTERM'), 0)
})

test('a mail server that falls silent does not hold up the end', async (t) => {
  let isCalled = false
  const silent = createServer(() => {
    isCalled = true
  }).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  t.after(() => silent.close())
  const SMTP_URL = `smtp://127.0.0.1:${(silent.address() as { port: number }).port}`
  const service = await startProcess(t, {
    DATA_DIR: join(await folderFor(t), 'data'),
    SMTP_URL,
    MAIL_FROM: 'post@pennypost.example',
  })
  const client = createClient(contract, { baseUrl: service.origin })
  const body = { email: 'ada@example.com', name: 'Ada', handle: 'ada_l', acceptedTerms: true as const }
  await client.startRegistration({ idempotencyKey: randomUUID(), body })
  await until('the mail server is called', () => isCalled)
  const asked = performance.now()
  equal(await service.end('SIGTERM'), 0)
  // Within ten seconds: a promise to operators, not a measure of this machine.
  ok(performance.now() - asked < 10_000)
})

test('while the embedded database is away requests get 503, and it comes back automatically', async (t) => {
  const DATA_DIR = join(await folderFor(t), 'data')
  const service = await startProcess(t, { DATA_DIR })
  const ask = () => fetch(`${service.origin}/api/profile/handle-availability?handle=ada_l`)
  equal((await ask()).status, 200)
  const { readFile } = await import('node:fs/promises')
  const postmaster = Number((await readFile(join(DATA_DIR, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0])
  process.kill(postmaster, 'SIGKILL')
  const seen = new Set<number>()
  for (let tries = 0; tries < 400; tries += 1) {
    const { status, headers } = await ask()
    seen.add(status)
    if (status === 503) ok(headers.get('retry-after'))
    if (status === 200 && seen.has(503)) break
    await wait(25)
  }
  deepEqual([...seen].sort(), [200, 503])
  // The queue is back too: a mail that is asked for now arrives, and readiness says so.
  const { idempotencyKey, body } = {
    idempotencyKey: randomUUID(),
    body: { email: 'ada@example.com', name: 'Ada', handle: 'ada_l', acceptedTerms: true as const },
  }
  const client = createClient({ ...contract, ...developmentContract }, { baseUrl: service.origin })
  await client.startRegistration({ idempotencyKey, body })
  let mails = 0
  for (let tries = 0; mails === 0 && tries < 400; tries += 1) {
    const reply = await client.readCapturedMail({ query: { to: 'ada@example.com' } })
    mails = (reply.body as { messages: unknown[] }).messages.length
    await wait(25)
  }
  equal(mails, 1)
  equal((await client.getReadiness()).status, 200)
  equal(await service.end('SIGTERM'), 0)
})

// Deaths at any moment; uploads/kills.slow.test.ts dies at chosen ones.
if (process.env.THOROUGH) {
  test('kill -9 in the middle of uploads and checks: none is lost, none is stuck, none is cleared unscreened', async (t) => {
    const DATA_DIR = join(await folderFor(t), 'data')
    let service = await startProcess(t, { DATA_DIR })
    const key = await publishingKey(service.origin)
    const operationIds: string[] = []
    const clientAt = (origin: string) =>
      createClient({ ...contract, ...developmentContract }, { baseUrl: origin, token: key })
    for (const delayMs of [0, 60, 250]) {
      const client = clientAt(service.origin)
      const image = await sharp({
        create: { width: 900, height: 900, channels: 3, background: { r: delayMs, g: 0, b: 0 } },
      })
        .png()
        .toBuffer()
      for (const upload of [client.uploadAvatar, client.uploadHeader]) {
        const body = new FormData()
        body.append('file', new Blob([new Uint8Array(image)], { type: 'image/png' }), 'a.png')
        const { safety } = (await upload({ idempotencyKey: randomUUID(), body })).body
        equal(safety.received, true)
        operationIds.push(safety.operationId)
      }
      await wait(delayMs)
      await service.end('SIGKILL')
      service = await startProcess(t, { DATA_DIR })
    }
    const client = clientAt(service.origin)
    const states: string[] = []
    for (const operationId of operationIds) {
      for (let attempt = 0; attempt < 300; attempt += 1) {
        const { status, body } = await client.getUploadOperation({ params: { operationId } })
        if (status === 200 && 'safety' in body) {
          states.push(body.safety.state)
          if (body.publicUrl) equal((await fetch(body.publicUrl)).status, 200)
          break
        }
        await wait(100)
      }
    }
    equal(states.length, operationIds.length, `${states}`)
    // The last of each target is shown; those before were replaced, cleared or not.
    deepEqual(states.slice(-2), ['cleared', 'cleared'])
    ok(
      states.every((state) => state === 'cleared' || state === 'cancelled'),
      `${states}`,
    )
    equal(await service.end('SIGTERM'), 0)
  })
}

test('a scanner that is away degrades the service and clears nothing', async (t) => {
  const service = await startProcess(t, {
    DATA_DIR: join(await folderFor(t), 'data'),
    CLAMAV_URL: `tcp://127.0.0.1:${await freePort()}`,
  })
  const token = await publishingKey(service.origin)
  const client = createClient(contract, { baseUrl: service.origin, token })
  const ready = await client.getReadiness()
  equal(ready.status, 200)
  deepEqual((ready.body as { degraded: string[] }).degraded, ['clamav'])
  const body = new FormData()
  const image = await sharp({ create: { width: 9, height: 9, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
  body.append('file', new Blob([new Uint8Array(image)], { type: 'image/png' }), 'a.png')
  const sent = await client.uploadAvatar({ idempotencyKey: randomUUID(), body })
  const params = { operationId: sent.body.safety.operationId }
  await until('the scanner is missed', () => service.output().includes('screener did not respond'))
  const { status, body: read } = await client.getUploadOperation({ params })
  equal(status, 202)
  ok('safety' in read && read.safety.state === 'checking' && read.publicUrl === null)
  equal(await service.end('SIGTERM'), 0)
})
