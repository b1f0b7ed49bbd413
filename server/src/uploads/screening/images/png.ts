import { createHash, type Hash } from 'node:crypto'
import { broken } from '../verdict.ts'
import { type ImageShape, imageLimits, mostMetadata } from './image-limits.ts'

const metadata = new Set(['tEXt', 'zTXt', 'iTXt', 'iCCP', 'eXIf', 'sPLT'])

/** PNG and APNG: chunks of length, type, content and checksum, up to IEND. What follows IEND is never published. */
export function walkPng(bytes: Buffer): ImageShape {
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
    if (metadata.has(type) && ++metadataChunks > mostMetadata) broken('metadata-limit')

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
  // A picture outside the animation is shown by whoever does not know animations: one frame more.
  return { ...shape!, frames: animation.frames + (isPictureAnimated ? 0 : 1) }
}

/**
 * libvips decodes the first picture only, so frames are told apart by their place and compressed bytes: equal bytes
 * give equal pixels, and different ones are taken to be different.
 */
class ApngFrames {
  frames = 0
  readonly #distinct = new Set<string>()
  #current: Hash | undefined

  begin(control: Buffer, canvas: { width: number; height: number }): void {
    const [width, height, left, top] = [4, 8, 12, 16].map((offset) => control.readUInt32BE(offset)) as [
      ...[number, number, number, number],
    ]
    if (width === 0 || height === 0) broken('corrupt')
    if (left + width > canvas.width || top + height > canvas.height) broken('frame-out-of-canvas')
    this.#finish()
    this.frames++
    // Without the sequence number before the place and the delay after it.
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
