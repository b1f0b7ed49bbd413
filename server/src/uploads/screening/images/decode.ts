import { createHash } from 'node:crypto'
import sharp, { type Sharp } from 'sharp'
import { broken, OutOfMemory } from '../verdict.ts'
import { type ImageShape, imageLimits } from './image-limits.ts'

/** One picture, or the frames of an animation below each other: upright, sRGB, eight bits, no metadata. */
export interface Pixels {
  readonly width: number
  /** Of one frame. */
  readonly height: number
  readonly frames: number
  readonly channels: 3 | 4
  readonly bytes: Buffer
  /** Milliseconds for each frame, and how often all are shown. */
  readonly timing?: { readonly delay: number[]; readonly loop: number } | undefined
}

/** Waits until so many pixels may be decoded. */
export type BeforeDecoding = (pixels: number) => Promise<void>

// libvips would also read SVG, TIFF and more, whatever the name says. Nothing but our four may be decoded.
const loaders = ['JpegBuffer', 'PngBuffer', 'WebpBuffer', 'NsgifBuffer']
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({ operation: loaders.map((loader) => `VipsForeignLoad${loader}`) })
sharp.cache(false)
sharp.concurrency(1)

/**
 * Decodes once, all frames of an animation together. libvips could begin at a later frame, but only by decoding those
 * before it again.
 */
export async function decodePixels(bytes: Buffer, shape: ImageShape, isAnimated: boolean): Promise<Pixels> {
  const frames = isAnimated ? shape.frames : 1
  const image = sharp(bytes, { pages: frames, failOn: 'warning', limitInputPixels: imageLimits.decodedPixels })
  const { delay = [], loop = 0 } = isAnimated ? await decoded(image.metadata()) : {}
  const upright = isAnimated ? image.ensureAlpha() : image.autoOrient()
  const { data, info } = await decoded(upright.toColourspace('srgb').raw().toBuffer({ resolveWithObject: true }))
  const { width, channels } = info
  const height = info.height / frames
  // A decoder that sees a larger image than we walked through has been told something that we were not. Of a GIF it may
  // show less: where the canvas is an unusual one, only what the frames cover.
  const isWithin = width <= shape.width && height <= shape.height
  const isTurned = width === shape.height && height === shape.width
  if ((!isWithin && !isTurned) || (channels !== 3 && channels !== 4)) return broken('corrupt')
  return { width, height, frames, channels, bytes: data, ...(isAnimated && { timing: { delay, loop } }) }
}

/** Every distinct frame, which is what §8 calls a representation. */
export function* distinctFrames(pixels: Pixels): Generator<Pixels> {
  const { frames, timing: _, ...rest } = pixels
  const frameBytes = pixels.bytes.length / frames
  const known = new Set<string>()
  for (let frame = 0; frame < frames; frame++) {
    const bytes = pixels.bytes.subarray(frame * frameBytes, (frame + 1) * frameBytes)
    if (frames > 1) {
      // Of the whole frame: thumbnails of different frames are often the same.
      const id = createHash('sha256').update(bytes).digest('base64')
      if (known.has(id)) continue
      known.add(id)
      if (known.size > imageLimits.representations) broken('representation-limit')
    }
    yield { ...rest, frames: 1, bytes }
  }
}

export const openPixels = ({ width, height, frames, channels, bytes }: Pixels): Sharp =>
  sharp(bytes, {
    raw: { width, height: height * frames, channels, ...(frames > 1 && { pageHeight: height }) },
    limitInputPixels: imageLimits.decodedPixels,
  })

/** What libvips throws is plain text. Unless memory ran out, the bytes are at fault, though their structure was sound. */
export async function decoded<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const isShort = /memory|alloc/i.test((error as Error).message)
    // Some loaders say "unable to read pixels" when they could not get the memory for them.
    if (isShort || process.resourceUsage().maxRSS * 1024 > suspiciousMemory) throw new OutOfMemory()
    return broken('corrupt')
  }
}

const suspiciousMemory = 1.4 * 1024 ** 3
