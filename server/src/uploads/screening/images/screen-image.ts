import { createHash } from 'node:crypto'
import { open, readFile, stat } from 'node:fs/promises'
import type { Sharp } from 'sharp'
import type { PictureList } from '../picture-list.ts'
import { broken, type ImageFormat, type ImageVerdict } from '../verdict.ts'
import { type BeforeDecoding, decoded, decodePixels, distinctFrames, openPixels, type Pixels } from './decode.ts'
import { hashPicture } from './hash-picture.ts'
import type { ImageShape } from './image-limits.ts'
import { agreedFormat, readShape } from './image-shape.ts'

export interface ImageInput {
  readonly path: string
  readonly declaredType: string
  readonly maxBytes: number
  /** Where to write the re-encoded image. */
  readonly outputPath: string
}

/** Checks an image's structure, compares its frames with the list, and re-encodes it. Received bytes stay private. */
export async function screenImage(
  input: ImageInput,
  known: PictureList,
  beforeDecoding: BeforeDecoding,
): Promise<ImageVerdict> {
  if ((await stat(input.path)).size > input.maxBytes) broken('file-too-large')
  const bytes = await readFile(input.path)
  const format = agreedFormat(bytes, input.declaredType)
  const shape = readShape(bytes, format)
  const isAnimated = shape.frames > 1 && (format === 'gif' || format === 'webp')

  beforeDecoding(shape.width * shape.height * shape.frames)
  const pixels = await decodePixels(bytes, shape, isAnimated)
  for (const frame of distinctFrames(pixels)) {
    const match = known.find(await hashPicture(frame))
    if (match) return { kind: 'held', reason: 'known-picture', match }
  }
  const output = await decoded(encode(pixels, format, shape).toBuffer())
  await writeFlushed(input.outputPath, output)
  const { width, height } = pixels
  const sha256 = createHash('sha256').update(output).digest('hex')
  return {
    kind: 'cleared',
    image: { format, width, height, path: input.outputPath, sizeBytes: output.length, sha256 },
  }
}

/** Encodes from pixels alone, so that nothing else in the received file can end up in the output. */
function encode(pixels: Pixels, format: ImageFormat, { isLossless }: ImageShape): Sharp {
  const image = openPixels(pixels)
  if (format === 'png') return image.png({ compressionLevel: 4, adaptiveFiltering: true })
  if (format === 'jpeg') return image.jpeg({ quality: 88 })
  if (format === 'gif') return image.gif({ effort: 3, ...pixels.timing })
  const quality = isLossless ? { lossless: true, effort: 1 } : { quality: 86, effort: 2 }
  return image.webp({ ...quality, ...pixels.timing })
}

export async function writeFlushed(path: string, bytes: Buffer): Promise<void> {
  const file = await open(path, 'w', 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}
