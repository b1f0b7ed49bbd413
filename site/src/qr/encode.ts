import { correction } from './correction.ts'
import { maskedBest } from './mask.ts'

// A QR code (ISO/IEC 18004) for one text, in bytes. Small rather than complete: two levels of correction, one mode.

/** How many words of correction a block has and how many blocks there are, from version 1 on. */
const levels = {
  M: {
    sign: 0b00,
    words: '10 16 26 18 24 16 18 22 22 26 30 22 22 24 24 28 28 26 26 26 26 28 28 28 28 28 28 28 28 28 28',
    blocks: '1 1 1 2 2 4 4 4 5 5 5 8 9 9 10 10 11 13 14 16 17 17 18 20 21 23 25 26 28 29 31',
  },
  L: {
    sign: 0b01,
    words: '7 10 15 20 26 18 20 24 30 18 20 24 26 30 22 24 28 30 28 28 28 28 30 30 26 28 30 30 30 30 30',
    blocks: '1 1 1 1 1 2 2 2 2 4 4 4 4 4 6 6 6 6 7 8 8 9 9 10 12 12 12 13 14 15 16',
  },
} as const
type Level = (typeof levels)[keyof typeof levels]

const biggest = 31
// Beyond this the dots get so small that more of them are worth more than more correction.
const easyToScan = 10

/** Its dots, row by row: true is dark. Undefined where the text is too long. */
export function qrDots(text: string): boolean[][] | undefined {
  const bytes = new TextEncoder().encode(text)
  const robust = versionFor(bytes.length, levels.M)
  const level = robust !== undefined && robust <= easyToScan ? levels.M : levels.L
  const version = versionFor(bytes.length, level)
  if (version === undefined) return undefined
  const { dots, isTaken } = fixedParts(version)
  placeWords(dots, isTaken, interleaved(dataWords(bytes, version, level), version, level))
  return maskedBest(dots, isTaken, (place, mask) => writeFormat(place, level.sign, mask))
}

const at = (list: string, version: number): number => Number(list.split(' ')[version - 1])
const sizeOf = (version: number): number => 17 + 4 * version

/** All words of a version: what is left of the square beside its fixed parts. */
function allWords(version: number): number {
  let bits = (16 * version + 128) * version + 64
  if (version >= 2) {
    const count = Math.floor(version / 7) + 2
    bits -= (25 * count - 10) * count - 55
    if (version >= 7) bits -= 36
  }
  return bits >> 3
}

const wordsForData = (version: number, { words, blocks }: Level): number =>
  allWords(version) - at(words, version) * at(blocks, version)

const lengthBits = (version: number): number => (version < 10 ? 8 : 16)

function versionFor(byteCount: number, level: Level): number | undefined {
  for (let version = 1; version <= biggest; version += 1)
    if (4 + lengthBits(version) + byteCount * 8 <= wordsForData(version, level) * 8) return version
  return undefined
}

/** Mode, length, the bytes, an end, and filling in turn. */
function dataWords(bytes: Uint8Array, version: number, level: Level): Uint8Array {
  const words = new Uint8Array(wordsForData(version, level))
  let used = 0
  const push = (value: number, bits: number) => {
    for (let bit = bits - 1; bit >= 0; bit -= 1, used += 1)
      if ((value >> bit) & 1) words[used >> 3] = words[used >> 3]! | (0x80 >> (used & 7))
  }
  push(0b0100, 4)
  push(bytes.length, lengthBits(version))
  for (const byte of bytes) push(byte, 8)
  const first = Math.min((used + 4 + 7) >> 3, words.length)
  for (let index = first; index < words.length; index += 1) words[index] = (index - first) % 2 === 0 ? 0xec : 0x11
  return words
}

/** The blocks side by side: a scratch then hurts each of them a little. */
function interleaved(data: Uint8Array, version: number, { words, blocks }: Level): number[] {
  const [count, extra] = [at(blocks, version), at(words, version)]
  const short = Math.floor(data.length / count)
  const longer = data.length % count
  const parts: Uint8Array[] = []
  for (let block = 0, start = 0; block < count; block += 1) {
    const length = short + (block >= count - longer ? 1 : 0)
    parts.push(data.subarray(start, start + length))
    start += length
  }
  const checks = parts.map((part) => correction(part, extra))
  const column = (lists: readonly Uint8Array[], index: number) =>
    lists.flatMap((list) => (index < list.length ? [list[index]!] : []))
  return [
    ...Array.from({ length: short + 1 }, (_, index) => column(parts, index)).flat(),
    ...Array.from({ length: extra }, (_, index) => column(checks, index)).flat(),
  ]
}

/** What every code of a version has: three corners, the marks between, two dotted lines, its version. */
function fixedParts(version: number) {
  const size = sizeOf(version)
  const dots = Array.from({ length: size }, () => new Array<boolean>(size).fill(false))
  const isTaken = dots.map((row) => [...row])
  const set = (x: number, y: number, isDark: boolean) => {
    if (x < 0 || y < 0 || x >= size || y >= size) return
    dots[y]![x] = isDark
    isTaken[y]![x] = true
  }
  const square = (centreX: number, centreY: number, radius: number, light: readonly number[]) => {
    for (let dy = -radius; dy <= radius; dy += 1)
      for (let dx = -radius; dx <= radius; dx += 1)
        set(centreX + dx, centreY + dy, !light.includes(Math.max(Math.abs(dx), Math.abs(dy))))
  }
  for (let index = 0; index < size; index += 1) {
    set(6, index, index % 2 === 0)
    set(index, 6, index % 2 === 0)
  }
  const places = markPlaces(version)
  const last = places.length - 1
  for (const [row, y] of places.entries())
    for (const [column, x] of places.entries()) {
      const isCorner = (row === 0 && column === 0) || (row === 0 && column === last) || (row === last && column === 0)
      if (!isCorner) square(x, y, 2, [1])
    }
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    square(x, y, 4, [2, 4])
  // Their place is kept until the mask is known.
  writeFormat(dots, 0, 0, (x, y) => set(x, y, false))
  if (version >= 7) {
    const bits = withRemainder(version, 12, 0x1f25)
    for (let index = 0; index < 18; index += 1) {
      const isDark = ((bits >> index) & 1) === 1
      const [long, across] = [size - 11 + (index % 3), Math.floor(index / 3)]
      set(long, across, isDark)
      set(across, long, isDark)
    }
  }
  return { dots, isTaken }
}

function markPlaces(version: number): number[] {
  if (version === 1) return []
  const count = Math.floor(version / 7) + 2
  const step = Math.ceil((version * 4 + 4) / (count * 2 - 2)) * 2
  const places = [6]
  for (let place = sizeOf(version) - 7; places.length < count; place -= step) places.splice(1, 0, place)
  return places
}

/** A number with the remainder that lets a reader mend it. */
function withRemainder(value: number, bits: number, divisor: number): number {
  let rest = value
  for (let index = 0; index < bits; index += 1) rest = (rest << 1) ^ ((rest >> (bits - 1)) * divisor)
  return (value << bits) | rest
}

/** Level and mask, twice; `touch` is told the places alone. */
function writeFormat(dots: boolean[][], sign: number, mask: number, touch?: (x: number, y: number) => void): void {
  const size = dots.length
  const bits = withRemainder((sign << 3) | mask, 10, 0x537) ^ 0x5412
  const set = (x: number, y: number, isDark: boolean) => {
    if (touch) touch(x, y)
    else dots[y]![x] = isDark
  }
  const bit = (index: number) => ((bits >> index) & 1) === 1
  for (let index = 0; index < 15; index += 1) {
    const along = index < 6 ? index : index < 8 ? index + 1 : 14 - index + (index === 8 ? 1 : 0)
    if (index < 8) set(8, along, bit(index))
    else set(along, 8, bit(index))
    if (index < 8) set(size - 1 - index, 8, bit(index))
    else set(8, size - 15 + index, bit(index))
  }
  set(8, size - 8, true)
}

/** Up and down in pairs of columns from the right, around what is fixed. */
function placeWords(dots: boolean[][], isTaken: boolean[][], words: readonly number[]): void {
  const size = dots.length
  let bit = 0
  for (let right = size - 1; right >= 1; right -= 2) {
    // The dotted line has a column of its own.
    if (right === 6) right = 5
    const isUpward = ((right + 1) & 2) === 0
    for (let step = 0; step < size; step += 1)
      for (const x of [right, right - 1]) {
        const y = isUpward ? size - 1 - step : step
        if (isTaken[y]![x] || bit >= words.length * 8) continue
        dots[y]![x] = ((words[bit >> 3]! >> (7 - (bit & 7))) & 1) === 1
        bit += 1
      }
  }
}
