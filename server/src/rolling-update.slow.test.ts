import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { cp, symlink, writeFile } from 'node:fs/promises'
import { Agent, createServer, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createClient } from '@pennypost/contract/client'
import { contract, developmentContract, limitsByName } from '@pennypost/contract/contract'
import pg from 'pg'
import { price } from './payments/market.fixture.ts'
import { folderFor, type Running, register, startProcess } from './test/service-process.ts'
import { emptyTestDatabase } from './test/test-database.ts'
import { until } from './test/until.ts'

const checkEveryMs = 100

/** The simplest load balancer: it asks `/readyz`, keeps connections open, and retries nothing. */
async function startBalancer(t: TestContext) {
  const backends = new Map<string, { isReady: boolean; readonly agent: Agent }>()
  const failures: string[] = []
  let turn = 0
  let isStopped = false
  const check = async () => {
    while (!isStopped) {
      for (const [origin, backend] of backends) {
        const reply = await fetch(`${origin}/readyz`, { headers: { connection: 'close' } }).catch(() => undefined)
        backend.isReady = reply?.status === 200
      }
      await wait(checkEveryMs)
    }
  }
  const server = createServer((incoming, outgoing: ServerResponse) => {
    const ready = [...backends].filter(([, { isReady }]) => isReady)
    const chosen = ready[turn++ % Math.max(ready.length, 1)]
    if (!chosen) {
      failures.push(`${incoming.method} ${incoming.url}: no process is ready`)
      outgoing.writeHead(502).end()
      return
    }
    const [origin, { agent }] = chosen
    const { method, headers, url } = incoming
    const passed = request(`${origin}${url}`, { method, headers, agent }, (reply) => {
      if (reply.statusCode! >= 500) failures.push(`${method} ${url}: ${reply.statusCode} from ${origin}`)
      const { connection: _, ...others } = reply.headers
      outgoing.writeHead(reply.statusCode!, others)
      reply.pipe(outgoing)
      // A reply that was cut off must not look like one that is still to come.
      reply.on('close', () => reply.complete || outgoing.destroy())
    })
    passed.on('error', (error) => {
      // The client left.
      if (outgoing.destroyed) return
      failures.push(`${method} ${url}: ${error.message} from ${origin}`)
      if (!outgoing.headersSent) outgoing.writeHead(502)
      outgoing.end()
    })
    outgoing.on('close', () => passed.destroy())
    incoming.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const checking = check()
  t.after(async () => {
    isStopped = true
    await checking
    for (const { agent } of backends.values()) agent.destroy()
    server.closeAllConnections()
    server.close()
  })
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    failures,
    isReady: (origin: string) => backends.get(origin)?.isReady === true,
    add: (origin: string) => backends.set(origin, { isReady: false, agent: new Agent({ keepAlive: true }) }),
    remove: (origin: string) => backends.delete(origin),
  }
}

/** The service with one more migration, as the next version would have it. Returns its main program. */
async function nextVersion(t: TestContext): Promise<string> {
  const folder = await folderFor(t)
  const root = fileURLToPath(new URL('../..', import.meta.url))
  for (const part of ['server/bundle', 'server/dist'])
    await cp(join(root, part), join(folder, part), { recursive: true })
  await cp(join(root, 'server/src/migrations'), join(folder, 'server/src/migrations'), { recursive: true })
  await cp(join(root, 'server/package.json'), join(folder, 'server/package.json'))
  await cp(join(root, 'site/dist'), join(folder, 'site/dist'), { recursive: true })
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  await writeFile(
    join(folder, 'server/src/migrations/9001-next-version.sql'),
    `ALTER TABLE orders ADD COLUMN next_version text;
     ALTER TABLE posts ADD COLUMN next_version text;
     ALTER TABLE accounts ADD COLUMN next_version text NOT NULL DEFAULT 'none';
     ALTER TABLE comments ADD COLUMN next_version text;
     CREATE TABLE next_version (id bigint PRIMARY KEY);`,
  )
  return join(folder, 'server/bundle/main.js')
}

test('processes are replaced under load, with a migration, and no request fails', { timeout: 600_000 }, async (t) => {
  const database = await emptyTestDatabase()
  const balancer = await startBalancer(t)
  const settings = {
    DATABASE_URL: database.url,
    BASE_URL: balancer.origin,
    DATA_DIR: await folderFor(t),
    DRAIN_SECONDS: '3',
    DRAFTS_PER_ACCOUNT: '1000000',
    LIMITS: [...limitsByName.keys()].map((name) => `${name}=20000/1`).join(),
  }
  const next = await nextVersion(t)
  const start = async (program?: string): Promise<Running> => {
    const running = await startProcess(t, settings, program)
    match(running.output(), /Pennypost is ready/)
    balancer.add(running.origin)
    await until('the balancer sees it', () => balancer.isReady(running.origin))
    return running
  }
  const running = [await start(), await start()]
  t.after(() => database.drop())

  const clientOf = (token: string) =>
    createClient({ ...contract, ...developmentContract }, { baseUrl: balancer.origin, token })
  const registers = async () => {
    const { accessToken, key } = await register(balancer.origin)
    return { owner: clientOf(accessToken), publisher: clientOf(key), accessToken }
  }
  const author = await registers()
  const { faucet } = (await author.owner.readNanoLedger()).body
  await author.owner.savePayoutAddress({ body: { payoutAddress: faucet.address } })
  const post = {
    title: 'On engines',
    freeContentMarkdown: 'Free',
    paidContentMarkdown: 'Paid',
    enablePaywall: true,
    priceCurrency: 'XNO' as const,
    priceAtomic: String(price),
    category: 'technology',
    language: 'en',
    creationMethod: 'human' as const,
    creationAttested: true,
  }
  const { id: postId } = (await author.publisher.createPost({ body: post })).body
  await author.publisher.publishPost({ params: { postId } })
  const readers = await Promise.all([registers(), registers(), registers()])

  let isOver = false
  const counts = new Map<string, number>()
  const problems: string[] = []
  const loop = async (name: string, act: (round: number) => Promise<{ status: number }>, expected: number) => {
    for (let round = 0; !isOver; round += 1) {
      try {
        const { status } = await act(round)
        if (status !== expected) problems.push(`${name}: ${status}`)
        counts.set(name, (counts.get(name) ?? 0) + 1)
      } catch (error) {
        problems.push(`${name}: ${(error as Error).message}`)
      }
    }
  }
  const get = async (path: string) => {
    const reply = await fetch(balancer.origin + path)
    await reply.arrayBuffer()
    return reply
  }
  let quotes = 0
  const loops = [
    loop('page', () => get('/'), 200),
    loop('post', () => get(`/api/posts/${postId}/access`), 402),
    ...readers.flatMap(({ owner }, index) => [
      loop('me', () => owner.getMe(), 200),
      loop(
        'comment',
        (round) =>
          owner.addComment({
            params: { postId },
            body: { content: `Words ${index} ${round}` },
            idempotencyKey: randomUUID(),
          }),
        201,
      ),
      // An account may have 300 unpaid quotes.
      loop(
        'quote',
        async () => {
          quotes += 1
          if (quotes > 600) return get('/').then(() => ({ status: 201 }))
          return owner.createPurchase({ body: { postId }, idempotencyKey: randomUUID() })
        },
        201,
      ),
    ]),
    loop('draft', (round) => author.publisher.createPost({ body: { title: `Draft ${round}` } }), 201),
  ]
  // A stream is ended when its process goes, and can be opened again right away.
  const reader = readers[0]!
  const { purchase } = (await reader.owner.createPurchase({ body: { postId }, idempotencyKey: 'watched' })).body
  let streams = 0
  const stopped = new AbortController()
  const watching = (async () => {
    while (!isOver) {
      const reply = await fetch(`${balancer.origin}/api/v1/purchases/${purchase.id}`, {
        headers: { accept: 'text/event-stream', authorization: `Bearer ${reader.accessToken}` },
        signal: stopped.signal,
      })
      if (reply.status !== 200) problems.push(`stream: ${reply.status}`)
      streams += 1
      await reply.text()
    }
  })().catch((error: Error) => {
    if (!isOver) problems.push(`stream: ${error.message}`)
  })

  // The first new process migrates while the old ones serve.
  for (const old of running) {
    await start(next)
    equal(await old.end('SIGTERM'), 0, old.output().slice(-2_000))
    balancer.remove(old.origin)
  }
  // It may have been at the process that ended just now.
  await until('the stream was opened again', () => streams > 1)
  isOver = true
  stopped.abort()
  await Promise.all([...loops, watching])
  const warnings = running.flatMap((old) =>
    old
      .output()
      .split('\n')
      .filter((line) => line.includes('not available')),
  )
  deepEqual([problems.slice(0, 10), balancer.failures.slice(0, 10), warnings.slice(0, 10)], [[], [], []])
  for (const name of ['page', 'post', 'me', 'comment', 'quote', 'draft']) ok(counts.get(name)! > 0, name)
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  equal((await client.query(`SELECT FROM migrations WHERE name = '9001-next-version.sql'`)).rowCount, 1)
  await client.end()
  t.diagnostic(`${[...counts].map(([name, count]) => `${name} ${count}`).join(', ')}, ${streams} streams`)
})
