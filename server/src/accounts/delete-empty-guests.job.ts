import { z } from 'zod'
import { removeEmptyGuests } from './account-store.ts'
import type { Job } from './services.ts'

const payload = z.object({})
const dayMs = 86_400_000
const maxAgeDays = 30

/** Deletes anonymous accounts that are empty and have no live session, 30 days after they were created. */
export const deleteEmptyGuests: Job<typeof payload> = {
  name: 'delete-empty-guests',
  payload,
  attempts: 3,
  every: 'day',
  async run({ db, clock }) {
    const now = clock.now()
    await removeEmptyGuests(db, new Date(now.getTime() - maxAgeDays * dayMs), now)
  },
}
