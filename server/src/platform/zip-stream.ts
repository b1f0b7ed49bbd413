import { Readable } from 'node:stream'
import { crc32, createDeflateRaw } from 'node:zlib'

/** One file of an archive. */
export interface ZipEntry {
  /** Its path in the archive, with slashes. */
  readonly name: string
  readonly modifiedAt: Date
  readonly content: AsyncIterable<string | Uint8Array>
  /** For bytes that are compressed already. */
  readonly isStored?: boolean
}

interface WrittenEntry {
  readonly name: Buffer
  readonly method: number
  readonly time: number
  readonly checksum: number
  readonly compressedBytes: number
  readonly bytes: number
  readonly offset: number
}

const maxUint32 = 0xffff_ffff
const maxUint16 = 0xffff
// Names are UTF-8; checksum and sizes follow the content, because they are not known before.
const flags = 0x0808
const deflated = 8
const version = 45
// Marked as made on Unix, so that all programs read names as UTF-8 and files get these permissions.
const madeBy = (3 << 8) | version
const permissions = 0o100_644
// Small, so that a client that does not read holds little memory.
const chunkBytes = 64 * 1024

/**
 * Writes a ZIP archive as a stream: each file is read only as fast as the archive is, and nothing but the directory is kept
 * until the end. Archives may be larger than 4 GiB and have any number of files (ZIP64); a single file may not be.
 */
export async function* zipStream(entries: AsyncIterable<ZipEntry>): AsyncGenerator<Buffer> {
  const written: WrittenEntry[] = []
  let offset = 0
  for await (const entry of entries) {
    const name = Buffer.from(entry.name)
    const method = entry.isStored ? 0 : deflated
    const time = dosTime(entry.modifiedAt)
    const header = localHeader(name, method, time)
    yield header
    const plain = { checksum: 0, bytes: 0 }
    let compressedBytes = 0
    const counted = countBytes(entry.content, plain)
    for await (const chunk of entry.isStored ? counted : deflate(counted)) {
      compressedBytes += chunk.byteLength
      yield chunk
    }
    if (plain.bytes > maxUint32 || compressedBytes > maxUint32) throw new Error(`${entry.name} is larger than 4 GiB`)
    const descriptor = uint32s(0x0807_4b50, plain.checksum, compressedBytes, plain.bytes)
    yield descriptor
    written.push({ name, method, time, ...plain, compressedBytes, offset })
    offset += header.byteLength + compressedBytes + descriptor.byteLength
  }
  const directoryOffset = offset
  for (const entry of written) {
    const record = directoryRecord(entry)
    offset += record.byteLength
    yield record
  }
  yield endRecords(written.length, directoryOffset, offset - directoryOffset)
}

async function* countBytes(
  content: AsyncIterable<string | Uint8Array>,
  plain: { checksum: number; bytes: number },
): AsyncGenerator<Buffer> {
  for await (const chunk of content) {
    const buffer =
      typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    if (buffer.byteLength === 0) continue
    plain.checksum = crc32(buffer, plain.checksum)
    plain.bytes += buffer.byteLength
    yield buffer
  }
}

/** The source is ended too if the reader stops early, so that an open file is closed. */
async function* deflate(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const source = Readable.from(content)
  const compressor = createDeflateRaw({ level: 6, chunkSize: chunkBytes })
  source.on('error', (error) => compressor.destroy(error))
  source.pipe(compressor)
  try {
    for await (const chunk of compressor) yield chunk as Buffer
  } finally {
    source.destroy()
    compressor.destroy()
  }
}

/** The two 16-bit words of a DOS date and time, in UTC. They begin in 1980 and count in steps of two seconds. */
function dosTime(at: Date): number {
  const year = Math.min(Math.max(at.getUTCFullYear(), 1980), 2107) - 1980
  const date = (year << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate()
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1)
  return ((date << 16) | time) >>> 0
}

function localHeader(name: Buffer, method: number, time: number): Buffer {
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x0403_4b50, 0)
  header.writeUInt16LE(version, 4)
  header.writeUInt16LE(flags, 6)
  header.writeUInt16LE(method, 8)
  header.writeUInt32LE(time, 10)
  header.writeUInt16LE(name.byteLength, 26)
  return Buffer.concat([header, name])
}

function directoryRecord({ name, method, time, checksum, compressedBytes, bytes, offset }: WrittenEntry): Buffer {
  const isFar = offset >= maxUint32
  const extra = isFar ? Buffer.alloc(12) : Buffer.alloc(0)
  if (isFar) {
    extra.writeUInt16LE(1, 0)
    extra.writeUInt16LE(8, 2)
    extra.writeBigUInt64LE(BigInt(offset), 4)
  }
  const record = Buffer.alloc(46)
  record.writeUInt32LE(0x0201_4b50, 0)
  record.writeUInt16LE(madeBy, 4)
  record.writeUInt16LE(version, 6)
  record.writeUInt16LE(flags, 8)
  record.writeUInt16LE(method, 10)
  record.writeUInt32LE(time, 12)
  record.writeUInt32LE(checksum, 16)
  record.writeUInt32LE(compressedBytes, 20)
  record.writeUInt32LE(bytes, 24)
  record.writeUInt16LE(name.byteLength, 28)
  record.writeUInt16LE(extra.byteLength, 30)
  record.writeUInt32LE((permissions << 16) >>> 0, 38)
  record.writeUInt32LE(isFar ? maxUint32 : offset, 42)
  return Buffer.concat([record, name, extra])
}

/** The end of the archive, with the ZIP64 records before it if a number is too large for the old one. */
function endRecords(count: number, directoryOffset: number, directoryBytes: number): Buffer {
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x0605_4b50, 0)
  end.writeUInt16LE(Math.min(count, maxUint16), 8)
  end.writeUInt16LE(Math.min(count, maxUint16), 10)
  end.writeUInt32LE(Math.min(directoryBytes, maxUint32), 12)
  end.writeUInt32LE(Math.min(directoryOffset, maxUint32), 16)
  if (count < maxUint16 && directoryBytes < maxUint32 && directoryOffset < maxUint32) return end
  const large = Buffer.alloc(56)
  large.writeUInt32LE(0x0606_4b50, 0)
  large.writeBigUInt64LE(44n, 4)
  large.writeUInt16LE(version, 12)
  large.writeUInt16LE(version, 14)
  large.writeBigUInt64LE(BigInt(count), 24)
  large.writeBigUInt64LE(BigInt(count), 32)
  large.writeBigUInt64LE(BigInt(directoryBytes), 40)
  large.writeBigUInt64LE(BigInt(directoryOffset), 48)
  const locator = Buffer.alloc(20)
  locator.writeUInt32LE(0x0706_4b50, 0)
  locator.writeBigUInt64LE(BigInt(directoryOffset + directoryBytes), 8)
  locator.writeUInt32LE(1, 16)
  return Buffer.concat([large, locator, end])
}

function uint32s(...values: number[]): Buffer {
  const buffer = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) buffer.writeUInt32LE(value, index * 4)
  return buffer
}
