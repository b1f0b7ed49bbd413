import { createHash, type Hash } from 'node:crypto'
import { broken } from '../verdict.ts'
import { type ImageShape, imageLimits, maxMetadata } from './image-limits.ts'

const metadata = new Set(['tEXt', 'zTXt', 'iTXt', 'iCCP', 'eXIf', 'sPLT'])

/** Parses the chunks of a PNG or APNG up to IEND. Bytes after IEND are never published. */
export function parsePng(bytes: Buffer): ImageShape {
  let shape: { width: number; height: number } | undefined
  let announcedFrames: number | undefined
  let metadataChunks = 0
  let hasPixels = false
  let isPictureAnimated = false
  const animation = new ApngFrames()

  for (let at = 8; ; ) {
    if (at + 12 > bytes.length) broken('corrupt')
    const length = bytes.readUInt32BE(at)
    const type = bytes.toString('latin1', at + 4, at + 8)
    const content = bytes.subarray(at + 8, at + 8 + length)
    at += 12 + length
    if (at > bytes.length || (shape === undefined) !== (type === 'IHDR')) broken('corrupt')
    if (metadata.has(type) && ++metadataChunks > maxMetadata) broken('metadata-limit')

    if (type === 'IHDR') {
      if (length !== 13) broken('corrupt')
      shape = { width: content.readUInt32BE(0), height: content.readUInt32BE(4) }
    } else if (type === 'acTL') {
      if (length !== 8 || announcedFrames !== undefined) broken('corrupt')
      announcedFrames = content.readUInt32BE(0)
    } else if (type === 'fcTL') {
      if (length !== 26) broken('corrupt')
      animation.begin(content, shape!)
      if (!hasPixels) isPictureAnimated = true
    } else if (type === 'IDAT') {
      hasPixels = true
      animation.add(content)
    } else if (type === 'fdAT') {
      animation.add(content.subarray(4))
    } else if (type === 'IEND') break
  }
  if (!hasPixels) broken('corrupt')
  if (announcedFrames !== undefined && announcedFrames !== animation.frames) broken('corrupt')
  if (animation.countDistinct() > imageLimits.representations) broken('representation-limit')
  // If the still picture is not part of the animation, it counts as one more frame: viewers without APNG show it.
  return { ...shape!, frames: animation.frames + (isPictureAnimated ? 0 : 1) }
}

/**
 * Counts the distinct frames of an APNG. libvips decodes only the first picture, so frames are compared by position and
 * compressed bytes: equal bytes mean equal pixels, and different bytes are assumed to be different pixels.
 */
class ApngFrames {
  frames = 0
  readonly #distinct = new Set<string>()
  #current: Hash | undefined

  begin(control: Buffer, canvas: { width: number; height: number }): void {
    const width = control.readUInt32BE(4)
    const height = control.readUInt32BE(8)
    const left = control.readUInt32BE(12)
    const top = control.readUInt32BE(16)
    if (width === 0 || height === 0) broken('corrupt')
    if (left + width > canvas.width || top + height > canvas.height) broken('frame-out-of-canvas')
    this.#finish()
    this.frames++
    // Leaves out the sequence number before the position and the delay after it.
    this.#current = createHash('sha256').update(control.subarray(4, 20)).update(control.subarray(24))
  }

  add(pixels: Buffer): void {
    this.#current?.update(pixels)
  }

  countDistinct(): number {
    this.#finish()
    return this.#distinct.size
  }

  #finish(): void {
    if (this.#current) this.#distinct.add(this.#current.digest('base64'))
    this.#current = undefined
  }
}
