import { createHash } from 'node:crypto'
import sharp, { type Sharp } from 'sharp'
import { broken, OutOfMemory } from '../verdict.ts'
import { type ImageShape, imageLimits } from './image-limits.ts'

/**
 * The pixels of a picture, or of all frames of an animation stacked vertically: upright, sRGB, eight bits, no metadata.
 */
export interface Pixels {
  readonly width: number
  /** The height of one frame. */
  readonly height: number
  readonly frames: number
  readonly channels: 3 | 4
  readonly bytes: Buffer
  /** Milliseconds for each frame, and how often the animation repeats. */
  readonly timing?: { readonly delay: number[]; readonly loop: number } | undefined
}

/** Called before decoding this many pixels. Throws if the file must be decoded in another lane. */
export type BeforeDecoding = (pixels: number) => void

/** How much memory this process may have. */
export const decoderMemory = { limitBytes: Number.POSITIVE_INFINITY }

// libvips detects the format from the bytes and would also read SVG, TIFF and more. Only our four formats are allowed.
const loaders = ['JpegBuffer', 'PngBuffer', 'WebpBuffer', 'NsgifBuffer']
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({ operation: loaders.map((loader) => `VipsForeignLoad${loader}`) })
sharp.cache(false)
sharp.concurrency(1)

/** Lets libvips read SVG for a moment: a drawing of our own. A process has one task at a time. */
export async function allowingSvg<T>(draw: () => Promise<T>): Promise<T> {
  const operation = ['VipsForeignLoadSvgBuffer']
  sharp.unblock({ operation })
  try {
    return await draw()
  } finally {
    sharp.block({ operation })
  }
}

/** Decodes all frames in one pass. To start at a later frame, libvips would have to decode the earlier ones again. */
export async function decodePixels(bytes: Buffer, shape: ImageShape, isAnimated: boolean): Promise<Pixels> {
  const frames = isAnimated ? shape.frames : 1
  const image = sharp(bytes, { pages: frames, failOn: 'warning', limitInputPixels: imageLimits.decodedPixels })
  const neededBytes = shape.width * shape.height * frames * bytesPerPixel
  const { delay = [], loop = 0 } = isAnimated ? await decoded(image.metadata()) : {}
  const upright = isAnimated ? image.ensureAlpha() : image.autoOrient()
  const { data, info } = await decoded(
    upright.toColourspace('srgb').raw().toBuffer({ resolveWithObject: true }),
    neededBytes,
  )
  const { width, channels } = info
  const height = info.height / frames
  // If the decoder sees a larger image than our own parser did, the file is ambiguous. It may see a smaller GIF: if the
  // canvas is unusual, libvips only returns the area that the frames cover.
  const isWithin = width <= shape.width && height <= shape.height
  const isTurned = width === shape.height && height === shape.width
  if ((!isWithin && !isTurned) || (channels !== 3 && channels !== 4)) return broken('corrupt')
  return { width, height, frames, channels, bytes: data, ...(isAnimated && { timing: { delay, loop } }) }
}

/** Yields every distinct frame. An image may have at most 128 of them. */
export function* distinctFrames(pixels: Pixels): Generator<Pixels> {
  const { frames, timing: _, ...rest } = pixels
  const frameBytes = pixels.bytes.length / frames
  const known = new Set<string>()
  for (let frame = 0; frame < frames; frame++) {
    const bytes = pixels.bytes.subarray(frame * frameBytes, (frame + 1) * frameBytes)
    if (frames > 1) {
      // Hashes the whole frame: thumbnails of different frames are often the same.
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

// Four channels, and a second copy while libvips hands them over.
const bytesPerPixel = 8

/**
 * Awaits a libvips operation. libvips only gives a message: unless memory ran out, the file is corrupt. Some loaders
 * report "unable to read pixels" when they got no memory, so a failure counts as a lack of memory if what the operation
 * needs might not have fitted.
 */
export async function decoded<T>(work: Promise<T>, neededBytes = 0): Promise<T> {
  try {
    return await work
  } catch (error) {
    const isShort = /memory|alloc/i.test((error as Error).message)
    const peakBytes = process.resourceUsage().maxRSS * 1024
    const mayNotFit = Math.max(peakBytes, neededBytes) > suspiciousShare * decoderMemory.limitBytes
    if (isShort || mayNotFit) throw new OutOfMemory()
    return broken('corrupt')
  }
}

const suspiciousShare = 0.7
