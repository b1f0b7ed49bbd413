import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Secrets } from '../platform/secrets.ts'

/** Where a page ended. Publication times and ids never change, so a cursor stays good for ever. */
export interface Place {
  readonly publishedAt: Date
  readonly postId: string
  /** The cutoff of the first page goes with the cursor. */
  readonly publishedAfter: Date | undefined
}

const macBytes = 8

/** Opaque and sealed: what we did not write is not a cursor. */
export function writeCursor(secrets: Secrets, { publishedAt, postId, publishedAfter }: Place): string {
  const text = Buffer.from(`${publishedAt.getTime()} ${postId} ${publishedAfter?.getTime() ?? ''}`)
  return Buffer.concat([macOf(secrets, text), text]).toString('base64url')
}

export function readCursor(secrets: Secrets, cursor: string): Place | undefined {
  const bytes = Buffer.from(cursor, 'base64url')
  const [mac, text] = [bytes.subarray(0, macBytes), bytes.subarray(macBytes)]
  // Spelled as we spell it: another spelling of the same bytes is somebody else's.
  if (bytes.toString('base64url') !== cursor || mac.length < macBytes) return undefined
  if (!timingSafeEqual(mac, macOf(secrets, text))) return undefined
  const [published, postId, after] = text.toString().split(' ')
  return {
    publishedAt: new Date(Number(published)),
    postId: postId!,
    publishedAfter: after ? new Date(Number(after)) : undefined,
  }
}

const macOf = (secrets: Secrets, text: Buffer): Buffer =>
  createHmac('sha256', secrets.key('paid-catalog-cursor')).update(text).digest().subarray(0, macBytes)
