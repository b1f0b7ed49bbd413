import { broken } from '../verdict.ts'
import { type ImageShape, maxMetadata } from './image-limits.ts'

interface Size {
  readonly width: number
  readonly height: number
}

/** Parses the RIFF chunks of a WebP. Canvas, frame and bitstream each state a size; they must agree. */
export function parseWebp(bytes: Buffer): ImageShape {
  const end = 8 + bytes.readUInt32LE(4)
  if (end > bytes.length) broken('corrupt')
  let canvas: Size | undefined
  let isAnimated = false
  let isLossless = true
  let frames = 0
  let metadataChunks = 0
  for (const { type, content } of chunksOf(bytes.subarray(0, end), 12)) {
    if (type === 'VP8X') {
      if (canvas !== undefined || content.length < 10) broken('corrupt')
      isAnimated = (content[0]! & 0x02) !== 0
      canvas = { width: content.readUIntLE(4, 3) + 1, height: content.readUIntLE(7, 3) + 1 }
    } else if (type === 'ANMF') {
      if (!isAnimated) broken('corrupt')
      if (readFrame(content, canvas!) === 'VP8 ') isLossless = false
      frames++
    } else if (type === 'VP8 ' || type === 'VP8L') {
      if (isAnimated || frames > 0) broken('corrupt')
      const size = bitstreamSize(type, content)
      if (canvas && (size.width !== canvas.width || size.height !== canvas.height)) broken('corrupt')
      canvas = size
      if (type === 'VP8 ') isLossless = false
      frames++
    } else if (type !== 'ALPH' && type !== 'ANIM' && ++metadataChunks > maxMetadata) broken('metadata-limit')
  }
  return { ...(canvas ?? broken('corrupt')), frames, isLossless }
}

/** Checks one frame of an animation and returns the chunk type of its bitstream. */
function readFrame(content: Buffer, canvas: Size): string {
  if (content.length < 16) broken('corrupt')
  const [left, top] = [2 * content.readUIntLE(0, 3), 2 * content.readUIntLE(3, 3)]
  const [width, height] = [content.readUIntLE(6, 3) + 1, content.readUIntLE(9, 3) + 1]
  if (left + width > canvas.width || top + height > canvas.height) broken('frame-out-of-canvas')
  const pixels = [...chunksOf(content, 16)].filter(({ type }) => type === 'VP8 ' || type === 'VP8L')
  if (pixels.length !== 1) broken('corrupt')
  const size = bitstreamSize(pixels[0]!.type, pixels[0]!.content)
  if (size.width !== width || size.height !== height) broken('corrupt')
  return pixels[0]!.type
}

function bitstreamSize(type: string, content: Buffer): Size {
  if (type === 'VP8L') {
    if (content.length < 5 || content[0] !== 0x2f) broken('corrupt')
    const bits = content.readUInt32LE(1)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  }
  if (content.length < 10 || content.readUIntBE(3, 3) !== 0x9d012a) broken('corrupt')
  return { width: content.readUInt16LE(6) & 0x3fff, height: content.readUInt16LE(8) & 0x3fff }
}

function* chunksOf(bytes: Buffer, from: number): Generator<{ type: string; content: Buffer }> {
  for (let at = from; at < bytes.length; ) {
    if (at + 8 > bytes.length) broken('corrupt')
    const length = bytes.readUInt32LE(at + 4)
    if (at + 8 + length > bytes.length) broken('corrupt')
    yield { type: bytes.toString('latin1', at, at + 4), content: bytes.subarray(at + 8, at + 8 + length) }
    at += 8 + length + (length & 1)
  }
}
