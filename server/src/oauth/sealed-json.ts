import { createHmac, timingSafeEqual } from 'node:crypto'
import type { z } from 'zod'
import { generationsOf, type Secrets } from '../platform/secrets.ts'

// Values that clients hold for us, with a MAC: they can read them, but not change them.

const macBytes = 24

export function sealJson(secrets: Secrets, purpose: string, value: unknown): string {
  const bytes = Buffer.from(JSON.stringify(value))
  return Buffer.concat([macOf(secrets, purpose, bytes), bytes]).toString('base64url')
}

/** Returns undefined if we did not seal it, or sealed it for another purpose. */
export function unsealJson<Schema extends z.ZodType>(
  secrets: Secrets,
  purpose: string,
  schema: Schema,
  sealed: string,
): z.output<Schema> | undefined {
  const bytes = Buffer.from(sealed, 'base64url')
  // Only the canonical encoding: base64url has several spellings of the same bytes.
  if (bytes.length <= macBytes || bytes.toString('base64url') !== sealed) return undefined
  const [mac, content] = [bytes.subarray(0, macBytes), bytes.subarray(macBytes)]
  if (!generationsOf(secrets).some((each) => timingSafeEqual(mac, macOf(each, purpose, content)))) return undefined
  // What an older version sealed may have another shape.
  return schema.safeParse(JSON.parse(content.toString())).data
}

const macOf = (secrets: Secrets, purpose: string, bytes: Buffer): Buffer =>
  createHmac('sha256', secrets.key(purpose)).update(bytes).digest().subarray(0, macBytes)
