import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import { marker } from './mutate.mjs'

const sharp = createRequire(new URL('../../server/dist/main.js', import.meta.url))('sharp')

/** Why a cleared image must not be published; undefined if it is what the verdict says and nothing else. */
export async function wrongImage(bytes, { format, width, height, sizeBytes, sha256 }) {
  if (bytes.length !== sizeBytes) return 'it has another length'
  if (createHash('sha256').update(bytes).digest('hex') !== sha256) return 'it has another checksum'
  if (bytes.includes('MARKER-OF-A-POLYGLOT') || bytes.includes(marker)) return 'a text of the received file survived'
  const foreign = foreignPart[format](bytes)
  if (foreign) return foreign
  try {
    const { data, info } = await sharp(bytes, { animated: true, failOn: 'warning' })
      .raw()
      .toBuffer({ resolveWithObject: true })
    const frameHeight = info.pageHeight ?? info.height / (info.pages ?? 1)
    if (info.width !== width || frameHeight % height !== 0)
      return `it decodes to ${info.width} x ${frameHeight}, not ${width} x ${height}`
    if (data.length !== info.width * info.height * info.channels) return 'it decodes to another number of bytes'
  } catch (error) {
    return `it cannot be decoded: ${error.message}`
  }
  return undefined
}

/** Walks through a published file: only what our encoder writes, and nothing after its end. */
const foreignPart = {
  png(bytes) {
    const allowed = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND', 'pHYs', 'sRGB', 'gAMA', 'cHRM', 'bKGD', 'sBIT'])
    let at = 8
    for (let type = ''; type !== 'IEND'; ) {
      if (at + 12 > bytes.length) return 'the PNG ends early'
      type = bytes.toString('latin1', at + 4, at + 8)
      if (!allowed.has(type)) return `the PNG has a chunk ${type}`
      at += 12 + bytes.readUInt32BE(at)
    }
    return at === bytes.length ? undefined : 'bytes follow the PNG'
  },
  jpeg(bytes) {
    for (let at = 2; ; ) {
      if (bytes[at] !== 0xff) return 'the JPEG is malformed'
      const kind = bytes[at + 1]
      if (kind === 0xd9) return at + 2 === bytes.length ? undefined : 'bytes follow the JPEG'
      // APP0 is JFIF. All others hold metadata; FE is a comment.
      if ((kind > 0xe0 && kind <= 0xef) || kind === 0xfe) return `the JPEG has a segment ${kind.toString(16)}`
      at += 2 + bytes.readUInt16BE(at + 2)
      if (kind !== 0xda) continue
      while (
        at < bytes.length &&
        !(bytes[at] === 0xff && bytes[at + 1] !== 0 && !(bytes[at + 1] >= 0xd0 && bytes[at + 1] <= 0xd7))
      )
        at += 1
    }
  },
  gif(bytes) {
    const table = (flags) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0)
    const blocks = (from) => {
      let at = from
      while (bytes[at] > 0) at += bytes[at] + 1
      return at + 1
    }
    for (let at = 13 + table(bytes[10]); ; ) {
      if (bytes[at] === 0x3b) return at + 1 === bytes.length ? undefined : 'bytes follow the GIF'
      if (bytes[at] === 0x21) {
        if (bytes[at + 1] === 0xfe || bytes[at + 1] === 0x01) return 'the GIF has a comment or a text'
        if (bytes[at + 1] === 0xff && bytes.toString('latin1', at + 3, at + 14) !== 'NETSCAPE2.0')
          return 'the GIF has an unknown extension'
        at = blocks(at + 2)
      } else if (bytes[at] === 0x2c) at = blocks(at + 11 + table(bytes[at + 9]))
      else return 'the GIF is malformed'
    }
  },
  webp(bytes) {
    const end = 8 + bytes.readUInt32LE(4)
    if (end !== bytes.length) return 'the WebP has another length than it says'
    for (let at = 12; at < end; ) {
      const type = bytes.toString('latin1', at, at + 4)
      if (!['VP8X', 'VP8 ', 'VP8L', 'ALPH', 'ANIM', 'ANMF'].includes(type)) return `the WebP has a chunk ${type}`
      const length = bytes.readUInt32LE(at + 4)
      at += 8 + length + (length & 1)
    }
    return undefined
  },
}
