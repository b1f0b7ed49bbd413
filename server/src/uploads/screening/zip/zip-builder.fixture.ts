import { crc32, deflateRawSync } from 'node:zlib'

/** A member, and where its local header, its directory entry or its data are to say something else than the truth. */
export interface Entry {
  name: string | Buffer
  content?: string | Buffer
  stored?: boolean
  flags?: number
  method?: number
  crc?: number
  sizeBytes?: number
  compressedBytes?: number
  compressed?: Buffer
  attributes?: number
  extra?: Buffer
  centralExtra?: Buffer
  /** With these, sizes and checksum follow the data. */
  descriptor?: 'signed' | 'bare'
  local?: Partial<Record<LocalField, number>> & { name?: string; signature?: number }
  /** Bytes that nobody names, before the local header. */
  before?: Buffer
  offset?: number
  disk?: number
  version?: number
}
type LocalField = 'flags' | 'method' | 'crc' | 'compressedBytes' | 'sizeBytes'

export interface End {
  comment?: Buffer
  entries?: number
  entriesHere?: number
  disk?: number
  directoryLength?: number
  directoryStart?: number
  /** Between the directory and the end record, or before the directory. */
  beforeEnd?: Buffer
  beforeDirectory?: Buffer
}

const u16 = (...values: number[]) => Buffer.from(Uint16Array.from(values).buffer)
const u32 = (...values: number[]) => Buffer.from(Uint32Array.from(values).buffer)

export const extraField = (id: number, content: Buffer) => Buffer.concat([u16(id, content.length), content])

/** Info-ZIP's second name of a member. */
export const unicodePath = (of: string, name: string) =>
  extraField(0x7075, Buffer.concat([Buffer.from([1]), u32(crc32(of)), Buffer.from(name)]))

/** Writes an archive, honest unless told otherwise. */
export function zipOf(entries: readonly Entry[], end: End = {}): Buffer {
  const locals: Buffer[] = []
  const centrals: Buffer[] = []
  let at = 0
  for (const entry of entries) {
    const { local, central } = writeEntry(entry, at + (entry.before?.length ?? 0))
    const bytes = Buffer.concat([entry.before ?? Buffer.alloc(0), local])
    locals.push(bytes)
    centrals.push(central)
    at += bytes.length
  }
  const beforeDirectory = end.beforeDirectory ?? Buffer.alloc(0)
  const directory = Buffer.concat(centrals)
  const comment = end.comment ?? Buffer.alloc(0)
  const count = end.entries ?? entries.length
  return Buffer.concat([
    ...locals,
    beforeDirectory,
    directory,
    end.beforeEnd ?? Buffer.alloc(0),
    u32(0x06054b50),
    u16(end.disk ?? 0, end.disk ?? 0, end.entriesHere ?? count, count),
    u32(end.directoryLength ?? directory.length, end.directoryStart ?? at + beforeDirectory.length),
    u16(comment.length),
    comment,
  ])
}

function writeEntry(entry: Entry, offset: number): { local: Buffer; central: Buffer } {
  const content = Buffer.from(entry.content ?? '')
  const method = entry.method ?? (entry.stored ? 0 : 8)
  const compressed = entry.compressed ?? (method === 0 ? content : deflateRawSync(content))
  const name = Buffer.from(entry.name)
  const truth = {
    flags: (entry.flags ?? 0) | (entry.descriptor ? 8 : 0),
    method,
    crc: entry.crc ?? crc32(content),
    compressedBytes: entry.compressedBytes ?? compressed.length,
    sizeBytes: entry.sizeBytes ?? content.length,
  }
  const sizes = u32(truth.crc, truth.compressedBytes, truth.sizeBytes)
  const { name: otherName, signature, ...lies } = entry.local ?? {}
  const stated = { ...truth, ...(entry.descriptor && { crc: 0, compressedBytes: 0, sizeBytes: 0 }), ...lies }
  const localName = otherName === undefined ? name : Buffer.from(otherName)
  const extra = entry.extra ?? Buffer.alloc(0)
  const local = Buffer.concat([
    u32(signature ?? 0x04034b50),
    u16(entry.version ?? 20, stated.flags, stated.method, 0, 0x21),
    u32(stated.crc, stated.compressedBytes, stated.sizeBytes),
    u16(localName.length, extra.length),
    localName,
    extra,
    compressed,
    ...(entry.descriptor === 'signed' ? [u32(0x08074b50)] : []),
    ...(entry.descriptor ? [sizes] : []),
  ])
  const centralExtra = entry.centralExtra ?? extra
  const central = Buffer.concat([
    u32(0x02014b50),
    u16(0x0314, entry.version ?? 20, truth.flags, truth.method, 0, 0x21),
    sizes,
    u16(name.length, centralExtra.length, 0, entry.disk ?? 0, 0),
    u32(entry.attributes ?? 0, entry.offset ?? offset),
    name,
    centralExtra,
  ])
  return { local, central }
}
