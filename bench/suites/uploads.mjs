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
 * ZIPs of 10 MiB in two parts: MB/s compared with a server that stores nothing, and memory with 50 parts in flight. Measured
 * twice, because a process that was idle has collected its garbage, and V8 treats its memory differently from then on.
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
      const sink = await startServer('servers/sink.mjs')
      service = await startService({ DATA_DIR: folder, DATABASE_URL: url })
      await wait(startedSeconds * 1000)
      const started = await measureParts(service, url, sink, `${startedSeconds} s after the start`)
      await wait(idleSeconds * 1000)
      return [...started, ...(await measureParts(service, url, sink, `after ${idleSeconds} s of idling`))]
    } finally {
      await service?.stop()
      rmSync(folder, { recursive: true, force: true })
      await withClient(databaseUrl, (client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`))
    }
  },
}

async function measureParts({ origin, pid }, databaseUrl, sink, when) {
  const bytes = randomBytes(partBytes)
  const zips = await reserveZips(origin, databaseUrl, (rounds + 1) * zipsPerRound + inFlight)
  const [ours, bare] = [
    { pid, speeds: [], processorMs: [] },
    { pid: sink.pid, speeds: [], processorMs: [] },
  ]
  for (let round = 0; round <= rounds; round += 1) {
    const some = zips.slice(round * zipsPerRound, (round + 1) * zipsPerRound)
    for (const part of [1, 2]) {
      const transfers = await zips.authorize(some, part)
      const toSink = transfers.map((transfer) => ({ ...transfer, url: sink.origin }))
      for (const [side, sent] of [
        [ours, transfers],
        [bare, toSink],
      ]) {
        const before = processorSeconds(side.pid)
        const speed = await send(sent, bytes, senders)
        const after = processorSeconds(side.pid)
        if (round === 0) continue // the first round is the warm-up
        side.speeds.push(speed)
        side.processorMs.push(((after.process - before.process) * 1000) / sent.length)
      }
    }
  }
  const many = await zips.authorize(zips.slice(-inFlight), 1)
  const growth = await growthWhile(pid, () => send(many, bytes, inFlight))
  const ratio = median(ours.speeds.map((speed, index) => speed / bare.speeds[index]))
  const processorMs = (side) => mean(side.processorMs).toFixed(1)
  return [
    {
      label: `parts of 5 MiB, ${senders} at a time, stored durably, ${when}: MB/s`,
      ours: Math.round(median(ours.speeds)),
      reference: `${Math.round(median(bare.speeds))} (node:http that stores nothing), ratio ${ratio.toFixed(2)}`,
      goal: 'ratio 0.60',
      isMet: ratio >= 0.6,
    },
    { label: 'the same: CPU ms per part', ours: processorMs(ours), reference: processorMs(bare) },
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
