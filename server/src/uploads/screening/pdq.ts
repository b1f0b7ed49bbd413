/** 256 bits in eight words, lowest frequencies first. */
export type HashWords = Uint32Array

/**
 * A PDQ hash: the perceptual hash used by hash-sharing lists. Its 256 bits hardly change when a picture is scaled,
 * recompressed or slightly recoloured. Luminance is blurred, sampled to 64 x 64 and cosine-transformed; each of the
 * 16 x 16 lowest frequencies gives one bit: above the median or not.
 */
export interface PictureHash {
  readonly hex: string
  /** The hash of the picture as it is, and of its seven rotated and mirrored versions. */
  readonly turned: readonly HashWords[]
  /** From 0 to 100: how much detail the picture has. */
  readonly quality: number
}

/** Larger pictures are scaled down to this size first. The hash stays the same and takes less time. */
export const maxHashedSide = 1024

const sampled = 64
const frequencies = 16

export interface Luminance {
  readonly width: number
  readonly height: number
  readonly values: Float32Array
}

export function pdqHash(picture: Luminance): PictureHash {
  const samples = sampleBlurred(picture)
  const turned = orientations(lowFrequencies(samples)).map(bitsAboveMedian)
  return { hex: hexOf(turned[0]!), turned, quality: qualityOf(samples) }
}

/** The Hamming distance: how many bits differ. */
export function distance(a: HashWords, b: Uint32Array, offset = 0): number {
  let bits = 0
  for (let i = 0; i < 8; i++) bits += popCount(a[i]! ^ b[offset + i]!)
  return bits
}

function popCount(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555)
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

// By convention, the hexadecimal form starts with the highest frequencies.
const hexOf = (words: HashWords): string =>
  [...words]
    .reverse()
    .map((word) => word.toString(16).padStart(8, '0'))
    .join('')

export function wordsOf(hex: string): HashWords {
  const words = new Uint32Array(8)
  for (let i = 0; i < 8; i++) words[7 - i] = Number.parseInt(hex.slice(8 * i, 8 * i + 8), 16)
  return words
}

/**
 * Applies a box blur twice and samples the result at 64 x 64 points. Box means come from a summed-area table, so only
 * the values that a sample needs are computed.
 */
function sampleBlurred(picture: Luminance): Float64Array {
  const sums = summedAreaTable(picture)
  const stride = picture.width + 1
  const [rows, columns] = [boxesAlong(picture.height), boxesAlong(picture.width)]
  const samples = new Float64Array(sampled * sampled)
  for (let i = 0; i < sampled; i++) {
    const outerRows = rows[Math.floor(((i + 0.5) * picture.height) / sampled)]!
    for (let j = 0; j < sampled; j++) {
      const outerColumns = columns[Math.floor(((j + 0.5) * picture.width) / sampled)]!
      let sum = 0
      for (let row = outerRows.from; row < outerRows.to; row++) {
        const { from: top, to: bottom } = rows[row]!
        for (let column = outerColumns.from; column < outerColumns.to; column++) {
          const { from: left, to: right } = columns[column]!
          const [above, below] = [top * stride, bottom * stride]
          const box = sums[below + right]! - sums[above + right]! - sums[below + left]! + sums[above + left]!
          sum += box / ((bottom - top) * (right - left))
        }
      }
      samples[i * sampled + j] = sum / ((outerRows.to - outerRows.from) * (outerColumns.to - outerColumns.from))
    }
  }
  return samples
}

function summedAreaTable({ width, height, values }: Luminance): Float64Array {
  const stride = width + 1
  const sums = new Float64Array(stride * (height + 1))
  for (let row = 0, from = 0; row < height; row++) {
    let sum = 0
    for (let column = 0, at = (row + 1) * stride + 1; column < width; column++, at++, from++) {
      sum += values[from]!
      sums[at] = sums[at - stride]! + sum
    }
  }
  return sums
}

/** The box around each position along one side, clipped at both ends. */
function boxesAlong(side: number): { from: number; to: number }[] {
  const box = Math.ceil(side / (2 * sampled))
  const after = Math.floor((box + 2) / 2) - 1
  const before = box - 1 - after
  return Array.from({ length: side }, (_, at) => ({
    from: Math.max(0, at - before),
    to: Math.min(side, at + after + 1),
  }))
}

/** The sum of all differences between neighbouring samples, in whole percent. Without detail the hash is noise. */
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

// Leaves out the constant term, which is only the brightness.
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

/** Frequencies of all eight orientations. Mirroring negates every second one; transposing swaps rows and columns. */
function orientations(values: Float64Array): Float64Array[] {
  const variants: Float64Array[] = []
  for (const isSwapped of [false, true]) {
    for (const [across, down] of [
      [1, 1],
      [-1, 1],
      [1, -1],
      [-1, -1],
    ] as const) {
      variants.push(
        values.map((_, at) => {
          const [row, column] = [Math.floor(at / frequencies), at % frequencies]
          const value = isSwapped ? values[column * frequencies + row]! : values[at]!
          // Row 0 and column 0 hold frequency 1, which is odd.
          return value * (column % 2 === 0 ? across : 1) * (row % 2 === 0 ? down : 1)
        }),
      )
    }
  }
  return variants
}

function bitsAboveMedian(values: Float64Array): HashWords {
  // The lower of the two middle values, as in the published algorithm.
  const median = values.toSorted()[values.length / 2 - 1]!
  const words = new Uint32Array(8)
  values.forEach((value, bit) => {
    if (value > median) words[bit >>> 5]! |= 1 << (bit & 31)
  })
  return words
}
