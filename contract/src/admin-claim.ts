import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { limit } from './limit.ts'
import { refusal } from './refusal.ts'

export const adminExists = refusal('admin-exists', 409, 'This site has an administrator already.')
export const invalidClaimToken = refusal(
  'invalid-claim-token',
  403,
  'This is not the token that the service printed when it started.',
)

export const claimAdmin = endpoint({
  method: 'POST',
  path: '/api/v1/admin/claim',
  tag: 'Administration',
  summary: 'Become the first administrator',
  description:
    'Needs the token that the service prints at each start while it has no administrator. It works once. `pennypost admin add` makes further administrators.',
  credential: 'owner-session',
  request: { body: z.strictObject({ token: z.string().max(200) }) },
  replies: { 200: z.object({ isAdmin: z.literal(true) }) },
  refusals: [adminExists, invalidClaimToken],
  errors: 'problem',
  limits: [limit('admin-claims', { per: 'account', max: 10, seconds: 3600 })],
})
