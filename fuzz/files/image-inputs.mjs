import { createRequire } from 'node:module'
import { crc32 } from 'node:zlib'
import {
  apngOf,
  gifComment,
  gifOf,
  pngChunk,
  pngOf,
  vp8,
  vp8l,
  vp8x,
  webpChunk,
  webpFrame,
  webpOf,
} from '../../server/dist/uploads/screening/images/image-builder.fixture.js'
import { marker, mutate } from './mutate.mjs'

// sharp is a dependency of the server's workspace, so it is resolved from there.
const sharp = createRequire(new URL('../../server/dist/main.js', import.meta.url))('sharp')

const square = (size, left = 0, top = 0) => ({ left, top, width: size, height: size })

/** Small pictures of all four formats: still, animated, grey, with a palette, with metadata, turned. */
export async function imageSeeds() {
  const pixels = Buffer.from(Array.from({ length: 24 * 16 * 3 }, (_, at) => (at * 37) % 256))
  const picture = () => sharp(pixels, { raw: { width: 24, height: 16, channels: 3 } })
  const frames = Buffer.concat([0, 80, 160].map((shift) => pixels.map((value) => (value + shift) % 256)))
  const moving = () => sharp(frames, { raw: { width: 24, height: 48, channels: 3, pageHeight: 16 } })
  const made = await Promise.all([
    picture().png().toBuffer(),
    picture().png({ palette: true, colours: 8 }).toBuffer(),
    picture().png({ progressive: true }).toBuffer(),
    picture().greyscale().png().toBuffer(),
    picture().ensureAlpha(0.5).png().withMetadata().toBuffer(),
    picture().jpeg().toBuffer(),
    picture().jpeg({ progressive: true }).toBuffer(),
    picture().greyscale().jpeg().toBuffer(),
    picture().withMetadata({ orientation: 6 }).jpeg().toBuffer(),
    picture()
      .withExif({ IFD0: { Copyright: marker } })
      .jpeg()
      .toBuffer(),
    picture().gif().toBuffer(),
    moving()
      .gif({ delay: [10, 20, 30] })
      .toBuffer(),
    picture().webp().toBuffer(),
    picture().webp({ lossless: true }).toBuffer(),
    picture().ensureAlpha(0.5).webp().toBuffer(),
    moving()
      .webp({ delay: [10, 20, 30] })
      .toBuffer(),
    picture()
      .withExif({ IFD0: { Copyright: marker } })
      .webp()
      .toBuffer(),
  ])
  return [
    ...made,
    pngOf(9, 7, [pngChunk('tEXt', Buffer.from(`Comment\0${marker}`))]),
    apngOf({ width: 20, height: 20 }, [square(20), square(9), square(5, 15, 15)]),
    gifOf({ width: 20, height: 20 }, [square(20), square(1, 19, 19)], [gifComment(marker)]),
    webpOf(vp8l(30, 20)),
    webpOf(vp8x(30, 20), vp8(30, 20), webpChunk('XMP ', Buffer.from(marker))),
    webpOf(vp8x(100, 100, true), webpFrame(square(100), vp8l(100, 100)), webpFrame(square(10, 90, 90), vp8(10, 10))),
  ]
}

const types = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']
const typeOf = (bytes) => {
  if (bytes[0] === 0x89) return 'image/png'
  if (bytes[0] === 0xff) return 'image/jpeg'
  return bytes[0] === 0x47 ? 'image/gif' : 'image/webp'
}

/** One input and the media type that its sender claims. */
export function imageInput(seeds, random) {
  const seed = random.pick(seeds)
  const declaredType = random.chance(0.95) ? typeOf(seed) : random.pick([...types, 'image/svg+xml', 'text/html', ''])
  let bytes = random.chance(0.02) ? Buffer.from(seed) : mutate(seed, random.pick(seeds), random)
  if (random.chance(0.2)) bytes = lieAboutSize(Buffer.from(bytes), random)
  // A PNG with a wrong checksum is not decoded at all, which would hide everything behind it.
  if (random.chance(0.7) && bytes[0] === 0x89) bytes = mendPngChecksums(Buffer.from(bytes))
  if (random.chance(0.05)) bytes = Buffer.concat([bytes, Buffer.from(`PK\x03\x04${marker}`)])
  return { bytes, declaredType }
}

const sizes = [0, 1, 2, 23, 25, 5657, 16383, 16384, 32000, 32001, 65535]
function lieAboutSize(bytes, random) {
  const places = { png: [18, 22], gif: [6, 8], jpeg: [], webp: [24, 26] }
  const frame = bytes.indexOf(Buffer.from([0xff, 0xc0]))
  if (frame > 0) places.jpeg.push(frame + 5, frame + 7)
  const format = typeOf(bytes).slice('image/'.length)
  const [at] = places[format].length > 0 ? [random.pick(places[format])] : [6]
  if (at + 2 > bytes.length) return bytes
  if (format === 'png' || format === 'jpeg') bytes.writeUInt16BE(random.pick(sizes), at)
  else bytes.writeUInt16LE(random.pick(sizes), at)
  return bytes
}

function mendPngChecksums(bytes) {
  for (let at = 8; at + 12 <= bytes.length; ) {
    const end = at + 8 + bytes.readUInt32BE(at)
    if (end + 4 > bytes.length) return bytes
    bytes.writeUInt32BE(crc32(bytes.subarray(at + 4, end)), end)
    at = end + 4
  }
  return bytes
}
