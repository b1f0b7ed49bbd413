import { randomBytes } from 'node:crypto'

const aheadBytes = 4_096
let ahead: Buffer = Buffer.alloc(0)
let used = 0

/**
 * Random bytes for numbers that are shown to others, such as the nonce of an offer. The system generates them for many
 * numbers at a time, as for `randomUUID`, which takes a tenth of the time. Each is returned once, and no copy is kept. Use
 * `randomBytes` for secrets.
 */
export function randomBytesAhead(bytes: number): Buffer {
  if (used + bytes > ahead.length) {
    ahead = randomBytes(Math.max(aheadBytes, bytes))
    used = 0
  }
  const given = Buffer.from(ahead.subarray(used, used + bytes))
  ahead.fill(0, used, used + bytes)
  used += bytes
  return given
}
