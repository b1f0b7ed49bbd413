import { z } from 'zod'
import type { Job } from '../../services.ts'
import { closeKey, closeLater } from './close-session.job.ts'
import { lastExpiryOfRefunds } from './session-rules.ts'
import { listForgottenSessions } from './session-store.ts'

const payload = z.object({})
const most = 500

/** Money whose time to go back is over goes back, whatever became of its session's job. */
export const closeForgotten: Job<typeof payload> = {
  name: 'close-forgotten-payment-sessions',
  payload,
  attempts: 3,
  every: '20 seconds',
  async run({ db, clock }) {
    const forgotten = await listForgottenSessions(db, lastExpiryOfRefunds(clock.now()), closeKey(''), most)
    for (const session of forgotten) await db.transaction().execute((tx) => closeLater({ clock }, tx, session))
  },
}
