import { collectionPath, creatorPath } from '@pennypost/site/paths'
import { z } from 'zod'
import { postToPublicHost } from '../platform/outgoing/public-request.ts'
import { formats } from './get-feed.ts'
import type { Job } from './services.ts'
import { type ChangedPost, findTold, listChangedPosts, saveTold } from './websub-store.ts'

const payload = z.object({})

/** Changes are reported when they are this old: until then, an earlier one may still be committed. */
const settlingMs = 5_000
/** A change of which a hub could not be notified for this long is left to its own polling. */
const oldestMs = 3_600_000
const postsPerRun = 100
const topicsPerRun = 1_000
const topicsPerRequest = 100
const timeoutMs = 5_000

/**
 * Notifies the WebSub hub which feeds have changed. It is a hint: a hub that does not respond is asked again with the next run,
 * and readers of feeds without a hub miss nothing.
 */
export const pingHub: Job<typeof payload> = {
  name: 'ping-hub',
  payload,
  attempts: 3,
  every: '20 seconds',
  share: 'deliveries',
  async run({ db, clock, config, log, origins }) {
    const { webSubHub: hub } = config
    if (hub === undefined) return
    const now = clock.now().getTime()
    const told = await findTold(db, hub, inMicroseconds(now))
    const oldest = inMicroseconds(now - oldestMs)
    const isTooOld = told < oldest
    const after = isTooOld ? oldest : told
    const changed = await listChangedPosts(db, { after, upTo: inMicroseconds(now - settlingMs), limit: postsPerRun })
    const last = changed.at(-1)
    if (!last) return
    try {
      await notify(hub, topicsOf(changed, origins.base), config.environment !== 'production')
    } catch (error) {
      // This must not fail the job: it would be retried and end as a dead job that nobody can fix.
      log.warn({ cause: (error as Error).message }, 'the WebSub hub was not notified of changed feeds')
      return
    }
    await saveTold(db, hub, BigInt(last.updated_us))
  },
}

const inMicroseconds = (milliseconds: number): bigint => BigInt(milliseconds) * 1000n

/** The feeds that changed: those of the site and the authors first, then those of tags, as far as they fit. */
function topicsOf(changed: readonly ChangedPost[], origin: string): string[] {
  const pages = new Set([
    '',
    ...changed.map(({ handle }) => creatorPath(handle)),
    ...changed.flatMap(({ handle, slugs }) => slugs.map((slug) => collectionPath(handle, slug))),
  ])
  return [...pages]
    .flatMap((page) => Object.keys(formats).map((file) => `${origin}${page}/${file}`))
    .slice(0, topicsPerRun)
}

async function notify(hub: string, topics: readonly string[], allowLoopback: boolean): Promise<void> {
  for (let start = 0; start < topics.length; start += topicsPerRequest) {
    const form = new URLSearchParams({ 'hub.mode': 'publish' })
    for (const topic of topics.slice(start, start + topicsPerRequest)) form.append('hub.url', topic)
    const status = await postToPublicHost(hub, {
      target: 'websub',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: Buffer.from(form.toString()),
      timeoutMs,
      allowLoopback,
    })
    if (status < 200 || status > 299) throw new Error(`the hub replied with status ${status}`)
  }
}
