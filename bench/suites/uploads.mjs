import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { median } from '../median.mjs'
import { databaseNamed, withClient } from '../postgres.mjs'
import { processorSeconds, residentMemory, startService } from '../processes.mjs'
import { register } from '../register.mjs'

const partBytes = 5_242_880
const zipBytes = 2 * partBytes
const rounds = 5
const zipsPerRound = 8
const senders = 4
const inFlight = 50
const maxGrowthMegabytes = 64
const startedSeconds = 3
// The collection of an idle process comes in two steps, after ten seconds and four more.
const idleSeconds = 40

/**
 * ZIPs of 10 MiB in two parts: MB/s compared with a server that stores nothing, and with one that only checks and flushes what it
 * receives; and memory with 50 parts in flight. Measured twice, because a process that was idle has collected its garbage, and V8 treats its memory differently from then on.
 */
export default {
  name: 'uploads',
  title: 'Uploads',
  async trials({ databaseUrl, startServer }) {
    const name = 'bench_uploads'
    const folder = mkdtempSync(join(tmpdir(), 'pennypost-bench-uploads-'))
    await withClient(databaseUrl, async (client) => {
      await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
      await client.query(`CREATE DATABASE ${name}`)
    })
    const url = databaseNamed(databaseUrl, name)
    let service
    try {
      const references = {
        sink: await startServer('servers/sink.mjs'),
        durable: await startServer('servers/durable-sink.mjs', { folder }),
      }
      service = await startService({ DATA_DIR: folder, DATABASE_URL: url })
      await wait(startedSeconds * 1000)
      const started = await measureParts(service, url, references, `${startedSeconds} s after the start`)
      await wait(idleSeconds * 1000)
      return [...started, ...(await measureParts(service, url, references, `after ${idleSeconds} s of idling`))]
    } finally {
      await service?.stop()
      rmSync(folder, { recursive: true, force: true })
      await withClient(databaseUrl, (client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`))
    }
  },
}

async function measureParts({ origin, pid }, databaseUrl, { sink, durable }, when) {
  const bytes = randomBytes(partBytes)
  const zips = await reserveZips(origin, databaseUrl, (rounds + 1) * zipsPerRound + inFlight)
  const side = (server) => ({ ...server, speeds: [], processorMs: [] })
  const [ours, bare, flushed] = [side({ origin, pid }), side(sink), side(durable)]
  for (let round = 0; round <= rounds; round += 1) {
    const some = zips.slice(round * zipsPerRound, (round + 1) * zipsPerRound)
    for (const part of [1, 2]) {
      const transfers = await zips.authorize(some, part)
      const sentTo = (server) => transfers.map((transfer) => ({ ...transfer, url: server.origin }))
      for (const [server, sent] of [
        [ours, transfers],
        [bare, sentTo(bare)],
        [flushed, sentTo(flushed)],
      ]) {
        const before = processorSeconds(server.pid)
        const speed = await send(sent, bytes, senders)
        const after = processorSeconds(server.pid)
        if (round === 0) continue // the first round is the warm-up
        server.speeds.push(speed)
        server.processorMs.push(((after.process - before.process) * 1000) / sent.length)
      }
    }
  }
  const many = await zips.authorize(zips.slice(-inFlight), 1)
  const growth = await growthWhile(pid, () => send(many, bytes, inFlight))
  const ratioTo = (reference, { speeds } = ours) =>
    median(speeds.map((speed, index) => speed / reference.speeds[index]))
  const ratio = ratioTo(bare)
  const processorMs = ({ processorMs }) => mean(processorMs).toFixed(1)
  return [
    {
      label: `parts of 5 MiB, ${senders} at a time, stored durably, ${when}: MB/s`,
      ours: Math.round(median(ours.speeds)),
      reference: `${Math.round(median(bare.speeds))} (node:http that stores nothing), ratio ${ratio.toFixed(2)}`,
      goal: 'ratio 0.60',
      isMet: ratio >= 0.6,
    },
    {
      label: 'the same, compared with node:http that only checks, writes and flushes a part',
      ours: Math.round(median(ours.speeds)),
      reference: `${Math.round(median(flushed.speeds))}, ratio ${ratioTo(flushed).toFixed(2)}; it reaches ${ratioTo(bare, flushed).toFixed(2)} of the one that stores nothing`,
    },
    {
      label: 'the same: CPU ms per part',
      ours: processorMs(ours),
      reference: `${processorMs(bare)} and ${processorMs(flushed)}`,
    },
    {
      label: `${inFlight} parts in flight, ${when}: growth of the service's memory, MB`,
      ours: growth,
      goal: `under ${maxGrowthMegabytes}`,
      isMet: growth < maxGrowthMegabytes,
    },
  ]
}

/** Reserves ZIPs with SQL, because the API's limit is lower. `authorize` uses the API. */
async function reserveZips(origin, databaseUrl, count) {
  const { key, accountId } = await register(origin)
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const post = { title: 'Bench', enablePaywall: true, paidContentMarkdown: 'x' }
  const created = await fetch(`${origin}/api/v1/posts`, { method: 'POST', headers, body: JSON.stringify(post) })
  const { id: postId } = await created.json()
  const sha256 = createHash('sha256').update('').digest('hex')
  const zips = Array.from({ length: count }, () => randomUUID())
  await withClient(databaseUrl, async (client) => {
    for (const id of zips) {
      await client.query(
        `INSERT INTO upload_operations (id, account_id, target_kind, target_id, request_key, fingerprint, generation, size_bytes,
          sha256, content_type, policy_version, created_at, progress_at)
          VALUES ($1, $2, 'attachment', $3, $6, '', 1, $4, $5, 'application/zip', '', now(), now())`,
        [id, accountId, postId, zipBytes, sha256, id],
      )
      await client.query(
        `INSERT INTO attachments (id, operation_id, account_id, post_id, filename, is_legacy, created_at)
          VALUES (gen_random_uuid(), $1, $2, $3, 'bench.zip', false, now())`,
        [id, accountId, postId],
      )
      await client.query('INSERT INTO upload_parts (operation_id, number, length) VALUES ($1, 1, $2), ($1, 2, $2)', [
        id,
        partBytes,
      ])
    }
  })
  zips.authorize = (some, partNumber) =>
    Promise.all(
      some.map(async (id) => {
        const path = `/api/v1/posts/${postId}/attachments/uploads/${id}/transport`
        const reply = await fetch(origin + path, { method: 'POST', headers, body: JSON.stringify({ partNumber }) })
        const { transfer } = await reply.json()
        if (!transfer) throw new Error(`no transfer: ${reply.status}`)
        return { url: transfer.url.replace(/^http:\/\/[^/]+/, origin), headers: transfer.headers }
      }),
    )
  return zips
}

/** Sends all parts with a number of connections. Returns MB/s. */
async function send(transfers, bytes, connections) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const startedAt = performance.now()
  await Promise.all(transfers.map((transfer) => put(transfer, bytes, agent)))
  const seconds = (performance.now() - startedAt) / 1000
  agent.destroy()
  return (transfers.length * bytes.length) / 1e6 / seconds
}

async function put({ url, headers }, bytes, agent) {
  const sent = request(url, {
    method: 'PUT',
    agent,
    headers: { ...headers, 'content-type': 'application/octet-stream', 'content-length': bytes.length },
  })
  sent.end(bytes)
  const [reply] = await once(sent, 'response')
  reply.resume()
  await once(reply, 'end')
  if (reply.statusCode !== 200) throw new Error(`PUT returned ${reply.statusCode}`)
}

/** By how many MB a process grew at most while `act` ran. */
async function growthWhile(pid, act) {
  const total = () => residentMemory(pid)?.total ?? 0
  const before = total()
  let most = before
  const timer = setInterval(() => {
    most = Math.max(most, total())
  }, 20)
  await act()
  clearInterval(timer)
  return most - before
}

const mean = (figures) => figures.reduce((sum, figure) => sum + figure, 0) / figures.length
