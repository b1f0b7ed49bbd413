import { z } from 'zod'
import type { Job } from '../services.ts'
import { forgetNonces as forget } from './read-proof.ts'

const payload = z.object({})

export const forgetNonces: Job<typeof payload> = {
  name: 'forget-siwx-nonces',
  payload,
  every: 'hour',
  attempts: 3,
  run: async ({ db, clock }) => void (await forget(db, clock.now())),
}
