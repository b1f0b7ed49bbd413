import { type FileHandle, open } from 'node:fs/promises'
import { promisify } from 'node:util'
import { inflateRaw } from 'node:zlib'
import { ArchiveError } from './source.ts'

const inflate = promisify(inflateRaw)
const maxEntries = 200_000
const maxDirectoryBytes = 64 * 1024 * 1024
const endSignature = 0x06054b50
const end64LocatorSignature = 0x07064b50
const end64Signature = 0x06064b50
const entrySignature = 0x02014b50
const localSignature = 0x04034b50

interface Entry {
  readonly name: string
  readonly method: number
  readonly storedBytes: number
  readonly offset: number
  readonly isEncrypted: boolean
}

/** A ZIP of which single files are read. Sizes that it states are never trusted: reading stops at the caller's limit. */
export interface ZipReader {
  readonly names: readonly string[]
  read(name: string, maxBytes: number): Promise<Uint8Array>
  close(): Promise<void>
}

export async function openZip(path: string): Promise<ZipReader> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const entries = await readDirectory(file, size)
    const byName = new Map(entries.map((entry) => [entry.name, entry]))
    return {
      names: [...byName.keys()],
      async read(name, maxBytes) {
        const entry = byName.get(name)
        if (!entry) throw new ArchiveError(`${name} is not in the archive.`)
        return readEntry(file, size, entry, maxBytes)
      },
      close: () => file.close(),
    }
  } catch (error) {
    await file.close()
    throw error
  }
}

async function bytesAt(file: FileHandle, offset: number, length: number, size: number): Promise<Buffer> {
  if (!Number.isSafeInteger(offset) || offset < 0 || length < 0 || offset + length > size)
    throw new ArchiveError('The ZIP file is damaged: it points outside itself.')
  const buffer = Buffer.alloc(length)
  const { bytesRead } = await file.read(buffer, 0, length, offset)
  if (bytesRead !== length) throw new ArchiveError('The ZIP file ends too early.')
  return buffer
}

async function readDirectory(file: FileHandle, size: number): Promise<Entry[]> {
  const tailLength = Math.min(size, 65_557)
  const tail = await bytesAt(file, size - tailLength, tailLength, size)
  let at = tail.length - 22
  while (at >= 0 && tail.readUInt32LE(at) !== endSignature) at -= 1
  if (at < 0) throw new ArchiveError('This is not a ZIP file, or its download broke off.')
  const end = {
    count: tail.readUInt16LE(at + 10),
    length: tail.readUInt32LE(at + 12),
    offset: tail.readUInt32LE(at + 16),
  }
  const large = await largeEnd(file, size, tail, at)
  const { count, length, offset } = large ?? end
  if (count > maxEntries || length > maxDirectoryBytes)
    throw new ArchiveError(`The ZIP file has more than ${maxEntries} files.`)
  return entriesOf(await bytesAt(file, offset, length, size), count)
}

/** The directory of an archive with more than 65,535 files or 4 GB. */
async function largeEnd(file: FileHandle, size: number, tail: Buffer, at: number) {
  if (at < 20 || tail.readUInt32LE(at - 20) !== end64LocatorSignature) return undefined
  const record = await bytesAt(file, Number(tail.readBigUInt64LE(at - 12)), 56, size)
  if (record.readUInt32LE(0) !== end64Signature) throw new ArchiveError('The ZIP file is damaged.')
  return {
    count: Number(record.readBigUInt64LE(32)),
    length: Number(record.readBigUInt64LE(40)),
    offset: Number(record.readBigUInt64LE(48)),
  }
}

function entriesOf(directory: Buffer, count: number): Entry[] {
  const entries: Entry[] = []
  let at = 0
  for (let index = 0; index < count; index += 1) {
    if (at + 46 > directory.length || directory.readUInt32LE(at) !== entrySignature)
      throw new ArchiveError('The directory of the ZIP file is damaged.')
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((field) =>
      directory.readUInt16LE(at + field),
    ) as [number, number, number]
    const name = directory.toString('utf8', at + 46, at + 46 + nameLength)
    const extra = directory.subarray(at + 46 + nameLength, at + 46 + nameLength + extraLength)
    const sizes = {
      unpacked: directory.readUInt32LE(at + 24),
      stored: directory.readUInt32LE(at + 20),
      offset: directory.readUInt32LE(at + 42),
    }
    const { stored, offset } = largeSizes(extra, sizes)
    if (!name.endsWith('/') && isPlainName(name))
      entries.push({
        name,
        method: directory.readUInt16LE(at + 10),
        storedBytes: stored,
        offset,
        isEncrypted: (directory.readUInt16LE(at + 8) & 1) === 1,
      })
    at += 46 + nameLength + extraLength + commentLength
  }
  return entries
}

/** Values that do not fit into 32 bits are in an extra field, in this order, and only those. */
function largeSizes(extra: Buffer, sizes: { unpacked: number; stored: number; offset: number }) {
  const result = { ...sizes }
  for (let at = 0; at + 4 <= extra.length; ) {
    const [id, length] = [extra.readUInt16LE(at), extra.readUInt16LE(at + 2)]
    if (id === 1) {
      let field = at + 4
      for (const name of ['unpacked', 'stored', 'offset'] as const) {
        if (sizes[name] !== 0xffffffff || field + 8 > Math.min(at + 4 + length, extra.length)) continue
        result[name] = Number(extra.readBigUInt64LE(field))
        field += 8
      }
    }
    at += 4 + length
  }
  return result
}

/** Whether a name is safe. Names that lead out of the archive, or that look different than they are, match nothing. */
const isPlainName = (name: string): boolean =>
  !/^[/\\]|^[a-z]:|\\|\p{Cc}/iu.test(name) && !name.split('/').some((part) => part === '..' || part === '')

async function readEntry(file: FileHandle, size: number, entry: Entry, maxBytes: number): Promise<Uint8Array> {
  const { name, offset, storedBytes, method, isEncrypted } = entry
  if (isEncrypted) throw new ArchiveError(`${name} is encrypted.`)
  if (storedBytes > maxBytes + 65_536) throw new ArchiveError(`${name} is larger than ${maxBytes} bytes.`)
  const local = await bytesAt(file, offset, 30, size)
  if (local.readUInt32LE(0) !== localSignature) throw new ArchiveError(`${name} is damaged.`)
  const start = offset + 30 + local.readUInt16LE(26) + local.readUInt16LE(28)
  const stored = await bytesAt(file, start, storedBytes, size)
  if (method === 0) {
    if (stored.length > maxBytes) throw new ArchiveError(`${name} is larger than ${maxBytes} bytes.`)
    return stored
  }
  if (method !== 8) throw new ArchiveError(`${name} is compressed in a way that is not supported.`)
  try {
    return await inflate(stored, { maxOutputLength: maxBytes })
  } catch (error) {
    const isTooLarge = (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE'
    throw new ArchiveError(isTooLarge ? `${name} is larger than ${maxBytes} bytes.` : `${name} is damaged.`)
  }
}
