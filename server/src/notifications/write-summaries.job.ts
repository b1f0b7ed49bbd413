import { amountOf, formatAmount } from '@pennypost/contract/money'
import { z } from 'zod'
import type { NotificationEvent } from './notification-event.ts'
import { notifyEach } from './notify.ts'
import type { Job, NotificationServices } from './services.ts'
import { computeGains, type Gains, type Period } from './summary-store.ts'

const payload = z.object({})
const dayMs = 24 * 3_600_000
const batchSize = 500
const smallestId = '00000000-0000-0000-0000-000000000000'

/** The feed gets a summary each day, email only each week. Both use the same kind and so the same pair of switches. */
const periods = {
  day: { lengthMs: dayMs, title: 'Your day on', channels: { email: false } },
  week: { lengthMs: 7 * dayMs, title: 'Your week on', channels: { inApp: false } },
}
/** The first summary of an account older than this is skipped: its totals grew over more than one period. */
const newAccountMs = 14 * dayMs

/**
 * Notifies creators of what they gained in a day or a week. The first period starts when the account is created. A
 * period without gains has no summary.
 */
export const writeSummaries: Job<typeof payload> = {
  name: 'write-summaries',
  payload,
  attempts: 5,
  every: 'hour',
  async run(services) {
    await writeSummariesOf(services, 'day')
    await writeSummariesOf(services, 'week')
  },
}

async function writeSummariesOf(services: NotificationServices, period: Period): Promise<void> {
  const now = services.clock.now()
  const { lengthMs, channels } = periods[period]
  const since = new Date(now.getTime() - lengthMs)
  const newSince = new Date(now.getTime() - newAccountMs)
  let after = smallestId
  for (let found = batchSize; found === batchSize; ) {
    const written = await services.db.transaction().execute(async (tx) => {
      const rows = await computeGains(tx, period, { since, newSince, now, after, limit: batchSize })
      const notices = rows.flatMap((gains) => {
        const body = gains.has_summary ? gainTexts(gains) : []
        if (body.length === 0) return []
        const recipient = { recipientId: gains.account_id, ...channels }
        return [{ event: summaryOf(period, gains.account_id, body, services), recipient }]
      })
      await notifyEach(tx, services, notices)
      return rows
    })
    found = written.length
    after = written.at(-1)?.account_id ?? after
  }
}

const summaryOf = (
  period: Period,
  accountId: string,
  texts: string[],
  { clock, site }: NotificationServices,
): NotificationEvent => ({
  kind: 'summary',
  origin: `summary:${period}:${accountId}:${clock.now().toISOString()}`,
  actorId: null,
  title: `${periods[period].title} ${site.settings().name}`,
  body: `${texts.join(', ')}.`,
  url: '/studio',
})

const counted = (count: number, one: string, many: string): string[] =>
  count === 0 ? [] : [`${count} ${count === 1 ? one : many}`]

const gainTexts = (gains: Gains): string[] => {
  const earned = [
    ...(gains.earned_raw === '0' ? [] : [`${formatAmount('XNO', amountOf('XNO', gains.earned_raw))} XNO`]),
    ...(gains.earned_atomic === '0' ? [] : [`${formatAmount('USDC', amountOf('USDC', gains.earned_atomic))} USDC`]),
  ]
  return [
    ...counted(gains.sales, 'sale', 'sales'),
    ...(earned.length === 0 ? [] : [`${earned.join(' and ')} earned`]),
    ...counted(gains.followers, 'new follower', 'new followers'),
    ...counted(gains.comments, 'new comment', 'new comments'),
  ]
}
