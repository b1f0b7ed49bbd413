import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { isErrno } from '../data-dir.ts'
import type { Bytes } from './encryption.ts'

// Files as one tar archive (POSIX ustar, with pax records for long names), so that thousands of them become one object of a
// bucket that is encrypted as a whole, and `tar` can read them.

const blockBytes = 512
const maxPathBytes = 16_384

/** The archive of these files. Files that disappear meanwhile are left out, and files that grow are cut at their first size. */
export async function* writeArchive(folder: string, paths: Iterable<string>): AsyncGenerator<Buffer> {
  for (const path of paths) yield* writeEntry(folder, path)
  yield Buffer.alloc(2 * blockBytes)
}

async function* writeEntry(folder: string, path: string): AsyncGenerator<Buffer> {
  const file = await open(join(folder, path)).catch((error) => {
    if (!isErrno(error, 'ENOENT')) throw error
  })
  if (!file) return
  try {
    const { size, mtimeMs } = await file.stat()
    const modifiedAt = Math.floor(mtimeMs / 1000)
    if (Buffer.byteLength(path) > 100) {
      const record = paxRecord('path', path)
      yield header({ path: 'pax', size: record.length, modifiedAt, type: 'x' })
      yield padded(record)
    }
    yield header({ path, size, modifiedAt, type: '0' })
    let left = size
    const read = size === 0 ? [] : file.createReadStream({ end: size - 1, autoClose: false, highWaterMark: 256 * 1024 })
    for await (const chunk of read as AsyncIterable<Buffer>) {
      left -= chunk.length
      yield chunk
    }
    if (left !== 0) throw new Error(`${path} became shorter while it was read`)
    if (size % blockBytes !== 0) yield Buffer.alloc(blockBytes - (size % blockBytes))
  } finally {
    await file.close()
  }
}

interface Entry {
  readonly path: string
  readonly size: number
  readonly modifiedAt: number
  readonly type: '0' | 'x'
}

function header({ path, size, modifiedAt, type }: Entry): Buffer {
  const block = Buffer.alloc(blockBytes)
  // Cut if it is too long: then the record before it has the whole.
  block.write(path.slice(0, 100), 0, 100)
  block.write('0000600\0', 100)
  block.write('0000000\0', 108)
  block.write('0000000\0', 116)
  if (size < 8 ** 11) block.write(`${octal(size, 11)}\0`, 124)
  else {
    // Eight gigabytes and more are written in base 256.
    block.writeUInt8(0x80, 124)
    block.writeBigUInt64BE(BigInt(size), 128)
  }
  block.write(`${octal(Math.max(0, modifiedAt), 11)}\0`, 136)
  block.write('        ', 148)
  block.write(type, 156)
  block.write('ustar\x0000', 257)
  block.write(`${octal(checksum(block), 6)}\0 `, 148)
  return block
}

const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0')

/** The sum of all bytes, with spaces for the sum itself. */
const checksum = (block: Buffer): number => block.reduce((sum, byte) => sum + byte, 0)

/** `length key=value\n`, where the length includes itself. */
function paxRecord(key: string, value: string): Buffer {
  const rest = Buffer.byteLength(` ${key}=${value}\n`)
  let length = rest + 1
  while (String(length).length + rest !== length) length = String(length).length + rest
  return Buffer.from(`${length} ${key}=${value}\n`)
}

const padded = (bytes: Buffer): Buffer =>
  Buffer.concat([bytes, Buffer.alloc((blockBytes - (bytes.length % blockBytes)) % blockBytes)])

export interface ArchivedFile {
  readonly path: string
  /** Must be read before the next file is requested. */
  readonly bytes: AsyncGenerator<Buffer>
}

/** Reads an archive that `writeArchive` made. */
export async function* readArchive(archive: Bytes): AsyncGenerator<ArchivedFile> {
  const source = readerOf(archive)
  try {
    let longPath: string | undefined
    for (;;) {
      const block = await source.take(blockBytes)
      if (block.every((byte) => byte === 0)) return
      const stated = Number.parseInt(block.toString('latin1', 148, 155), 8)
      block.fill(' ', 148, 156)
      if (checksum(block) !== stated) throw new Error('the archive of files is damaged')
      const size =
        block[124] === 0x80
          ? Number(block.readBigUInt64BE(128))
          : Number.parseInt(block.toString('latin1', 124, 135), 8)
      const padding = (blockBytes - (size % blockBytes)) % blockBytes
      if (block[156] === 'x'.charCodeAt(0)) {
        if (size > maxPathBytes) throw new Error('the archive of files has a path that is too long')
        const record = await source.take(size)
        longPath = /^\d+ path=(.*)\n$/s.exec(record.toString())?.[1]
        await source.take(padding)
        continue
      }
      const path = longPath ?? block.toString('utf8', 0, 100).replace(/\0.*$/s, '')
      longPath = undefined
      const bytes = source.pass(size)
      yield { path, bytes }
      // Skips what the reader did not read.
      for await (const _ of bytes);
      await source.take(padding)
    }
  } finally {
    await source.close()
  }
}

function readerOf(bytes: Bytes) {
  const iterator = bytes[Symbol.asyncIterator]()
  let held: Buffer = Buffer.alloc(0)
  const more = async (): Promise<void> => {
    const { done, value } = await iterator.next()
    if (done) throw new Error('the archive of files ends too early')
    held = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  }
  async function* pass(length: number): AsyncGenerator<Buffer> {
    for (let left = length; left > 0; ) {
      if (held.length === 0) await more()
      const taken = held.subarray(0, left)
      held = held.subarray(taken.length)
      left -= taken.length
      yield taken
    }
  }
  return {
    pass,
    async take(length: number): Promise<Buffer> {
      const pieces: Buffer[] = []
      for await (const piece of pass(length)) pieces.push(piece)
      return Buffer.concat(pieces)
    },
    close: async () => void (await iterator.return?.()),
  }
}
