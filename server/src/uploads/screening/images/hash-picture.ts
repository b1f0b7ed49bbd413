import { type Luminance, maxHashedSide, type PictureHash, pdqHash } from '../pdq.ts'
import { openPixels, type Pixels } from './decode.ts'

/** Computes the perceptual hash of a picture as a reader sees it: on a white background. */
export async function hashPicture(picture: Pixels): Promise<PictureHash> {
  return pdqHash(luminanceOf(await scaledDown(picture)))
}

async function scaledDown(picture: Pixels): Promise<Pixels> {
  const { width, height } = picture
  if (Math.max(width, height) <= maxHashedSide) return picture
  const size = { width: Math.min(width, maxHashedSide), height: Math.min(height, maxHashedSide) }
  const bytes = await openPixels(picture)
    .resize({ ...size, fit: 'fill', kernel: 'linear' })
    .raw()
    .toBuffer()
  return { ...picture, ...size, bytes }
}

function luminanceOf({ width, height, channels, bytes }: Pixels): Luminance {
  const values = new Float32Array(width * height)
  for (let i = 0, at = 0; i < values.length; i++, at += channels) {
    const light = 0.299 * bytes[at]! + 0.587 * bytes[at + 1]! + 0.114 * bytes[at + 2]!
    values[i] = channels === 3 ? light : 255 + ((light - 255) * bytes[at + 3]!) / 255
  }
  return { width, height, values }
}
