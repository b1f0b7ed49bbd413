import { createHash } from 'node:crypto'
import { open, readFile, stat } from 'node:fs/promises'
import type { Sharp } from 'sharp'
import type { PictureList } from '../picture-list.ts'
import { broken, type ImageFormat, type ImageVerdict } from '../verdict.ts'
import { type BeforeDecoding, decoded, decodePictures, openImage, openPicture, type Picture } from './decode.ts'
import { hashOf } from './hash-picture.ts'
import type { ImageShape } from './image-limits.ts'
import { agreedFormat, readShape } from './image-shape.ts'

export interface ImageInput {
  readonly path: string
  readonly declaredType: string
  readonly maxBytes: number
  /** Where the clean image is to be written. */
  readonly outputPath: string
}

/** Checks the structure, looks at every distinct picture, and writes the image anew: received bytes are never public. */
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

  await beforeDecoding(shape.width * shape.height * shape.frames)
  let first: Picture | undefined
  for await (const picture of decodePictures(bytes, shape, isAnimated)) {
    first ??= picture
    const match = known.find(await hashOf(picture))
    if (match) return { kind: 'held', reason: 'known-picture', match }
  }
  const { width, height } = first!
  const clean = isAnimated ? openImage(bytes, { pages: -1 }) : openPicture(first!)
  const output = await decoded(encode(clean, format, shape).toBuffer())
  await writeFlushed(input.outputPath, output)
  const sha256 = createHash('sha256').update(output).digest('hex')
  return {
    kind: 'cleared',
    image: { format, width, height, path: input.outputPath, sizeBytes: output.length, sha256 },
  }
}

/** Without a word about metadata, sharp writes none. Delays and repetitions of animations are kept. */
function encode(image: Sharp, format: ImageFormat, shape: ImageShape): Sharp {
  if (format === 'png') return image.png({ compressionLevel: 6 })
  if (format === 'jpeg') return image.jpeg({ quality: 88 })
  if (format === 'gif') return image.gif({ effort: 3 })
  return image.webp(shape.isLossless ? { lossless: true, effort: 1 } : { quality: 86, effort: 3 })
}

async function writeFlushed(path: string, bytes: Buffer): Promise<void> {
  const file = await open(path, 'w', 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}
