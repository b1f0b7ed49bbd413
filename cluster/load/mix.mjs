// An open-loop load: requests begin at their time, whether or not earlier ones have got a reply, as with people.
import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

/** Almost every reply should be there by then. */
export const goalMs = 100
const tickMs = 10
/** With more than this many requests in progress, real users would have given up. */
const maxOpen = 4_000
const timeoutMs = 30_000

/** What people do, and how often out of a hundred times. */
export const createMix = ({ postIds, readers }) => {
  const any = (list) => list[Math.floor(Math.random() * list.length)]
  return [
    { name: "a post's page", share: 40, ask: () => ({ path: `/posts/${any(postIds)}` }) },
    { name: 'a post by API', share: 20, ask: () => ({ path: `/api/posts/${any(postIds)}` }) },
    { name: 'a list by API', share: 15, ask: () => ({ path: `/api/posts?page=${1 + Math.floor(Math.random() * 5)}` }) },
    { name: 'the home page', share: 6, ask: () => ({ path: '/' }) },
    {
      name: 'a search',
      share: 5,
      ask: () => ({ path: `/api/posts?q=${any(['engines', 'part', 'on', 'compilers'])}` }),
    },
    { name: 'RSS', share: 4, ask: () => ({ path: '/feed.xml' }) },
    { name: 'reactions of a post', share: 5, ask: () => ({ path: `/api/posts/${any(postIds)}/reactions` }) },
    {
      name: 'a comment',
      share: 3,
      ask: () => ({
        method: 'POST',
        path: `/api/v1/posts/${any(postIds)}/comments`,
        headers: { authorization: `Bearer ${any(readers).tokens.accessToken}`, 'idempotency-key': randomUUID() },
        body: { content: `Comment ${randomUUID()}` },
      }),
    },
    {
      name: 'a reaction',
      share: 2,
      ask: () => ({
        method: 'PUT',
        path: `/api/v1/posts/${any(postIds)}/reactions`,
        headers: { authorization: `Bearer ${any(readers).tokens.accessToken}` },
        body: { reaction: any(['heart', 'fire', 'clap']) },
      }),
    },
  ]
}

/** Sends the mix for some seconds. Returns the latencies and the kinds of replies. */
export async function sendMix(origin, mix, { perSecond, seconds }) {
  const agent = new Agent({ keepAlive: true, maxSockets: maxOpen })
  const lottery = mix.flatMap((kind) => Array.from({ length: kind.share }, () => kind))
  const latencies = []
  const byKind = new Map(mix.map(({ name }) => [name, []]))
  const statuses = {}
  const retryAfter = new Set()
  const open = new Set()
  let sent = 0
  let skipped = 0
  const began = performance.now()
  for (;;) {
    const elapsed = (performance.now() - began) / 1_000
    if (elapsed >= seconds) break
    for (; sent < elapsed * perSecond; sent += 1) {
      if (open.size >= maxOpen) {
        skipped += 1
        continue
      }
      const kind = lottery[Math.floor(Math.random() * lottery.length)]
      // When it should have begun: a generator that is late must not make replies look early.
      const dueAt = began + (sent / perSecond) * 1_000
      const asking = send(origin, agent, kind.ask(), sent).then(({ status, retry }) => {
        open.delete(asking)
        statuses[status] = (statuses[status] ?? 0) + 1
        if (status === 503 && retry) retryAfter.add(retry)
        if (kind.expects ? status === kind.expects : status >= 200 && status < 400) {
          latencies.push(performance.now() - dueAt)
          byKind.get(kind.name).push(performance.now() - dueAt)
        }
      })
      open.add(asking)
    }
    await wait(tickMs)
  }
  await Promise.all(open)
  agent.destroy()
  const p99Of = (list) => {
    list.sort((one, other) => one - other)
    return at(list, 0.99)
  }
  const p99ByKind = Object.fromEntries([...byKind].map(([name, list]) => [name, Math.round(p99Of(list))]))
  return { skipped, statuses, retryAfter: [...retryAfter], p99: p99Of(latencies), p99ByKind }
}

export const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

const send = (origin, agent, { method = 'GET', path, headers = {}, body }, number) =>
  new Promise((resolve) => {
    const text = body && JSON.stringify(body)
    const asking = request(
      origin + path,
      {
        method,
        agent,
        timeout: timeoutMs,
        headers: {
          // Each of many readers.
          'x-forwarded-for': `10.8.${(number >> 8) & 255}.${number & 255}`,
          ...headers,
          ...(text && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
        },
      },
      (reply) => {
        reply.resume()
        reply.on('end', () => resolve({ status: reply.statusCode, retry: reply.headers['retry-after'] }))
        reply.on('error', () => resolve({ status: 'broken' }))
      },
    )
    asking.on('timeout', () => asking.destroy())
    asking.on('error', () => resolve({ status: 'no connection' }))
    asking.end(text)
  })
