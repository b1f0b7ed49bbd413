import { z } from 'zod'
import { removeEmptyGuests } from './account-store.ts'
import type { Job } from './services.ts'

const payload = z.object({})
const dayMs = 86_400_000
const keptDays = 30

/** Anonymous accounts that have nothing, and that nobody can come back to. */
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
