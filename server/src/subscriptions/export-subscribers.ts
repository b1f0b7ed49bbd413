import { Readable } from 'node:stream'
import type { exportSubscribers as declared } from '@pennypost/contract/subscribers'
import type pg from 'pg'
import type { Handler } from './services.ts'
import { listSubscriberRows, type SubscriberRow } from './subscriber-store.ts'

const batchSize = 1_000

export const exportSubscribers: Handler<typeof declared> = async ({ pool, clock }, { caller }) => {
  const day = clock.now().toISOString().slice(0, 10)
  return {
    status: 200,
    headers: { 'content-disposition': `attachment; filename="subscribers-${day}.csv"` },
    body: Readable.from(subscriberLines(pool, caller.accountId)),
  }
}

/** A creator's subscribers as CSV, newest first. */
export async function* subscriberLines(pool: pg.Pool, creatorId: string): AsyncGenerator<string> {
  yield 'email,source,subscribed_at\r\n'
  let before: string | undefined
  for (;;) {
    const found = await listSubscriberRows(pool, creatorId, before, batchSize)
    if (found.length === 0) return
    yield found.map(lineOf).join('')
    before = found.at(-1)!.position
  }
}

// An address has no comma, quote or space. One that starts like a formula would be run by a spreadsheet.
const lineOf = ({ email, source, confirmed_at }: SubscriberRow): string =>
  `${/^[=+\-@]/.test(email) ? `'${email}` : email},${source},${confirmed_at.toISOString()}\r\n`
