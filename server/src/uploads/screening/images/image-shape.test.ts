import { deepEqual, equal, ok, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { BrokenRule, type ImageFormat, type RejectionReason } from '../verdict.ts'
import {
  apngOf,
  gifComment,
  gifOf,
  jpegFrame,
  jpegOf,
  jpegScan,
  jpegSegment,
  pngChunk,
  pngOf,
  type Rect,
  vp8,
  vp8l,
  vp8x,
  webpChunk,
  webpFrame,
  webpOf,
} from './image-builder.fixture.ts'
import { agreedFormat, formatOf, readShape } from './image-shape.ts'

const rect = (width: number, height = width, left = 0, top = 0): Rect => ({ left, top, width, height })
const repeat = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))
const shapeOf = (bytes: Buffer) => readShape(bytes, formatOf(bytes)!)
const refuses = (bytes: Buffer, reason: RejectionReason, what: string) =>
  throws(() => shapeOf(bytes), { name: 'BrokenRule', reason } as object, what)
const square = { width: 100, height: 100 }

test('sizes and frames are read from all four formats', () => {
  deepEqual(shapeOf(pngOf(30, 20)), { width: 30, height: 20, frames: 1 })
  deepEqual(shapeOf(apngOf(square, [rect(100), rect(9), rect(5, 5, 95, 95)])), { ...square, frames: 3 })
  deepEqual(shapeOf(jpegOf(jpegFrame(30, 20), jpegScan())), { width: 30, height: 20, frames: 1 })
  deepEqual(shapeOf(jpegOf(jpegFrame(30, 20, 0xc2), jpegScan(), jpegScan())), { width: 30, height: 20, frames: 1 })
  deepEqual(shapeOf(gifOf(square, [rect(100), rect(1, 1, 99, 99)])), { ...square, frames: 2 })
  deepEqual(shapeOf(webpOf(vp8l(30, 20))), { width: 30, height: 20, frames: 1, isLossless: true })
  deepEqual(shapeOf(webpOf(vp8x(30, 20), vp8(30, 20))), { width: 30, height: 20, frames: 1, isLossless: false })
  const frames = [webpFrame(rect(100), vp8l(100, 100)), webpFrame(rect(10, 10, 90, 90), vp8(10, 10))]
  deepEqual(shapeOf(webpOf(vp8x(100, 100, true), ...frames)), { ...square, frames: 2, isLossless: false })
})

test('what follows the end of an image is not its business', () => {
  for (const bytes of [
    pngOf(3, 3),
    jpegOf(jpegFrame(3, 3), jpegScan()),
    gifOf(square, [rect(3)]),
    webpOf(vp8l(3, 3)),
  ]) {
    deepEqual(shapeOf(Buffer.concat([bytes, Buffer.from('<script>')])), shapeOf(bytes))
  }
})

test('declared type and first bytes name one of four formats', () => {
  const png = pngOf(3, 3)
  equal(agreedFormat(png, 'image/png'), 'png')
  equal(agreedFormat(png, 'IMAGE/PNG'), 'png')
  const wrong: [Buffer, string, RejectionReason][] = [
    [png, 'image/jpeg', 'mime-mismatch'],
    [png, 'image/svg+xml', 'type-not-allowed'],
    [png, 'image/jpg', 'type-not-allowed'],
    [png, '', 'type-not-allowed'],
    [Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/png', 'not-an-image'],
    [Buffer.from('II*\0\x08\0\0\0'), 'image/png', 'not-an-image'],
    [Buffer.alloc(0), 'image/png', 'not-an-image'],
    [Buffer.from('RIFF\0\0\0\0WAVE'), 'image/webp', 'not-an-image'],
  ]
  for (const [bytes, type, reason] of wrong) throws(() => agreedFormat(bytes, type), { reason } as object, type)
})

test('32,000,000 pixels a frame are allowed, one more is not', () => {
  const at = (width: number, height: number): [ImageFormat, Buffer][] => [
    ['png', pngOf(width, height)],
    ['jpeg', jpegOf(jpegFrame(width, height), jpegScan())],
    ['gif', gifOf({ width, height }, [rect(1)])],
    ['webp', webpOf(vp8l(width, height))],
  ]
  for (const [format, bytes] of at(8000, 4000)) equal(readShape(bytes, format).width, 8000, format)
  for (const [format, bytes] of at(8001, 4000)) refuses(bytes, 'pixel-limit', format)
  refuses(gifOf({ width: 65535, height: 65535 }, [rect(1)]), 'pixel-limit', 'a GIF that decoders take for 1 x 1')
  refuses(webpOf(vp8l(16383, 16383)), 'pixel-limit', 'a WebP of a few bytes')
})

test('128,000,000 pixels in all frames are allowed, one more is not', () => {
  const canvas = { width: 1000, height: 1000 }
  equal(
    shapeOf(
      gifOf(
        canvas,
        repeat(128, () => rect(1)),
      ),
    ).frames,
    128,
  )
  refuses(
    gifOf(
      canvas,
      repeat(129, () => rect(1)),
    ),
    'total-pixel-limit',
    'gif',
  )
  const webp = (count: number) => webpOf(vp8x(1000, 1000, true), ...repeat(count, () => webpFrame(rect(2), vp8l(2, 2))))
  equal(shapeOf(webp(128)).frames, 128)
  refuses(webp(129), 'total-pixel-limit', 'webp')
  equal(
    shapeOf(
      apngOf(
        canvas,
        repeat(128, () => rect(1)),
      ),
    ).frames,
    128,
  )
  refuses(
    apngOf(
      canvas,
      repeat(129, () => rect(1)),
    ),
    'total-pixel-limit',
    'apng',
  )
})

test('frames of an APNG that differ count as representations', () => {
  equal(
    shapeOf(
      apngOf(
        square,
        repeat(128, (i) => rect(1, 1, i % 100, Math.floor(i / 100))),
      ),
    ).frames,
    128,
  )
  refuses(
    apngOf(
      square,
      repeat(129, (i) => rect(1, 1, i % 100, Math.floor(i / 100))),
    ),
    'representation-limit',
    '129 different frames',
  )
})

test('frames lie inside their canvas', () => {
  refuses(gifOf(square, [rect(101, 1)]), 'frame-out-of-canvas', 'gif')
  refuses(gifOf(square, [rect(1, 1, 0, 100)]), 'frame-out-of-canvas', 'gif, below')
  refuses(apngOf(square, [rect(100), rect(1, 1, 100)]), 'frame-out-of-canvas', 'apng')
  refuses(webpOf(vp8x(100, 100, true), webpFrame(rect(10, 10, 92), vp8l(10, 10))), 'frame-out-of-canvas', 'webp')
})

test('sizes that contradict each other are refused', () => {
  refuses(webpOf(vp8x(10, 10), vp8l(6000, 6000)), 'corrupt', 'canvas and picture')
  refuses(webpOf(vp8x(100, 100, true), webpFrame(rect(10), vp8l(90, 90))), 'corrupt', 'frame and picture')
  refuses(webpOf(vp8l(10, 10), vp8l(10, 10)), 'corrupt', 'two pictures')
  refuses(webpOf(vp8x(10, 10), vp8x(20, 20), vp8l(20, 20)), 'corrupt', 'two canvases')
  refuses(webpOf(vp8x(10, 10), webpFrame(rect(10), vp8l(10, 10))), 'corrupt', 'frames without an animation')
  refuses(jpegOf(jpegFrame(10, 10), jpegFrame(6000, 6000), jpegScan()), 'corrupt', 'two frame headers')
  refuses(jpegOf(jpegFrame(10, 0), jpegScan()), 'corrupt', 'a height to be told later')
  refuses(apngOf(square, [rect(100), rect(3)], 9), 'corrupt', 'announced frames')
  refuses(gifOf({ width: 0, height: 0 }, []), 'corrupt', 'no canvas')
})

test('what ends early or lacks its picture is refused', () => {
  const frame = webpFrame(rect(100), vp8l(100, 100))
  const whole = [
    pngOf(30, 20),
    apngOf(square, [rect(100), rect(3)]),
    jpegOf(jpegFrame(30, 20), jpegScan()),
    gifOf(square, [rect(100), rect(3)], [gifComment('hello')]),
    webpOf(vp8x(100, 100, true), frame, frame),
  ]
  for (const bytes of whole) {
    for (let length = 16; length < bytes.length; length++) refuses(bytes.subarray(0, length), 'corrupt', `${length}`)
  }
  refuses(jpegOf(jpegFrame(3, 3)), 'corrupt', 'no scan')
  refuses(jpegOf(jpegScan()), 'corrupt', 'no frame')
  refuses(gifOf(square, []), 'corrupt', 'no frame')
  refuses(webpOf(vp8x(9, 9)), 'corrupt', 'no picture')
  refuses(webpOf(), 'corrupt', 'nothing')
})

test('scans and metadata are counted before anything inflates them', () => {
  equal(shapeOf(jpegOf(jpegFrame(3, 3, 0xc2), ...repeat(100, () => jpegScan()))).frames, 1)
  refuses(jpegOf(jpegFrame(3, 3, 0xc2), ...repeat(101, () => jpegScan())), 'scan-limit', '101 scans')
  const text = pngChunk('zTXt', Buffer.from('k\0\0x'))
  equal(
    shapeOf(
      pngOf(
        3,
        3,
        repeat(64, () => text),
      ),
    ).frames,
    1,
  )
  refuses(
    pngOf(
      3,
      3,
      repeat(65, () => text),
    ),
    'metadata-limit',
    '65 texts',
  )
  const exif = webpChunk('EXIF', Buffer.alloc(4))
  refuses(webpOf(vp8x(9, 9), vp8l(9, 9), ...repeat(65, () => exif)), 'metadata-limit', 'webp')
  const remark = jpegSegment(0xfe, Buffer.from('x'))
  refuses(jpegOf(...repeat(257, () => remark), jpegFrame(3, 3), jpegScan()), 'metadata-limit', 'jpeg')
})

test('damage anywhere is refused or read, and never breaks the walk', () => {
  let seed = 20261115
  const random = (below: number) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
    return Math.floor((seed / 2 ** 32) * below)
  }
  const frame = webpFrame(rect(100), vp8l(100, 100))
  const originals = [
    apngOf(square, [rect(100), rect(3)]),
    jpegOf(jpegSegment(0xe1, Buffer.from('Exif')), jpegFrame(30, 20), jpegScan()),
    gifOf(square, [rect(100), rect(3)], [gifComment('hello')]),
    webpOf(vp8x(100, 100, true), frame, frame),
  ]
  for (let i = 0; i < 40_000; i++) {
    const damaged = Buffer.from(originals[i % 4]!)
    for (let changes = 1 + random(4); changes > 0; changes--) damaged[random(damaged.length)] = random(256)
    try {
      const format = formatOf(damaged)
      if (format) ok(readShape(damaged, format).frames > 0)
    } catch (error) {
      ok(error instanceof BrokenRule, `step ${i}: ${(error as Error).stack}`)
    }
  }
})
