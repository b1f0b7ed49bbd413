import { createHmac, timingSafeEqual } from 'node:crypto'
import { generationsOf, type Secrets } from '../platform/secrets.ts'
import type { Part } from './part-store.ts'

/** A capability is valid for fifteen minutes. */
const lifetimeMs = 15 * 60_000

type CapabilityTerms = Pick<Part, 'operation_id' | 'number' | 'generation' | 'length'>

/** Issues a signed capability to store exactly one part. Nothing is saved: the signature covers all of its terms. */
export function issueCapability(
  secrets: Secrets,
  part: CapabilityTerms,
  now: Date,
): { capability: string; expiresAt: Date } {
  const expiresAt = new Date(now.getTime() + lifetimeMs)
  return {
    capability: `${expiresAt.getTime().toString(36)}.${signature(secrets, part, expiresAt.getTime())}`,
    expiresAt,
  }
}

export function verifyCapability(
  secrets: Secrets,
  part: CapabilityTerms,
  given: string | undefined,
  now: Date,
): boolean {
  const [, time, signed] = /^([0-9a-z]{1,11})\.([A-Za-z0-9_-]{43})$/.exec(given ?? '') ?? []
  if (time === undefined || signed === undefined) return false
  const expiresAt = Number.parseInt(time, 36)
  const isOurs = generationsOf(secrets).some((each) =>
    timingSafeEqual(Buffer.from(signed), Buffer.from(signature(each, part, expiresAt))),
  )
  return isOurs && now.getTime() < expiresAt
}

const signature = (secrets: Secrets, part: CapabilityTerms, expiresAt: number): string =>
  createHmac('sha256', secrets.key('attachment part capability'))
    .update([part.operation_id, part.number, part.generation, part.length, expiresAt].join(' '))
    .digest('base64url')
