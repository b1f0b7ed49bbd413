import { z } from 'zod'
import type { Job } from '../services.ts'
import { deleteExpiredNonces } from './read-proof.ts'

const payload = z.object({})

export const deleteNonces: Job<typeof payload> = {
  name: 'delete-siwx-nonces',
  payload,
  every: 'hour',
  attempts: 3,
  run: async ({ db, clock }) => void (await deleteExpiredNonces(db, clock.now())),
}
