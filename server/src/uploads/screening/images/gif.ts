import { broken } from '../verdict.ts'
import type { ImageShape } from './image-limits.ts'

/** Parses the blocks of a GIF up to the trailer. Bytes after the trailer are never published. */
export function parseGif(bytes: Buffer): ImageShape {
  if (bytes.length < 13) broken('corrupt')
  const canvas = { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
  let frames = 0
  let at = 13 + colourTableLength(bytes[10]!)
  for (;;) {
    const block = bytes[at]
    if (block === 0x3b) break
    if (block === 0x21) at = endOfSubBlocks(bytes, at + 2)
    else if (block === 0x2c) {
      if (at + 11 > bytes.length) broken('corrupt')
      const left = bytes.readUInt16LE(at + 1)
      const top = bytes.readUInt16LE(at + 3)
      const width = bytes.readUInt16LE(at + 5)
      const height = bytes.readUInt16LE(at + 7)
      if (width === 0 || height === 0) broken('corrupt')
      // A decoder would enlarge the canvas for this frame, beyond the size in the header.
      if (left + width > canvas.width || top + height > canvas.height) broken('frame-out-of-canvas')
      frames++
      at = endOfSubBlocks(bytes, at + 11 + colourTableLength(bytes[at + 9]!))
    } else broken('corrupt')
  }
  return { ...canvas, frames }
}

const colourTableLength = (flags: number): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0)

function endOfSubBlocks(bytes: Buffer, from: number): number {
  for (let at = from; ; ) {
    const length = bytes[at] ?? broken('corrupt')
    at += 1 + length
    if (length === 0) return at
  }
}
