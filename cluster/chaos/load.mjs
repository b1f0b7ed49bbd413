// The load besides purchases: readers, comments, uploads, new posts, and a probe that notices every outage.
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { Pennypost } from '../../sdk/dist/index.js'
import { fetchFrom, publish } from '../people.mjs'
import { picture } from '../picture.mjs'
import { persist } from './buyers.mjs'

const probeMs = 200
const probeTimeoutMs = 2_000
const imageEvery = 10

/** Readers who open pages, lists, searches, feeds and images, this many in a second. */
export async function readPages({ origin, postIds, kept, perSecond, tally, until }) {
  const fetch = tally.counted(fetchFrom())
  const paths = [
    ...['/', '/api/posts', '/api/posts?page=2', '/feed.xml', '/api/posts?q=engines', '/api/categories'],
    ...postIds.flatMap((id) => [`/posts/${id}`, `/api/posts/${id}`]),
  ]
  const open = new Set()
  for (let count = 0; !until.aborted; count += 1) {
    const image = count % imageEvery === 0 ? kept.images.at(-1) : undefined
    const path = image ? new URL(image).pathname : paths[count % paths.length]
    const reading = fetch(origin + path, { signal: AbortSignal.timeout(30_000) })
      .then((reply) => reply.arrayBuffer())
      .catch(() => {})
      .finally(() => open.delete(reading))
    open.add(reading)
    if (open.size > 200) await Promise.race(open)
    await wait(1_000 / perSecond)
  }
  await Promise.all(open)
}

/** People who write. What the service has acknowledged goes into `kept`, and must be there at the end. */
export async function writeThings({ origin, author, readers, postIds, kept, until }) {
  const pennypost = new Pennypost({ baseUrl: origin, publishingKey: author.key, fetch: author.fetch })
  const draft = await persist(() => pennypost.drafts.create({ title: 'Pictures' }), until)
  const repeat = async (everyMs, act) => {
    while (!until.aborted) {
      await act().catch(() => {})
      await wait(everyMs)
    }
  }
  await Promise.all([
    repeat(1_000, async () => {
      const reader = readers[kept.comments.length % readers.length]
      const params = { postId: postIds[kept.comments.length % postIds.length] }
      const body = { content: `Comment ${randomUUID()}` }
      const reply = await reader.session.addComment({ params, body, idempotencyKey: randomUUID() })
      kept.comments.push(reply.body.comment?.id ?? reply.body.id)
    }),
    repeat(5_000, async () => kept.posts.push(await publish(author, { title: `News ${randomUUID()}` }))),
    repeat(3_000, async () => {
      const image = await pennypost.images.upload(
        draft.id,
        `picture${kept.images.length}`,
        new Blob([await picture()]),
        {
          type: 'image/png',
          signal: AbortSignal.timeout(60_000),
        },
      )
      kept.images.push(image.publicUrl)
    }),
  ])
}

/** Reads and writes a little all the time. Returns the outages of each, with what was done to the cluster just before. */
export async function probe({ origin, author, faults, until }) {
  const watch = async (ask) => {
    const outages = []
    let since
    while (!until.aborted) {
      const began = Date.now()
      const works = await ask().then(
        () => true,
        () => false,
      )
      if (!works) since ??= began
      else if (since !== undefined) {
        outages.push({ seconds: (Date.now() - since) / 1_000, after: lastFault(faults, since) })
        since = undefined
      }
      await wait(Math.max(0, probeMs - (Date.now() - began)))
    }
    return outages
  }
  const get = async () => {
    const reply = await fetch(`${origin}/api/posts`, { signal: AbortSignal.timeout(probeTimeoutMs) })
    await reply.arrayBuffer()
    if (reply.status !== 200) throw new Error(String(reply.status))
  }
  const change = () =>
    Promise.race([
      author.author.updateProfile({ body: { bio: `Version ${randomUUID()}` } }),
      wait(probeTimeoutMs).then(() => Promise.reject(new Error('late'))),
    ])
  const [reads, writes] = await Promise.all([watch(get), watch(change)])
  return { reads, writes }
}

const lastFault = (faults, time) => faults.findLast(({ at }) => at <= time + probeMs)?.what ?? 'nothing'
