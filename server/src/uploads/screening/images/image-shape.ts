import { broken, type ImageFormat } from '../verdict.ts'
import { parseGif } from './gif.ts'
import { type ImageShape, imageLimits } from './image-limits.ts'
import { parseJpeg } from './jpeg.ts'
import { parsePng } from './png.ts'
import { parseWebp } from './webp.ts'

const signatures: readonly { format: ImageFormat; isAt(bytes: Buffer): boolean }[] = [
  { format: 'png', isAt: (bytes) => bytes.subarray(0, 8).equals(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')) },
  { format: 'jpeg', isAt: (bytes) => bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff])) },
  { format: 'gif', isAt: (bytes) => /^GIF8[79]a/.test(bytes.toString('latin1', 0, 6)) },
  { format: 'webp', isAt: (bytes) => /^RIFF.{4}WEBP/s.test(bytes.toString('latin1', 0, 12)) },
]
const parsers = { png: parsePng, jpeg: parseJpeg, gif: parseGif, webp: parseWebp }

export const formatOf = (bytes: Buffer): ImageFormat | undefined =>
  signatures.find((signature) => signature.isAt(bytes))?.format

/** Returns the image's format. The declared media type and the signature must agree on one of our four formats. */
export function agreedFormat(bytes: Buffer, declaredType: string): ImageFormat {
  const declared = /^image\/(png|jpeg|webp|gif)$/i.exec(declaredType)?.[1]?.toLowerCase() ?? broken('type-not-allowed')
  const found = formatOf(bytes) ?? broken('not-an-image')
  if (found !== declared) broken('mime-mismatch')
  return found
}

/** Parses the structure of an image in one pass and checks it against the limits. */
export function readShape(bytes: Buffer, format: ImageFormat): ImageShape {
  const shape = parsers[format](bytes)
  const canvas = shape.width * shape.height
  if (canvas === 0 || shape.frames === 0) broken('corrupt')
  if (canvas > imageLimits.canvasPixels) broken('pixel-limit')
  if (canvas * shape.frames > imageLimits.decodedPixels) broken('total-pixel-limit')
  return shape
}
