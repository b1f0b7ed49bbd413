import { z } from 'zod'
import { removeEmptyGuests } from './account-store.ts'
import type { Job } from './services.ts'

const payload = z.object({})
const dayMs = 86_400_000
const keptDays = 30

/** Deletes anonymous accounts that are empty and have no live session, 30 days after they were created. */
export const forgetGuests: Job<typeof payload> = {
  name: 'forget-empty-guests',
  payload,
  attempts: 3,
  every: 'day',
  async run({ db, clock }) {
    const now = clock.now()
    await removeEmptyGuests(db, new Date(now.getTime() - keptDays * dayMs), now)
  },
}
