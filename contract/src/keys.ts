import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { keyIdempotency } from './idempotency.ts'
import { refusal } from './refusal.ts'
import { DateTime, trimmedText, Uuid } from './schemas.ts'

/** A Publishing key without its secret (§2). */
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
  })
  .meta({ id: 'ApiKey' })
export type ApiKey = z.infer<typeof ApiKey>

const IssuedKey = z.object({ apiKey: ApiKey, key: z.string() }).meta({ id: 'IssuedKey' })

const KeyRequest = z
  .strictObject({ label: trimmedText(1, 64).nullable().optional(), expiresAt: DateTime.nullable().optional() })
  .meta({ id: 'KeyRequest' })
export type KeyRequest = z.infer<typeof KeyRequest>

export const keyNotFound = refusal('key-not-found', 404, 'No Publishing key of yours has this id.')
export const keyRevoked = refusal('key-revoked', 409, 'This key no longer works: issue a new one.')
export const activeKeyLimit = refusal('active-key-limit', 409, 'At most five keys can be active: revoke or rotate one.')
const params = z.object({ keyId: z.string().max(64) })
const tag = 'Sessions and keys'

export const listKeys = endpoint({
  method: 'GET',
  path: '/api/v1/api-keys',
  tag,
  summary: 'Your Publishing keys, with those that ended in the last 90 days',
  credential: 'owner-session',
  replies: { 200: z.object({ keys: z.array(ApiKey) }) },
  errors: 'problem',
})

export const issueKey = endpoint({
  method: 'POST',
  path: '/api/v1/api-keys',
  tag,
  summary: 'Issue a Publishing key',
  description:
    'The full key is in this answer and nowhere else. Without `expiresAt` it works for 90 days; null: until revoked.',
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
  summary: 'Revoke a Publishing key',
  credential: 'owner-session',
  request: { params },
  replies: { 200: ApiKey.omit({ keyPrefix: true }) },
  refusals: [keyNotFound],
  errors: 'problem',
})

export const rotateKey = endpoint({
  method: 'POST',
  path: '/api/v1/api-keys/{keyId}/rotate',
  tag,
  summary: 'Replace a Publishing key by a new one',
  description:
    'The old key ends as the new one begins. A lost answer is not replayed: list your keys and rotate again.',
  credential: 'owner-session',
  request: { params, body: KeyRequest.optional() },
  replies: { 200: IssuedKey },
  refusals: [keyNotFound, keyRevoked],
  errors: 'problem',
})
