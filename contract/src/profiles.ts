import { z } from 'zod'
import { endpoint } from './endpoint.ts'

/** §2: 4-30 ASCII letters, digits, underscore. */
export const Handle = z
  .string()
  .min(4, 'must have at least 4 characters')
  .max(30, 'must have at most 30 characters')
  .regex(/^[A-Za-z0-9_]*$/, 'may hold letters, digits and underscores only')

export const getHandleAvailability = endpoint({
  method: 'GET',
  path: '/api/profile/handle-availability',
  tag: 'Profile',
  summary: 'Whether a handle is free',
  description: 'A hint only: somebody may take it before you do.',
  credential: 'none',
  request: { query: z.object({ handle: Handle }) },
  replies: { 200: z.object({ available: z.boolean() }) },
  errors: 'h3',
})
