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
  lastUsedAt: key.last_used_at?.toISOString() ?? null,
})

const lastDate = Date.parse('9999-12-31T23:59:59.999Z')

/** When a new key expires: after 90 days by default, never if the request says null. */
export function expiryOf(request: KeyRequest | undefined, now: Date): Date | null {
  if (request?.expiresAt === null) return null
  if (request?.expiresAt === undefined) return new Date(now.getTime() + defaultKeyLifeMs)
  const expiresAt = new Date(request.expiresAt)
  // After the year 9999, `toISOString` writes a format that most parsers do not read.
  if (expiresAt > now && expiresAt.getTime() <= lastDate) return expiresAt
  return refuse(validation, {
    errors: [{ field: 'expiresAt', code: 'out_of_range', message: 'must be in the future and before the year 10000' }],
  })
}
