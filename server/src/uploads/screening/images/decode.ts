import { createHash } from 'node:crypto'
import sharp, { type Sharp } from 'sharp'
import { broken, OutOfMemory } from '../verdict.ts'
import { type ImageShape, imageLimits } from './image-limits.ts'

/** One decoded picture: upright, sRGB, eight bits, three or four channels. */
export interface Picture {
  readonly width: number
  readonly height: number
  readonly channels: 3 | 4
  readonly pixels: Buffer
}

/** Waits until so many pixels may be decoded. */
export type BeforeDecoding = (pixels: number) => Promise<void>

// libvips would also read SVG, TIFF and more, whatever the name says. Nothing but our four may be decoded.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: [
    ...['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer', 'VipsForeignLoadWebpBuffer'],
    'VipsForeignLoadNsgifBuffer',
  ],
})
sharp.cache(false)
sharp.concurrency(1)

export const openImage = (bytes: Buffer, pages: { page?: number; pages?: number } = {}): Sharp =>
  sharp(bytes, { ...pages, failOn: 'warning', limitInputPixels: imageLimits.decodedPixels })

/** Every distinct picture of the image, in order. Animations are decoded in windows, so that memory stays bounded. */
export async function* decodePictures(bytes: Buffer, shape: ImageShape, isAnimated: boolean): AsyncGenerator<Picture> {
  if (!isAnimated) {
    yield await decodeStill(bytes, shape)
    return
  }
  const { width, height, frames } = shape
  const known = new Set<string>()
  const window = Math.max(1, Math.floor(imageLimits.canvasPixels / (width * height)))
  for (let page = 0; page < frames; page += window) {
    const pages = Math.min(window, frames - page)
    const { data, info } = await decoded(openImage(bytes, { page, pages }).ensureAlpha().raw().toBuffer(withInfo))
    if (info.width !== width || info.height !== height * pages) broken('corrupt')
    const frameBytes = data.length / pages
    for (let i = 0; i < pages; i++) {
      const pixels = data.subarray(i * frameBytes, (i + 1) * frameBytes)
      // Of the whole pixels: thumbnails of different frames are often the same.
      const id = createHash('sha256').update(pixels).digest('base64')
      if (known.has(id)) continue
      known.add(id)
      if (known.size > imageLimits.representations) broken('representation-limit')
      yield { width, height, channels: 4, pixels }
    }
  }
}

const withInfo = { resolveWithObject: true } as const

async function decodeStill(bytes: Buffer, shape: ImageShape): Promise<Picture> {
  const { data, info } = await decoded(openImage(bytes).autoOrient().toColourspace('srgb').raw().toBuffer(withInfo))
  const { width, height, channels } = info
  const isAsStated = width === shape.width && height === shape.height
  const isTurned = width === shape.height && height === shape.width
  if (!isAsStated && !isTurned) broken('corrupt')
  if (channels !== 3 && channels !== 4) broken('corrupt')
  return { width, height, channels: channels as 3 | 4, pixels: data }
}

export const openPicture = ({ pixels, width, height, channels }: Picture): Sharp =>
  sharp(pixels, { raw: { width, height, channels }, limitInputPixels: imageLimits.canvasPixels })

/** What libvips throws is plain text. Unless memory ran out, the bytes are at fault, whose structure was sound. */
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

const suspiciousMemory = 1.2 * 1024 ** 3
