import { deepEqual, equal, notEqual, ok } from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import sharp from 'sharp'
import { apngOf, gifComment, gifOf, jpegOf, pngChunk, pngOf } from './images/image-builder.fixture.ts'
import { cleared, picture, screeningIn, zipCleared } from './screening.fixture.ts'
import { zipOf } from './zip/zip-builder.fixture.ts'

test('an image of each format is re-encoded, in its format and size', async (t) => {
  const { image, outputPath } = await screeningIn(t)
  for (const format of ['png', 'jpeg', 'webp', 'gif'] as const) {
    const received = await picture(60, 40).toFormat(format).toBuffer()
    const { width, height, sizeBytes, sha256, path } = cleared(await image(received, `image/${format}`))
    deepEqual({ width, height, path }, { width: 60, height: 40, path: outputPath })
    const published = await readFile(outputPath)
    equal(published.length, sizeBytes)
    equal(createHash('sha256').update(published).digest('hex'), sha256)
    equal((await sharp(published).metadata()).format, format)
  }
})

test('nothing but pixels comes out: no EXIF, no place, no comment, no profile, nothing appended', async (t) => {
  const { image, outputPath } = await screeningIn(t)
  const marker = 'MARKER-4711'
  const exif = { IFD0: { Copyright: marker, ImageDescription: marker }, IFD3: { GPSLatitudeRef: 'N' } }
  const withExif = (format: 'jpeg' | 'webp' | 'png') =>
    picture(40, 40).toFormat(format).withExif(exif).withIccProfile('p3').toBuffer()
  const appended = Buffer.from(`<script>${marker}</script>`)
  const received: [string, Buffer][] = [
    ['image/jpeg', await withExif('jpeg')],
    ['image/webp', await withExif('webp')],
    ['image/png', await withExif('png')],
    ['image/jpeg', Buffer.concat([await picture(40, 40).jpeg().toBuffer(), appended])],
    ['image/png', pngOf(5, 5, [pngChunk('tEXt', Buffer.from(`Comment\0${marker}`))])],
    ['image/gif', gifOf({ width: 1, height: 1 }, [{ left: 0, top: 0, width: 1, height: 1 }], [gifComment(marker)])],
  ]
  for (const [type, bytes] of received) {
    ok(bytes.includes(marker), type)
    cleared(await image(bytes, type))
    const published = await readFile(outputPath)
    ok(!published.includes(marker), type)
    const { exif, icc, xmp } = await sharp(published).metadata()
    deepEqual({ exif, icc, xmp }, { exif: undefined, icc: undefined, xmp: undefined }, type)
  }
})

test('orientation is applied, and colours of another profile stay as they look', async (t) => {
  const { image, outputPath } = await screeningIn(t)
  const turned = await picture(60, 40).jpeg().withMetadata({ orientation: 6 }).toBuffer()
  const { width, height } = cleared(await image(turned, 'image/jpeg'))
  deepEqual([width, height], [40, 60])

  const green = sharp({ create: { width: 8, height: 8, channels: 3, background: { r: 0, g: 200, b: 0 } } })
  const wide = await green.png().withIccProfile('p3').toBuffer()
  const stated = await sharp(wide, { ignoreIcc: true } as object)
    .raw()
    .toBuffer()
  cleared(await image(wide, 'image/png'))
  const published = await sharp(await readFile(outputPath))
    .raw()
    .toBuffer()
  notEqual([...stated.subarray(0, 3)].join(), '0,200,0')
  for (const [at, value] of [0, 200, 0].entries())
    ok(Math.abs(published[at]! - value) <= 3, [...published.subarray(0, 3)].join())
})

test('animations stay animations with their timing; an APNG becomes its still picture', async (t) => {
  const { image, outputPath } = await screeningIn(t)
  const frames = await Promise.all([1, 2, 3].map((seed) => picture(50, 30, seed).png().toBuffer()))
  for (const format of ['gif', 'webp'] as const) {
    const received = await sharp(frames, { join: { animated: true } })
      .toFormat(format, { delay: [100, 200, 300], loop: 2 })
      .toBuffer()
    deepEqual((await sharp(received).metadata()).delay, [100, 200, 300])
    const { width, height } = cleared(await image(received, `image/${format}`))
    deepEqual([width, height], [50, 30])
    const { pages, delay, loop } = await sharp(await readFile(outputPath)).metadata()
    deepEqual({ pages, delay, loop }, { pages: 3, delay: [100, 200, 300], loop: 2 }, format)
  }
  const whole = { left: 0, top: 0, width: 20, height: 20 }
  cleared(await image(apngOf(whole, [whole, whole, whole]), 'image/png'))
  ok(!(await readFile(outputPath)).includes('fdAT'))
})

test('129 distinct frames are too many, 129 of two kinds are not', async (t) => {
  const { image } = await screeningIn(t)
  const animation = async (count: number, kinds: number) => {
    const pixels = Buffer.alloc(20 * 20 * 3 * count).map(
      (_, at) => (Math.floor(at / 1200) % kinds) + (at % 1200 < 600 ? 90 : 0),
    )
    const raw = { width: 20, height: 20 * count, channels: 3 as const, pageHeight: 20 }
    return sharp(pixels, { raw })
      .webp({ lossless: true, delay: Array(count).fill(50), loop: 0 })
      .toBuffer()
  }
  deepEqual(await image(await animation(129, 129), 'image/webp'), { kind: 'rejected', reason: 'representation-limit' })
  equal((await image(await animation(128, 128), 'image/webp')).kind, 'cleared')
})

test('what is refused leaves no file', async (t) => {
  const { image, zip, outputPath } = await screeningIn(t)
  const png = await picture(30, 30).png().toBuffer()
  const damaged = Buffer.from(png)
  damaged.fill(7, 60, 90)
  const refused: [Buffer, string, string][] = [
    [png, 'image/jpeg', 'mime-mismatch'],
    [Buffer.from('<svg/>'), 'image/svg+xml', 'type-not-allowed'],
    [damaged, 'image/png', 'corrupt'],
    [jpegOf(), 'image/jpeg', 'corrupt'],
    [pngOf(9000, 9000), 'image/png', 'pixel-limit'],
    [pngOf(2000, 2000), 'image/png', 'corrupt'],
    [Buffer.concat([png, randomBytes(5_242_880)]), 'image/png', 'file-too-large'],
  ]
  for (const [bytes, type, reason] of refused) {
    deepEqual(await image(bytes, type), { kind: 'rejected', reason }, reason)
    ok(!existsSync(outputPath), reason)
  }
  deepEqual(await zip(randomBytes(10_485_761)), { kind: 'rejected', reason: 'file-too-large' })
})

test('a ZIP is listed without directories and what macOS leaves behind', async (t) => {
  const { zip } = await screeningIn(t)
  const names = ['b/', 'b/a.txt', '__MACOSX/b/._a.txt', '.DS_Store', 'b/.DS_Store', 'c.txt', 'b/._x']
  const { contents } = zipCleared(await zip(zipOf(names.map((name) => ({ name })))))
  deepEqual(contents, ['b/a.txt', 'c.txt'])
  deepEqual(zipCleared(await zip(zipOf([{ name: 'd/' }]))).contents, [])
  deepEqual(await zip(zipOf([{ name: '../a' }])), { kind: 'rejected', reason: 'unsafe-path' })
})

test('coverage is complete if every member was looked at or is text', async (t) => {
  const { zip } = await screeningIn(t)
  const photo = await picture(200, 100).jpeg().toBuffer()
  const gif = await picture(20, 10).gif().toBuffer()
  const coverage = async (...contents: (Buffer | string)[]) =>
    zipCleared(await zip(zipOf(contents.map((content, i) => ({ name: `m${i}`, content, stored: true }))))).csamCoverage
  equal(await coverage('plain words', photo, gif, '', 'été'), 'complete')
  equal(await coverage('words', zipOf([{ name: 'inner' }])), 'partial')
  equal(await coverage(photo.subarray(0, -50)), 'partial')
  equal(await coverage(pngOf(9000, 9000)), 'partial')
  equal(await coverage(Buffer.from('%PDF-1.7\n\x93\x8c', 'latin1')), 'partial')
  equal(await coverage('<img src="data:image/png;base64,AAAA">'), 'partial')
  const whole = { left: 0, top: 0, width: 20, height: 20 }
  equal(await coverage(apngOf(whole, [whole, whole])), 'partial')
})
