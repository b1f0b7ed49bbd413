import { formatAmount } from '@pennypost/contract/money'
import { z } from 'zod'
import type { Job } from '../services.ts'
import type { News } from './news.ts'
import { type Gains, sumUp } from './summary-store.ts'
import { tellEach } from './tell.ts'

const payload = z.object({})
const weekMs = 7 * 24 * 3_600_000
const batch = 500
const beforeAll = '00000000-0000-0000-0000-000000000000'

/** Once a week, counted from when an account began: what a creator gained. Nothing gained, nothing said. */
export const writeSummaries: Job<typeof payload> = {
  name: 'write-summaries',
  payload,
  attempts: 5,
  every: 'hour',
  async run(services) {
    const now = services.clock.now()
    const since = new Date(now.getTime() - weekMs)
    const newSince = new Date(now.getTime() - 2 * weekMs)
    let after = beforeAll
    for (let found = batch; found === batch; ) {
      const summed = await services.db.transaction().execute(async (tx) => {
        const rows = await sumUp(tx, { since, newSince, now, after, most: batch })
        const told = rows.flatMap((gains) => {
          const body = gains.is_told ? gainWords(gains) : []
          if (body.length === 0) return []
          return [{ news: summaryOf(gains.account_id, body, now), recipient: { recipientId: gains.account_id } }]
        })
        await tellEach(tx, services, told)
        return rows
      })
      found = summed.length
      after = summed.at(-1)?.account_id ?? after
    }
  },
}

const summaryOf = (accountId: string, words: string[], now: Date): News => ({
  kind: 'summary',
  origin: `summary:${accountId}:${now.toISOString()}`,
  actorId: null,
  title: 'Your week on Pennypost',
  body: `${words.join(', ')}.`,
  url: '/studio',
})

const counted = (count: number, one: string, many: string): string[] =>
  count === 0 ? [] : [`${count} ${count === 1 ? one : many}`]

const gainWords = ({ sales, earned_raw: earnedRaw, followers, comments }: Gains): string[] => [
  ...counted(sales, 'sale', 'sales'),
  ...(earnedRaw === '0' ? [] : [`${formatAmount('XNO', BigInt(earnedRaw))} XNO earned`]),
  ...counted(followers, 'new follower', 'new followers'),
  ...counted(comments, 'new Comment', 'new Comments'),
]
