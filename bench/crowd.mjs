import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { evenly, summaryOf } from './evenly.mjs'
import { sendJson } from './publish-post.mjs'

// A crowd: readers, each of whom comes from another address and opens another page, and writers, who publish and comment in turns.

process.on('disconnect', () => process.exit())
process.on('message', async (load) => process.send(await readAndWrite(load)))
process.send({})

const agent = new Agent({ keepAlive: true, maxSockets: 100 })
/** The service believes this header, because it takes us for a proxy on the same machine. */
const from = (number) => ({ 'x-forwarded-for': `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}` })

async function readAndWrite({
  origin,
  posts,
  writers,
  draft,
  readersPerSecond,
  writersPerSecond,
  seconds,
  leadSeconds,
}) {
  const times = { page: [], publishing: [], comment: [] }
  const countsFrom = performance.now() + leadSeconds * 1000
  const count = (kind, since) => {
    if (since >= countsFrom) times[kind].push(performance.now() - since)
  }
  const failures = {}
  const note = (error) => {
    failures[error.message] = (failures[error.message] ?? 0) + 1
  }
  const open = (dueAt, number) =>
    openPage(new URL(posts[number % posts.length].path, origin), from(number)).then(() => count('page', dueAt), note)
  const write = async (dueAt, number) => {
    const writer = number % writers.length
    const { key, token } = writers[writer]
    const isComment = number % 2 === 1
    try {
      if (isComment) {
        const path = `/api/v1/posts/${posts[number % posts.length].id}/comments`
        const content = 'What a crowd says. '.repeat(5)
        const headers = { ...from(writer), 'idempotency-key': randomUUID() }
        await sendJson(origin, 'POST', path, token, { content }, headers)
        count('comment', dueAt)
      } else {
        const { id } = await sendJson(origin, 'POST', '/api/v1/posts', key, draft, from(writer))
        const startedAt = performance.now()
        await sendJson(origin, 'POST', `/api/v1/posts/${id}/publish`, key, {}, from(writer))
        count('publishing', startedAt)
      }
    } catch (error) {
      note(error)
    }
  }
  await Promise.all([evenly(readersPerSecond, seconds, open), evenly(writersPerSecond, seconds, write)])
  return { ...Object.fromEntries(Object.entries(times).map(([kind, list]) => [kind, summaryOf(list)])), failures }
}

const openPage = (url, headers) =>
  new Promise((resolve, reject) => {
    const sent = request(url, { agent, headers }, (reply) => {
      reply.resume()
      reply.on('end', () => (reply.statusCode === 200 ? resolve() : reject(new Error(`${reply.statusCode} of a page`))))
    })
    sent.on('error', reject)
    sent.end()
  })
