import { z } from 'zod'
import type { Tx } from '../../platform/database/database.ts'
import { enqueue } from '../../platform/jobs/job.ts'
import type { Job, Services } from '../../services.ts'
import { refundAt } from './session-rules.ts'
import { lockSession, moveSession, type SessionRow } from './session-store.ts'
import { settleSession } from './settle-session.ts'

const payload = z.object({ sessionId: z.uuid() })

/** A quote's hour is over; and an hour later what came for it and is not enough goes back. */
export const closeSession: Job<typeof payload> = {
  name: 'close-payment-session',
  payload,
  attempts: 20,
  async run(services, { sessionId }) {
    const { db, clock } = services
    await db.transaction().execute(async (tx) => {
      const session = (await lockSession(tx, sessionId))!
      const now = clock.now()
      const closed = (now >= session.expires_at && (await moveSession(tx, sessionId, 'expire', now))) || session
      if (await settleSession(services, tx, closed)) await closeLater(services, tx, closed)
    })
  },
}

export const closeKey = (sessionId: string): string => `payment-session:${sessionId}`

/** At the quote's end; or, when that is over, when parts go back. */
export const closeLater = ({ clock }: Pick<Services, 'clock'>, tx: Tx, session: SessionRow): Promise<void> => {
  const runAt = clock.now() < session.expires_at ? session.expires_at : refundAt(session)
  return enqueue(tx, clock, closeSession, { sessionId: session.id }, { key: closeKey(session.id), runAt })
}
