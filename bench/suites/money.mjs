import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, get } from 'node:http'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { workRootOf } from '../../nano/dist/block.js'
import { genesisHashes } from '../../nano/dist/genesis.js'
import { expectedHashes, isWorkEnough, workThresholds } from '../../nano/dist/work.js'
import { createWorkThreads } from '../../server/dist/rails/nano/work/work-threads.js'
import { inParallel } from '../in-parallel.mjs'
import { withClient } from '../postgres.mjs'
import { startService } from '../processes.mjs'
import { publishPost, sendJson } from '../publish-post.mjs'
import { register } from '../register.mjs'

// For a quick run: `BENCH_ORDERS=200 BENCH_PAYMENTS=20 BENCH_WORK_SALES=0 npm run bench -- money`.
const orders = Number(process.env.BENCH_ORDERS ?? 1_500)
const payments = Number(process.env.BENCH_PAYMENTS ?? 200)
const workSales = Number(process.env.BENCH_WORK_SALES ?? 3) // each takes a minute or two
const clients = 16
const ordersPerBuyer = 250 // an account may create 300 per minute
const price = 10n ** 27n

/** Orders, the time from a payment to access, and payouts, on the development ledger. */
export default {
  name: 'money',
  title: 'Money',
  async trials({ origin, databaseUrl }) {
    const creator = await register(origin)
    const node = await (await fetch(`${origin}/dev/nano`)).json()
    const posts = await sellPosts({ origin, databaseUrl, creator, node }, orders + 2 * payments)
    const buyers = []
    while (buyers.length < Math.ceil((orders + 2 * payments) / ordersPerBuyer)) buyers.push(await register(origin))
    let next = 0
    const order = (postId) => createPurchase(origin, buyers[Math.floor(next++ / ordersPerBuyer)].token, postId)

    const startedAt = performance.now()
    await inParallel(clients, posts.splice(0, orders), order)
    const ordersPerSecond = orders / ((performance.now() - startedAt) / 1000)

    const delays = await inParallel(1, posts.splice(0, payments), async (postId) =>
      payAndWait(origin, await order(postId)),
    )
    const payoutsPerSecond = await payTogether(
      origin,
      databaseUrl,
      await inParallel(clients, posts.splice(0, payments), order),
    )
    const hashes = await hashesPerSecond()
    const { send, receive } = workThresholds.live
    // A sale is one receive block and two send blocks, which are two payouts.
    const workSeconds = (expectedHashes(receive) + 2 * expectedHashes(send)) / 2 / hashes
    const expected = (1 / (workSeconds + 1 / payoutsPerSecond)).toFixed(4)
    const withWork = workSales > 0 ? await payWithWork({ origin, databaseUrl, node }) : undefined
    return [
      { label: `orders created per second, ${clients} clients`, ours: Math.round(ordersPerSecond) },
      {
        label: `from a payment's confirmation to access, ${payments} one after the other: ms`,
        ours: `p50 ${percentile(delays, 50).toFixed(0)}, p99 ${percentile(delays, 99).toFixed(0)}`,
      },
      { label: 'payouts confirmed per second, without proof of work', ours: payoutsPerSecond.toFixed(1) },
      {
        label: `the same with the live network's proof of work, ${workSales} sales on ${availableParallelism()} cores`,
        ours: withWork?.toFixed(4) ?? 'not measured',
        reference: `${expected} expected from ${(hashes / 1e6).toFixed(1)} million hashes per second`,
      },
    ]
  },
}

/** Publishes one post through the API and copies it with SQL. */
async function sellPosts({ origin, databaseUrl, creator, node }, count) {
  const { faucet } = node
  await sendJson(origin, 'PUT', '/api/v1/profile/payout-address', creator.token, { payoutAddress: faucet.address })
  const id = await publishPost(origin, creator, {
    freeContentMarkdown: 'Free',
    paidContentMarkdown: 'Paid',
    enablePaywall: true,
    priceCurrency: 'XNO',
    priceAtomic: String(price),
  })
  const { rows } = await withClient(databaseUrl, (client) =>
    client.query(
      `INSERT INTO posts SELECT (jsonb_populate_record(post, jsonb_build_object('id', gen_random_uuid(), 'slug', 'copy-' || n))).*
       FROM posts post, generate_series(1, $2::int) n WHERE post.id = $1 RETURNING id`,
      [id, count],
    ),
  )
  return rows.map((row) => row.id)
}

async function createPurchase(origin, token, postId) {
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${token}`,
    'idempotency-key': randomUUID(),
  }
  const init = { method: 'POST', headers, body: JSON.stringify({ postId }) }
  const reply = await fetch(`${origin}/api/v1/purchases/create`, init)
  if (reply.status !== 201) throw new Error(`no order: ${reply.status} ${await reply.text()}`)
  const { purchase } = await reply.json()
  return { id: purchase.id, address: purchase.ephemeral_address.ephemeral_address, token }
}

async function pay(origin, { address }) {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' } }
  const body = JSON.stringify({ to: address, amountRaw: String(price) })
  const reply = await fetch(`${origin}/dev/nano/send`, { ...init, body })
  if (!reply.ok) throw new Error(`not sent: ${reply.status} ${await reply.text()}`)
  return (await reply.json()).hash
}

/** Milliseconds from the confirmation of the payment to the event that says `received`. */
async function payAndWait(origin, purchase) {
  const received = new Promise((resolve, reject) => {
    const headers = { accept: 'text/event-stream', authorization: `Bearer ${purchase.token}` }
    const request = get(`${origin}/api/v1/purchases/${purchase.id}`, { headers }, (response) => {
      response.setEncoding('utf8').on('data', (text) => {
        if (!/"status":"(received|paid)"/.test(text)) return
        request.destroy()
        resolve(performance.now())
      })
    })
    request.on('error', (error) => error.code !== 'ECONNRESET' && reject(error))
  })
  await wait(50) // a reader takes longer to open a wallet
  await pay(origin, purchase)
  const paidAt = performance.now() + confirmationMs
  return Math.max(0, (await received) - paidAt)
}

const confirmationMs = 20 // of the development ledger

/** Pays all orders, and measures until every creator and the house have been paid. */
async function payTogether(origin, databaseUrl, purchases) {
  for (const purchase of purchases) await pay(origin, purchase)
  return withClient(databaseUrl, async (client) => {
    const ids = purchases.map(({ id }) => id)
    const query = `SELECT count(*) FILTER (WHERE state = 'confirmed')::int AS done,
      extract(epoch FROM max(confirmed_at) - min(created_at)) AS seconds FROM payouts WHERE order_id = ANY($1)`
    for (;;) {
      const { rows } = await client.query(query, [ids])
      if (rows[0].done === 2 * ids.length) return rows[0].done / rows[0].seconds
      await wait(100)
    }
  })
}

/**
 * Payouts per second of a service that generates the live network's proof of work. The development ledger requires less,
 * so every block is checked to have enough. A sale makes two payouts.
 */
async function payWithWork({ origin, databaseUrl, node }) {
  const live = await startLive(databaseUrl, node)
  try {
    const creator = await register(live.origin)
    const buyer = await register(live.origin)
    const posts = await sellPosts({ ...live, creator, node }, workSales)
    const purchases = await inParallel(1, posts, (postId) => createPurchase(live.origin, buyer.token, postId))
    const perSecond = await payTogether(origin, live.databaseUrl, purchases)
    const { rows } = await withClient(live.databaseUrl, (client) =>
      client.query('SELECT block, send_id IS NOT NULL AS sends FROM nano_blocks'),
    )
    for (const { block, sends } of rows) {
      const threshold = workThresholds.live[sends ? 'send' : 'receive']
      if (!isWorkEnough(workRootOf(block), block.work, threshold)) throw new Error('a block has too little work')
    }
    return perSecond
  } finally {
    await live.stop()
  }
}

async function startLive(databaseUrl, { rpcUrl, wsUrl }) {
  await withClient(databaseUrl, (client) => client.query('CREATE DATABASE bench_live'))
  const url = new URL(databaseUrl.replace('@/', '@socket/'))
  url.pathname = '/bench_live'
  const dataDir = mkdtempSync(join(tmpdir(), 'pennypost-bench-live-'))
  const own = { DATA_DIR: dataDir, DATABASE_URL: url.href.replace('@socket/', '@/') }
  const proxy = await claimLiveNetwork(rpcUrl)
  const service = await startService({ ...own, NANO_RPC_URL: proxy.url, NANO_WS_URL: wsUrl, NANO_NETWORK: 'live' })
  return {
    origin: service.origin,
    databaseUrl: own.DATABASE_URL,
    async stop() {
      await service.stop()
      proxy.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** A proxy in front of the ledger that claims to be on the live network: the service uses no node of another one. */
async function claimLiveNetwork(rpcUrl) {
  const claim = { network: 'live', network_identifier: genesisHashes.live }
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const reply = await (await fetch(rpcUrl, { method: 'POST', body })).text()
    const isVersion = JSON.parse(body).action === 'version'
    response.end(isVersion ? JSON.stringify({ ...JSON.parse(reply), ...claim }) : reply)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Hashes per second of all cores together, from searches of two million hashes each. */
async function hashesPerSecond() {
  const threads = createWorkThreads()
  const threshold = 2n ** 64n - 2n ** 43n
  const rounds = 24
  await threads.generate('A'.repeat(64), threshold)
  const startedAt = performance.now()
  for (let round = 0; round < rounds; round += 1) {
    await threads.generate(randomUUID().replaceAll('-', '').repeat(2).toUpperCase(), threshold)
  }
  const seconds = (performance.now() - startedAt) / 1000
  await threads.close()
  return (rounds * expectedHashes(threshold)) / seconds
}

const percentile = (figures, share) =>
  figures.toSorted((left, right) => left - right)[
    Math.min(figures.length - 1, Math.floor((figures.length * share) / 100))
  ]
