import { crc32, deflateSync } from 'node:zlib'

const be32 = (...values: number[]) =>
  Buffer.concat(values.map((value) => Buffer.from([value >>> 24, value >>> 16, value >>> 8, value])))
const be16 = (value: number) => Buffer.from([value >>> 8, value])
const le16 = (...values: number[]) => Buffer.from(values.flatMap((value) => [value & 255, value >>> 8]))
const le24 = (value: number) => Buffer.from([value, value >>> 8, value >>> 16])
const le32 = (value: number) => Buffer.from([value, value >>> 8, value >>> 16, value >>> 24])

export interface Rect {
  left: number
  top: number
  width: number
  height: number
}

// PNG

export const pngChunk = (type: string, content = Buffer.alloc(0)) => {
  const named = Buffer.concat([Buffer.from(type), content])
  return Buffer.concat([be32(content.length), named, be32(crc32(named))])
}

const greyRows = (width: number, height: number, value = 0) =>
  deflateSync(Buffer.alloc((width + 1) * height).map((_, at) => (at % (width + 1) === 0 ? 0 : value)))

/** A grey picture; a large one states its size and has no rows. */
export function pngOf(
  width: number,
  height: number,
  chunks: Buffer[] = [],
  end: Buffer[] = [pngChunk('IEND')],
): Buffer {
  const rows = width * height > 1e6 ? deflateSync(Buffer.alloc(0)) : greyRows(width, height)
  const header = pngChunk('IHDR', Buffer.concat([be32(width, height), Buffer.from([8, 0, 0, 0, 0])]))
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  return Buffer.concat([signature, header, ...chunks, pngChunk('IDAT', rows), ...end])
}

/** An animation whose first frame is the still picture. */
export function apngOf(canvas: { width: number; height: number }, rects: Rect[], announced = rects.length): Buffer {
  let sequence = 0
  const control = (rect: Rect) =>
    pngChunk(
      'fcTL',
      Buffer.concat([
        be32(sequence++, rect.width, rect.height, rect.left, rect.top),
        be16(1),
        be16(10),
        Buffer.from([0, 0]),
      ]),
    )
  const [first, ...others] = rects
  const before = [pngChunk('acTL', be32(announced, 0)), ...(first ? [control(first)] : [])]
  const after = others.flatMap((rect, i) => [
    control(rect),
    pngChunk('fdAT', Buffer.concat([be32(sequence++), greyRows(rect.width, rect.height, i % 2)])),
  ])
  return pngOf(canvas.width, canvas.height, before, [...after, pngChunk('IEND')])
}

// JPEG, as far as its structure goes: there is nothing to decode

export const jpegSegment = (marker: number, content = Buffer.alloc(0)) =>
  Buffer.concat([Buffer.from([0xff, marker]), be16(content.length + 2), content])

export const jpegFrame = (width: number, height: number, marker = 0xc0) =>
  jpegSegment(marker, Buffer.concat([Buffer.from([8]), be16(height), be16(width), Buffer.from([1, 1, 0x11, 0])]))

export const jpegScan = (data = Buffer.from([0x12, 0xff, 0x00, 0x34, 0xff, 0xd0, 0x56])) =>
  Buffer.concat([jpegSegment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])), data])

export const jpegOf = (...segments: Buffer[]) =>
  Buffer.concat([Buffer.from([0xff, 0xd8]), ...segments, Buffer.from([0xff, 0xd9])])

// GIF

export function gifOf(canvas: { width: number; height: number }, rects: Rect[], extensions: Buffer[] = []): Buffer {
  const header = [
    Buffer.from('GIF89a'),
    le16(canvas.width, canvas.height),
    Buffer.from([0x80, 0, 0, 0, 0, 0, 255, 255, 255]),
  ]
  const frames = rects.map(({ left, top, width, height }) =>
    Buffer.concat([Buffer.from([0x2c]), le16(left, top, width, height), Buffer.from([0, 2, 2, 0x44, 0x01, 0])]),
  )
  return Buffer.concat([...header, ...extensions, ...frames, Buffer.from([0x3b])])
}

export const gifComment = (text: string) =>
  Buffer.concat([Buffer.from([0x21, 0xfe, text.length]), Buffer.from(text), Buffer.from([0])])

// WebP

export const webpChunk = (type: string, content: Buffer) =>
  Buffer.concat([Buffer.from(type), le32(content.length), content, Buffer.alloc(content.length & 1)])

export const vp8l = (width: number, height: number) =>
  webpChunk('VP8L', Buffer.concat([Buffer.from([0x2f]), le32((width - 1) | ((height - 1) << 14)), Buffer.alloc(4)]))

export const vp8 = (width: number, height: number) =>
  webpChunk('VP8 ', Buffer.concat([Buffer.from([0, 0, 0, 0x9d, 0x01, 0x2a]), le16(width, height), Buffer.alloc(4)]))

export const vp8x = (width: number, height: number, isAnimated = false) =>
  webpChunk('VP8X', Buffer.concat([Buffer.from([isAnimated ? 2 : 0, 0, 0, 0]), le24(width - 1), le24(height - 1)]))

export const webpFrame = ({ left, top, width, height }: Rect, ...chunks: Buffer[]) =>
  webpChunk(
    'ANMF',
    Buffer.concat([
      le24(left / 2),
      le24(top / 2),
      le24(width - 1),
      le24(height - 1),
      le24(100),
      Buffer.from([0]),
      ...chunks,
    ]),
  )

export const webpOf = (...chunks: Buffer[]) => {
  const content = Buffer.concat([Buffer.from('WEBP'), ...chunks])
  return Buffer.concat([Buffer.from('RIFF'), le32(content.length), content])
}

// A picture of 5656 x 5656 in one colour: 15 bytes.
const hugePicture = webpChunk('VP8L', Buffer.from('LxfWhQUHENGx/gciov8B', 'base64'))

/** Takes a decoder a second or more for each frame, and 128 megabytes; four frames are the most that are allowed. */
export const slowWebp = (frames: number) => {
  const frame = webpFrame({ left: 0, top: 0, width: 5656, height: 5656 }, hugePicture)
  return webpOf(vp8x(5656, 5656, true), webpChunk('ANIM', Buffer.alloc(6)), ...Array<Buffer>(frames).fill(frame))
}
