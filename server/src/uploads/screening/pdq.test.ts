import { equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { distance, type Luminance, pdqHash, wordsOf } from './pdq.ts'

/** Hills and valleys, the same at every size. */
function landscape(width: number, height: number, brightness = 1): Luminance {
  const values = new Float32Array(width * height)
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const [x, y] = [column / width, row / height]
      const light =
        Math.sin(9 * x + 4 * y * y) + Math.cos(17 * y - 6 * x * y) + Math.sin(31 * x * x + 3) * Math.cos(23 * y)
      values[row * width + column] = brightness * (128 + 40 * light)
    }
  }
  return { width, height, values }
}

const apart = (a: Luminance, b: Luminance) => distance(pdqHash(a).turned[0]!, pdqHash(b).turned[0]!)

function mirrored({ width, height, values }: Luminance): Luminance {
  return { width, height, values: values.map((_, at) => values[at - (at % width) + (width - 1 - (at % width))]!) }
}

function onItsSide({ width, height, values }: Luminance): Luminance {
  return {
    width: height,
    height: width,
    values: values.map((_, at) => values[(at % height) * width + Math.floor(at / height)]!),
  }
}

test('a scaled, darker or stretched copy has nearly the same hash', () => {
  const original = landscape(512, 512)
  ok(apart(original, landscape(1024, 1024)) <= 10)
  ok(apart(original, landscape(200, 200)) <= 16)
  ok(apart(original, landscape(600, 300)) <= 16)
  ok(apart(original, landscape(512, 512, 0.7)) <= 4)
  equal(apart(original, landscape(512, 512)), 0)
})

test('another picture is far away', () => {
  const other: Luminance = landscape(512, 512)
  other.values.forEach((value, at) => {
    other.values[at] = (value * (1 + Math.sin(at / 7000))) % 256
  })
  ok(apart(landscape(512, 512), other) > 80)
})

test('turned and mirrored copies are among the eight hashes', () => {
  const original = landscape(512, 512)
  const { turned } = pdqHash(original)
  equal(turned.length, 8)
  const nearest = (picture: Luminance) =>
    Math.min(...turned.map((words) => distance(words, pdqHash(picture).turned[0]!)))
  ok(apart(original, mirrored(original)) > 31)
  for (const copy of [
    mirrored(original),
    onItsSide(original),
    mirrored(onItsSide(original)),
    onItsSide(mirrored(original)),
  ]) {
    ok(nearest(copy) <= 31, String(nearest(copy)))
  }
})

test('a hash is 64 hexadecimal digits and half of its bits are set', () => {
  const { hex, turned, quality } = pdqHash(landscape(300, 300))
  equal(hex.length, 64)
  equal(distance(wordsOf(hex), turned[0]!), 0)
  equal(distance(wordsOf(hex), new Uint32Array(8)), 128)
  ok(quality >= 50)
})

test('a picture of nothing has no quality, and the smallest pictures have hashes', () => {
  equal(pdqHash({ width: 100, height: 100, values: new Float32Array(10_000).fill(80) }).quality, 0)
  for (const [width, height] of [
    [1, 1],
    [1, 500],
    [500, 1],
    [2, 3],
    [64, 64],
    [65, 129],
  ] as const) {
    equal(pdqHash({ width, height, values: new Float32Array(width * height).fill(1) }).hex.length, 64)
  }
})
