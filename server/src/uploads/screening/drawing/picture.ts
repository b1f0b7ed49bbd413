import { readFile } from 'node:fs/promises'
import sharp, { type Sharp } from 'sharp'
import { imageLimits } from '../images/image-limits.ts'

/** A picture that was screened before: its first frame, if it is an animation. */
export const openPicture = async (path: string): Promise<Sharp> =>
  sharp(await readFile(path), { pages: 1, limitInputPixels: imageLimits.decodedPixels }).toColourspace('srgb')

export async function pixelsOf(path: string): Promise<number> {
  const { width, height } = await (await openPicture(path)).metadata()
  return width * height
}

/** A picture that fills a rectangle. What does not fit is cut off at its sides. */
export const fillWith = async (path: string, width: number, height: number): Promise<Sharp> =>
  (await openPicture(path)).resize({ width, height, fit: 'cover' })

/** A picture in a circle, as a PNG. */
export async function fillCircleWith(path: string, size: number): Promise<Buffer> {
  const pixels = await (await fillWith(path, size, size)).ensureAlpha().raw().toBuffer()
  const radius = size / 2
  for (let at = 0; at < size * size; at++) {
    const [x, y] = [(at % size) + 0.5 - radius, Math.floor(at / size) + 0.5 - radius]
    // The edge is one pixel of transition, so that it looks smooth.
    const covered = Math.min(1, Math.max(0, radius + 0.5 - Math.hypot(x, y)))
    pixels[4 * at + 3] = Math.round(pixels[4 * at + 3]! * covered)
  }
  return sharp(pixels, { raw: { width: size, height: size, channels: 4 } })
    .png()
    .toBuffer()
}
