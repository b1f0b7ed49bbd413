import { broken } from '../verdict.ts'

export interface EndRecord {
  readonly entries: number
  readonly directoryStart: number
  /** The end of the directory, which is where this record begins. */
  readonly directoryEnd: number
}

export const signature = { local: 0x04034b50, central: 0x02014b50, descriptor: 0x08074b50 } as const
const recordLength = 22
const maxCommentBytes = 0xffff
const endSignature = Buffer.from('PK\x05\x06')

/** Reads the end-of-central-directory record. ZIP readers search for it in different ways, so only one may be found. */
export function readEndRecord(bytes: Buffer): EndRecord {
  const at = findEndRecord(bytes)
  const [disk, directoryDisk, entriesHere, entries] = [4, 6, 8, 10].map((offset) => bytes.readUInt16LE(at + offset))
  const directoryLength = bytes.readUInt32LE(at + 12)
  const directoryStart = bytes.readUInt32LE(at + 16)
  const hasLocator = at >= 20 && bytes.readUInt32LE(at - 20) === 0x07064b50
  if (hasLocator || entries === 0xffff || directoryLength === 0xffffffff || directoryStart === 0xffffffff) {
    broken('zip64')
  }
  if (disk !== 0 || directoryDisk !== 0 || entriesHere !== entries) broken('multi-disk')
  if (directoryStart + directoryLength > at) broken('eocd-mismatch')
  if (directoryStart + directoryLength < at) broken('hidden-data')
  if (entries === 0) broken('no-files')
  return { entries: entries!, directoryStart, directoryEnd: at }
}

function findEndRecord(bytes: Buffer): number {
  const beginsAsZip = /^PK(\x03\x04|\x05\x06)/.test(bytes.toString('latin1', 0, 4))
  const found: number[] = []
  let isAnyThere = false
  const first = Math.max(0, bytes.length - recordLength - maxCommentBytes)
  for (let at = bytes.indexOf(endSignature, first); at >= 0; at = bytes.indexOf(endSignature, at + 1)) {
    isAnyThere = true
    if (at + recordLength > bytes.length) continue
    if (at + recordLength + bytes.readUInt16LE(at + 20) === bytes.length) found.push(at)
  }
  const [at] = found
  if (at === undefined) {
    if (!beginsAsZip) return broken('not-zip')
    return broken(isAnyThere ? 'trailing-data' : 'truncated')
  }
  if (!beginsAsZip) broken('prepended-data')
  // With two candidates, or parts of another archive in the comment, two ZIP readers may see different archives.
  const comment = bytes.toString('latin1', at + recordLength)
  if (found.length > 1 || /PK(\x01\x02|\x03\x04|\x05\x06|\x06\x06|\x06\x07|\x07\x08)/.test(comment)) {
    broken('ambiguous-eocd')
  }
  return at
}
