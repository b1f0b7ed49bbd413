import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { keyIdempotency } from './idempotency.ts'
import { refusal } from './refusal.ts'
import { DateTime, trimmedText, Uuid } from './schemas.ts'

/** A publishing key without its secret. */
export const ApiKey = z
  .object({
    id: Uuid,
    keyId: z.string(),
    keyPrefix: z.string(),
    scope: z.literal('posts:publish'),
    label: z.string().nullable(),
    createdAt: DateTime,
    expiresAt: DateTime.nullable(),
    revokedAt: DateTime.nullable(),
    lastUsedAt: DateTime.nullable().meta({ description: 'To within ten minutes. Null if it was never used.' }),
  })
  .meta({ id: 'ApiKey' })
export type ApiKey = z.infer<typeof ApiKey>

const IssuedKey = z.object({ apiKey: ApiKey, key: z.string() }).meta({ id: 'IssuedKey' })

const KeyRequest = z
  .strictObject({ label: trimmedText(1, 64).nullable().optional(), expiresAt: DateTime.nullable().optional() })
  .meta({ id: 'KeyRequest' })
export type KeyRequest = z.infer<typeof KeyRequest>

export const keyNotFound = refusal('key-not-found', 404, 'You have no publishing key with this id.')
export const keyRevoked = refusal('key-revoked', 409, 'This key no longer works. Create a new one.')
export const activeKeyLimit = refusal(
  'active-key-limit',
  409,
  'You can have at most five active keys. Revoke or rotate one first.',
)
const params = z.object({ keyId: z.string().max(64) })
const tag = 'Sessions and keys'

export const listKeys = endpoint({
  method: 'GET',
  path: '/api/v1/api-keys',
  tag,
  summary: 'List your publishing keys, including those that ended in the last 90 days',
  description: 'Never includes the secret part of a key.',
  credential: 'owner-session',
  replies: { 200: z.object({ keys: z.array(ApiKey) }) },
  errors: 'problem',
})

export const issueKey = endpoint({
  method: 'POST',
  path: '/api/v1/api-keys',
  tag,
  summary: 'Create a publishing key',
  description:
    'The full key is shown in this response only. Without `expiresAt` it works for 90 days; with null, until it is revoked.',
  credential: 'owner-session',
  request: { body: KeyRequest.optional() },
  replies: { 200: IssuedKey },
  refusals: [activeKeyLimit],
  errors: 'problem',
  idempotency: keyIdempotency,
})

export const revokeKey = endpoint({
  method: 'POST',
  path: '/api/v1/api-keys/{keyId}/revoke',
  tag,
  summary: 'Revoke a publishing key',
  description:
    'The key stops working immediately. Revoking it twice changes nothing. `keyId` is the `id` or the `keyId` of the key.',
  credential: 'owner-session',
  request: { params },
  replies: { 200: ApiKey.omit({ keyPrefix: true, lastUsedAt: true }) },
  refusals: [keyNotFound],
  errors: 'problem',
})

export const rotateKey = endpoint({
  method: 'POST',
  path: '/api/v1/api-keys/{keyId}/rotate',
  tag,
  summary: 'Replace a publishing key with a new one',
  description:
    'The old key stops working when the new one is created. A lost response cannot be repeated: list your keys and rotate again.',
  credential: 'owner-session',
  request: { params, body: KeyRequest.optional() },
  replies: { 200: IssuedKey },
  refusals: [keyNotFound, keyRevoked],
  errors: 'problem',
})
