import { crc32, inflateRawSync } from 'node:zlib'
import { broken } from '../verdict.ts'
import type { Member } from './members.ts'

/** Inflates a member. The result must have exactly the size and checksum of its header. */
export function inflateMember(member: Member): Buffer {
  const content = member.isDeflated ? inflate(member) : member.compressed
  if (content.length !== member.sizeBytes) broken('size-mismatch')
  if (crc32(content) !== member.crc) broken('corrupt-data')
  return content
}

function inflate({ compressed, sizeBytes }: Member): Buffer {
  try {
    // At least 1, even for an empty member, because zero would mean no limit.
    const options = { maxOutputLength: Math.max(1, sizeBytes), chunkSize: chunkFor(sizeBytes), info: true } as const
    const { buffer, engine } = inflateRawSync(compressed, options) as unknown as Inflated
    if (engine.bytesWritten !== compressed.length) broken('size-mismatch')
    return buffer
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ERR_BUFFER_TOO_LARGE') broken('size-mismatch')
    if (code?.startsWith('Z_')) broken('corrupt-data')
    throw error
  }
}

interface Inflated {
  readonly buffer: Buffer
  readonly engine: { readonly bytesWritten: number }
}

// Large enough for the whole member, so that no chunks are concatenated; one byte more, so that zlib notices the end
// of a member that fits exactly.
const chunkFor = (sizeBytes: number): number => Math.max(64, sizeBytes + 1)
