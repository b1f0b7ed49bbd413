import { broken } from '../verdict.ts'
import { type EndRecord, readEndRecord, signature } from './end-record.ts'
import { readName, requireDistinct } from './member-name.ts'
import { zipLimits } from './zip-limits.ts'

/** One entry of an archive. Its central directory entry, its local header and its position in the file agree. */
export interface Member {
  readonly name: string
  readonly isDirectory: boolean
  readonly isDeflated: boolean
  readonly crc: number
  readonly sizeBytes: number
  readonly compressed: Buffer
}

interface CentralEntry {
  readonly rawName: Buffer
  readonly name: string
  readonly flags: number
  readonly method: number
  readonly crc: number
  readonly compressedBytes: number
  readonly sizeBytes: number
  readonly localStart: number
}

const centralLength = 46
const localLength = 30

/** Reads the members in directory order, and checks everything that can be checked without inflating them. */
export function readMembers(bytes: Buffer): Member[] {
  const end = readEndRecord(bytes)
  const entries = readDirectory(bytes, end)
  requireDistinct(entries.map(({ name }) => name))
  requireLimits(bytes, entries)
  const data = readLocalEntries(bytes, entries, end.directoryStart)
  return entries.map((entry) => ({
    name: entry.name,
    isDirectory: entry.name.endsWith('/'),
    isDeflated: entry.method === 8,
    crc: entry.crc,
    sizeBytes: entry.sizeBytes,
    compressed: data.get(entry)!,
  }))
}

function readDirectory(bytes: Buffer, { entries, directoryStart, directoryEnd }: EndRecord): CentralEntry[] {
  if (entries > zipLimits.files + zipLimits.directories) broken('too-many-files')
  const result: CentralEntry[] = []
  let at = directoryStart
  while (at < directoryEnd) {
    if (at + centralLength > directoryEnd || bytes.readUInt32LE(at) !== signature.central) broken('eocd-mismatch')
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset))
    const nameEnd = at + centralLength + nameLength!
    const extraEnd = nameEnd + extraLength!
    const next = extraEnd + commentLength!
    if (next > directoryEnd || result.length === entries) broken('eocd-mismatch')
    result.push(
      readEntry(bytes.subarray(at), bytes.subarray(at + centralLength, nameEnd), bytes.subarray(nameEnd, extraEnd)),
    )
    at = next
  }
  if (result.length !== entries) broken('eocd-mismatch')
  return result
}

function readEntry(header: Buffer, rawName: Buffer, extraField: Buffer): CentralEntry {
  const entry = {
    rawName,
    flags: header.readUInt16LE(8),
    method: header.readUInt16LE(10),
    crc: header.readUInt32LE(16),
    compressedBytes: header.readUInt32LE(20),
    sizeBytes: header.readUInt32LE(24),
    localStart: header.readUInt32LE(42),
  }
  requireKnownVersion(header.readUInt16LE(6))
  requireKnownFlags(entry.flags, entry.method)
  const extra = readExtra(extraField)
  if ([entry.compressedBytes, entry.sizeBytes, entry.localStart].includes(0xffffffff)) broken('zip64')
  if (header.readUInt16LE(34) !== 0) broken('multi-disk')
  const name = readName(rawName, (entry.flags & 0x0800) !== 0, extra)
  requireOrdinaryFile(header.readUInt32LE(38), name)
  if (entry.method === 0 && entry.flags & 0x0008) broken('stored-with-descriptor')
  if (entry.method === 0 && entry.compressedBytes !== entry.sizeBytes) broken('size-mismatch')
  if (name.endsWith('/') && entry.sizeBytes !== 0) broken('unsafe-path')
  return { ...entry, name }
}

/** Checks the version needed to extract, as ten times the format version. Readers refuse versions above 6.3. */
function requireKnownVersion(needed: number): void {
  if ((needed & 0xff) > 63) broken('header-mismatch')
}

function requireKnownFlags(flags: number, method: number): void {
  // Bits 0 and 6: encrypted. Bit 13: header values masked. Method 99: AES.
  if (flags & 0x2041 || method === 99) broken('encrypted')
  if (method !== 0 && method !== 8) broken('method')
  // Allowed bits: 1 and 2 (deflate level), 3 (sizes follow the data), 11 (UTF-8).
  if (flags & ~0x080e) broken('header-mismatch')
}

function readExtra(field: Buffer): Map<number, Buffer> {
  const extra = new Map<number, Buffer>()
  for (let at = 0; at < field.length; ) {
    if (at + 4 > field.length) broken('header-mismatch')
    const id = field.readUInt16LE(at)
    const length = field.readUInt16LE(at + 2)
    if (at + 4 + length > field.length || (id === 0x7075 && extra.has(id))) broken('header-mismatch')
    if (id === 0x0001) broken('zip64')
    if (id === 0x9901 || id === 0x0017) broken('encrypted')
    extra.set(id, field.subarray(at + 4, at + 4 + length))
    at += 4 + length
  }
  return extra
}

/** Checks the external attributes. Some readers use the Unix part whatever system is named, so we check it always. */
function requireOrdinaryFile(attributes: number, name: string): void {
  const isDirectory = name.endsWith('/')
  const type = (attributes >>> 28) & 0xf
  if (type === 0xa) broken('symlink')
  if (type !== 0 && type !== 0x8 && !(type === 0x4 && isDirectory)) broken('special-file')
  const isSetId = ((attributes >>> 16) & 0o6000) !== 0
  const isDosLabelOrDirectory = (attributes & 0x18) !== 0
  if (!isDirectory && (isSetId || isDosLabelOrDirectory)) broken('special-file')
}

function requireLimits(bytes: Buffer, entries: readonly CentralEntry[]): void {
  if (entries.filter(({ name }) => !name.endsWith('/')).length > zipLimits.files) broken('too-many-files')
  let total = 0
  for (const { sizeBytes, compressedBytes } of entries) {
    if (sizeBytes > zipLimits.memberBytes) broken('member-too-large')
    if (sizeBytes > zipLimits.expansion * compressedBytes) broken('ratio')
    total += sizeBytes
  }
  if (total > zipLimits.totalBytes) broken('total-too-large')
  // Compared with the archive's length, because overlapping members would count the same compressed bytes many times.
  if (total > zipLimits.expansion * bytes.length) broken('ratio')
}

/**
 * Reads the local entries in file order. They must tile the file from its first byte to the directory, which rules out
 * overlaps, gaps, entries missing from the directory, and data before the first entry.
 */
function readLocalEntries(
  bytes: Buffer,
  entries: readonly CentralEntry[],
  directoryStart: number,
): Map<CentralEntry, Buffer> {
  const data = new Map<CentralEntry, Buffer>()
  let at = 0
  for (const entry of entries.toSorted((a, b) => a.localStart - b.localStart)) {
    if (entry.localStart >= directoryStart) broken('eocd-mismatch')
    if (entry.localStart < at) broken('overlap')
    if (entry.localStart > at) broken(at === 0 ? 'prepended-data' : 'hidden-data')
    if (at + localLength > directoryStart) broken('overlap')
    const dataStart = requireSameHeader(bytes, at, directoryStart, entry)
    const dataEnd = dataStart + entry.compressedBytes
    if (dataEnd > directoryStart) broken('overlap')
    data.set(entry, bytes.subarray(dataStart, dataEnd))
    at = entry.flags & 0x0008 ? endOfDescriptor(bytes, dataEnd, directoryStart, entry) : dataEnd
  }
  if (at !== directoryStart) broken('hidden-data')
  return data
}

/** Checks a local header against the directory: streaming readers trust the header. Returns where the data begins. */
function requireSameHeader(bytes: Buffer, at: number, directoryStart: number, entry: CentralEntry): number {
  if (bytes.readUInt32LE(at) !== signature.local) broken('header-mismatch')
  const flags = bytes.readUInt16LE(at + 6)
  const nameEnd = at + localLength + bytes.readUInt16LE(at + 26)
  const dataStart = nameEnd + bytes.readUInt16LE(at + 28)
  if (dataStart > directoryStart) broken('overlap')
  requireKnownVersion(bytes.readUInt16LE(at + 4))
  requireKnownFlags(flags, bytes.readUInt16LE(at + 8))
  if (flags !== entry.flags || bytes.readUInt16LE(at + 8) !== entry.method) broken('header-mismatch')
  const rawName = bytes.subarray(at + localLength, nameEnd)
  if (!rawName.equals(entry.rawName)) broken('header-mismatch')
  // Checks the Unicode path again, because it may be in this header alone.
  readName(rawName, (flags & 0x0800) !== 0, readExtra(bytes.subarray(nameEnd, dataStart)))
  const stated = [14, 18, 22].map((offset) => bytes.readUInt32LE(at + offset))
  const known = [entry.crc, entry.compressedBytes, entry.sizeBytes]
  const mayBeZero = (flags & 0x0008) !== 0
  if (!stated.every((value, i) => value === known[i] || (mayBeZero && value === 0))) broken('header-mismatch')
  return dataStart
}

/**
 * Checks the data descriptor after streamed data (checksum and sizes, with or without a signature). Returns its end.
 */
function endOfDescriptor(bytes: Buffer, at: number, directoryStart: number, entry: CentralEntry): number {
  const matchesAt = (start: number) =>
    start + 12 <= directoryStart &&
    bytes.readUInt32LE(start) === entry.crc &&
    bytes.readUInt32LE(start + 4) === entry.compressedBytes &&
    bytes.readUInt32LE(start + 8) === entry.sizeBytes
  const hasSignature = at + 4 <= directoryStart && bytes.readUInt32LE(at) === signature.descriptor
  if (hasSignature && matchesAt(at + 4)) return at + 16
  return matchesAt(at) ? at + 12 : broken('header-mismatch')
}
