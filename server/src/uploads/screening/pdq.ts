/**
 * PDQ, the perceptual hash of pictures that hash lists are exchanged in: 256 bits that hardly change when a picture is
 * scaled, recompressed or recoloured a little. Luminance is blurred, sampled to 64 x 64, cosine-transformed, and each
 * of the 16 x 16 lowest frequencies gives one bit: above the median or not.
 */
export interface PictureHash {
  /** Eight words of 32 bits; bit `32 * i + j` is frequency row and column. */
  readonly words: Uint32Array
  readonly hex: string
  /** 0 to 100: how much there is to see. */
  readonly quality: number
}

/** The larger side to which pictures are scaled down first: beyond it the hash does not change, only the work. */
export const largestHashedSide = 1024

const sampled = 64
const frequencies = 16

export interface Luminance {
  readonly width: number
  readonly height: number
  readonly values: Float32Array
}

/** Hashes a picture's luminance. The values are used up. */
export function hashPicture({ width, height, values }: Luminance): PictureHash {
  const other = new Float32Array(values.length)
  const [across, down] = [boxWidth(width), boxWidth(height)]
  for (let pass = 0; pass < 2; pass++) {
    blurRows(values, other, width, height, across)
    blurColumns(other, values, width, height, down)
  }
  const samples = decimate(values, width, height)
  const words = bitsAboveMedian(lowFrequencies(samples))
  return { words, hex: hexOf(words), quality: qualityOf(samples) }
}

/** How many bits differ. */
export function distance(a: Uint32Array, b: Uint32Array, offset = 0): number {
  let bits = 0
  for (let i = 0; i < 8; i++) bits += onesIn(a[i]! ^ b[offset + i]!)
  return bits
}

function onesIn(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555)
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

// The usual spelling begins with the highest frequency row.
const hexOf = (words: Uint32Array): string =>
  [...words]
    .reverse()
    .map((word) => word.toString(16).padStart(8, '0'))
    .join('')

export function wordsOf(hex: string): Uint32Array {
  const words = new Uint32Array(8)
  for (let i = 0; i < 8; i++) words[7 - i] = Number.parseInt(hex.slice(8 * i, 8 * i + 8), 16)
  return words
}

const boxWidth = (side: number): number => Math.ceil(side / (2 * sampled))

/** Where the window around each place begins and ends: it is cut off at both edges. */
const windowOf = (width: number): { before: number; after: number } => {
  const after = Math.floor((width + 2) / 2) - 1
  return { before: width - 1 - after, after }
}

function blurRows(from: Float32Array, to: Float32Array, width: number, height: number, box: number): void {
  const { before, after } = windowOf(box)
  for (let row = 0; row < height; row++) {
    const start = row * width
    let sum = 0
    let count = 0
    for (let column = 0; column < Math.min(after, width); column++, count++) sum += from[start + column]!
    for (let column = 0; column < width; column++) {
      if (column + after < width) {
        sum += from[start + column + after]!
        count++
      }
      if (column > before) {
        sum -= from[start + column - before - 1]!
        count--
      }
      to[start + column] = sum / count
    }
  }
}

/** All columns at once, row by row: going down each one alone would miss the processor's cache at every step. */
function blurColumns(from: Float32Array, to: Float32Array, width: number, height: number, box: number): void {
  const { before, after } = windowOf(box)
  const sums = new Float64Array(width)
  let count = 0
  const add = (row: number) => {
    for (let column = 0, at = row * width; column < width; column++, at++) sums[column]! += from[at]!
    count++
  }
  for (let row = 0; row < Math.min(after, height); row++) add(row)
  for (let row = 0; row < height; row++) {
    if (row + after < height) add(row + after)
    if (row > before) {
      for (let column = 0, at = (row - before - 1) * width; column < width; column++, at++) sums[column]! -= from[at]!
      count--
    }
    for (let column = 0, at = row * width; column < width; column++, at++) to[at] = sums[column]! / count
  }
}

function decimate(values: Float32Array, width: number, height: number): Float64Array {
  const samples = new Float64Array(sampled * sampled)
  for (let i = 0; i < sampled; i++) {
    const row = Math.floor(((i + 0.5) * height) / sampled)
    for (let j = 0; j < sampled; j++) {
      samples[i * sampled + j] = values[row * width + Math.floor(((j + 0.5) * width) / sampled)]!
    }
  }
  return samples
}

/** The sum of all steps between neighbours, each in whole percent; a picture without any would hash to noise. */
function qualityOf(samples: Float64Array): number {
  let sum = 0
  const step = (a: number, b: number) => Math.abs(Math.trunc(((samples[a]! - samples[b]!) * 100) / 255))
  for (let i = 0; i < sampled; i++) {
    for (let j = 0; j < sampled; j++) {
      const at = i * sampled + j
      if (i + 1 < sampled) sum += step(at, at + sampled)
      if (j + 1 < sampled) sum += step(at, at + 1)
    }
  }
  return Math.min(100, Math.floor(sum / 90))
}

// Without the constant term, which is only the brightness.
const cosines = Float64Array.from({ length: frequencies * sampled }, (_, index) => {
  const [frequency, at] = [Math.floor(index / sampled) + 1, index % sampled]
  return Math.sqrt(2 / sampled) * Math.cos((Math.PI / (2 * sampled)) * frequency * (2 * at + 1))
})

function lowFrequencies(samples: Float64Array): Float64Array {
  const half = new Float64Array(frequencies * sampled)
  for (let i = 0; i < frequencies; i++) {
    for (let k = 0; k < sampled; k++) {
      const weight = cosines[i * sampled + k]!
      for (let j = 0; j < sampled; j++) half[i * sampled + j]! += weight * samples[k * sampled + j]!
    }
  }
  const result = new Float64Array(frequencies * frequencies)
  for (let i = 0; i < frequencies; i++) {
    for (let j = 0; j < frequencies; j++) {
      let sum = 0
      for (let k = 0; k < sampled; k++) sum += half[i * sampled + k]! * cosines[j * sampled + k]!
      result[i * frequencies + j] = sum
    }
  }
  return result
}

function bitsAboveMedian(values: Float64Array): Uint32Array {
  // The lower of the two middle values, as the published algorithm has it.
  const median = values.toSorted()[values.length / 2 - 1]!
  const words = new Uint32Array(8)
  values.forEach((value, bit) => {
    if (value > median) words[bit >>> 5]! |= 1 << (bit & 31)
  })
  return words
}
