import { broken } from '../verdict.ts'
import type { ImageShape } from './image-limits.ts'

/** GIF: blocks up to the trailer. What follows the trailer is never published. */
export function walkGif(bytes: Buffer): ImageShape {
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
      const [left, top, width, height] = [1, 3, 5, 7].map((offset) => bytes.readUInt16LE(at + offset)) as [
        ...[number, number, number, number],
      ]
      if (width === 0 || height === 0) broken('corrupt')
      // Decoders enlarge the canvas for such a frame, past what the header promised.
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
