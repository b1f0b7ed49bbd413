import type { BeforeDecoding } from '../images/decode.ts'
import { fillWith, pixelsOf } from './picture.ts'
import { thumbnailSize } from './sizes.ts'

/** A small WebP of a picture, for lists. */
export async function drawThumbnail(path: string, beforeDecoding: BeforeDecoding): Promise<Buffer> {
  beforeDecoding(await pixelsOf(path))
  const { width, height } = thumbnailSize
  return (await fillWith(path, width, height)).webp({ quality: 80 }).toBuffer()
}
