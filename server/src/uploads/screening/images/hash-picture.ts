import { hashPicture, type Luminance, largestHashedSide, type PictureHash } from '../pdq.ts'
import { openPicture, type Picture } from './decode.ts'

/** The perceptual hash of what a reader sees: transparent places show a white page. */
export async function hashOf(picture: Picture): Promise<PictureHash> {
  return hashPicture(luminanceOf(await scaledDown(picture)))
}

async function scaledDown(picture: Picture): Promise<Picture> {
  const { width, height } = picture
  if (Math.max(width, height) <= largestHashedSide) return picture
  const size = { width: Math.min(width, largestHashedSide), height: Math.min(height, largestHashedSide) }
  const pixels = await openPicture(picture)
    .resize({ ...size, fit: 'fill', kernel: 'linear', fastShrinkOnLoad: true })
    .raw()
    .toBuffer()
  return { ...picture, ...size, pixels }
}

function luminanceOf({ width, height, channels, pixels }: Picture): Luminance {
  const values = new Float32Array(width * height)
  for (let i = 0, at = 0; i < values.length; i++, at += channels) {
    const light = 0.299 * pixels[at]! + 0.587 * pixels[at + 1]! + 0.114 * pixels[at + 2]!
    values[i] = channels === 3 ? light : 255 + ((light - 255) * pixels[at + 3]!) / 255
  }
  return { width, height, values }
}
