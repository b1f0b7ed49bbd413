import type { listSubscribers as declared } from '@pennypost/contract/subscribers'
import { z } from 'zod'
import { pageOf, readCursor } from '../platform/cursor.ts'
import type { Handler } from './services.ts'
import { listSubscriberRows, readSubscriberCount } from './subscriber-store.ts'

const Position = z.tuple([z.string().regex(/^[0-9]{1,18}$/)])

export const listSubscribers: Handler<typeof declared> = async ({ pool }, { caller, query }) => {
  const before = query.cursor === undefined ? undefined : readCursor(Position, query.cursor)[0]
  const [count, found] = await Promise.all([
    readSubscriberCount(pool, caller.accountId),
    listSubscriberRows(pool, caller.accountId, before, query.limit + 1),
  ])
  const { rows, pagination } = pageOf(found, query.limit, (last) => [last.position])
  const subscribers = rows.map(({ id, email, source, confirmed_at }) => ({
    id,
    email,
    source,
    subscribedAt: confirmed_at.toISOString(),
  }))
  return { status: 200, body: { count, subscribers, pagination } }
}
