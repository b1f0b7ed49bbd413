import { validation } from '@pennypost/contract/errors'
import type { ApiKey, KeyRequest } from '@pennypost/contract/keys'
import { refuse } from '../platform/http/refuse.ts'
import { defaultKeyLifeMs, type PublishingKey } from './key-store.ts'
import { keyPrefix } from './publishing-key.ts'

export const keyView = (key: PublishingKey): ApiKey => ({
  id: key.id,
  keyId: key.key_id,
  keyPrefix: keyPrefix(key.key_id),
  scope: 'posts:publish',
  label: key.label,
  createdAt: key.created_at.toISOString(),
  expiresAt: key.expires_at?.toISOString() ?? null,
  revokedAt: key.revoked_at?.toISOString() ?? null,
})

/** When a new key ends: 90 days unless told; null asks for a key that does not. */
export function expiryOf(request: KeyRequest | undefined, now: Date): Date | null {
  if (request?.expiresAt === null) return null
  if (request?.expiresAt === undefined) return new Date(now.getTime() + defaultKeyLifeMs)
  const expiresAt = new Date(request.expiresAt)
  if (expiresAt > now) return expiresAt
  return refuse(validation, { errors: [{ field: 'expiresAt', code: 'in_past', message: 'must be in the future' }] })
}
