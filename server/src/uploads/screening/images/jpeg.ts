import { broken } from '../verdict.ts'
import { type ImageShape, maxMetadata } from './image-limits.ts'

/** The most scans in a JPEG. Cameras write about ten. Each is a pass over all pixels, and decoders do not limit them. */
const maxScans = 100

/** Parses the marker segments and scans of a JPEG up to EOI. Bytes after EOI are never published. */
export function parseJpeg(bytes: Buffer): ImageShape {
  let shape: { width: number; height: number } | undefined
  let scans = 0
  let metadataSegments = 0
  for (let at = 2; ; ) {
    if (bytes[at] !== 0xff) broken('corrupt')
    while (bytes[at] === 0xff) at++
    const marker = bytes[at++]
    if (marker === undefined || marker === 0) broken('corrupt')
    if (marker === 0xd9) break
    if (isStandalone(marker!)) continue

    if (at + 2 > bytes.length) broken('corrupt')
    const length = bytes.readUInt16BE(at)
    const segment = bytes.subarray(at + 2, at + length)
    at += length
    if (length < 2 || at > bytes.length) broken('corrupt')
    if (isFrameHeader(marker!)) {
      if (shape !== undefined || segment.length < 6) broken('corrupt')
      shape = { height: segment.readUInt16BE(1), width: segment.readUInt16BE(3) }
    } else if (marker === 0xda) {
      if (shape === undefined) broken('corrupt')
      if (++scans > maxScans) broken('scan-limit')
      at = endOfScan(bytes, at)
    } else if (isMetadata(marker!) && ++metadataSegments > maxSegments) broken('metadata-limit')
  }
  if (shape === undefined || scans === 0) broken('corrupt')
  return { ...shape!, frames: 1 }
}

// A colour profile or XMP data can be spread over many segments of at most 64 KiB each.
const maxSegments = 4 * maxMetadata

const isStandalone = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)
const isMetadata = (marker: number): boolean => (marker >= 0xe0 && marker <= 0xef) || marker === 0xfe
const isFrameHeader = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

/** Finds the end of entropy-coded data: a marker that is neither a stuffed zero nor a restart marker. */
function endOfScan(bytes: Buffer, from: number): number {
  for (let at = from; at + 1 < bytes.length; at++) {
    if (bytes[at] !== 0xff) continue
    const next = bytes[at + 1]!
    if (next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at
  }
  return broken('corrupt')
}
