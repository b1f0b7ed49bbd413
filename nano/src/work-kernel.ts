import { type Code, op, valueType, wasmModule } from './wasm-module.ts'

// Blake2b-64 of a nonce and a root, for two nonces at a time in the two lanes of a SIMD vector. It leaves out what this
// input does not need: there is one input block, eleven of its words are zero, much of the first round is the same for
// all nonces, and only the first word of the last round is used.

const { i32, i64, v128 } = valueType

const initial = [
  0x6a09e667f3bcc908n,
  0xbb67ae8584caa73bn,
  0x3c6ef372fe94f82bn,
  0xa54ff53a5f1d36f1n,
  0x510e527fade682d1n,
  0x9b05688c2b3e6c1fn,
  0x1f83d9abfb41bd6bn,
  0x5be0cd19137e2179n,
]
const resultBytes = 8n
const inputBytes = 40n
const firstWord = initial[0]! ^ 0x01010000n ^ resultBytes
const startingState = [
  firstWord,
  ...initial.slice(1),
  ...initial.slice(0, 4),
  initial[4]! ^ inputBytes,
  initial[5]!,
  initial[6]! ^ 0xffffffffffffffffn, // the last block
  initial[7]!,
]

const schedule = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
  [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
  [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
  [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
  [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
  [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
  [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
  [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
  [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
]
const rounds = 12
const wordsGiven = 5
const noWord = 15
const quarters = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
] as const

// The function's parameters, then its locals.
const rootWord = (index: number) => index // 0 to 3
const [first, pairs, threshold] = [4, 5, 6]
const word = (index: number) => 7 + index // 0 to 4: the nonces, and the root in both lanes
const state = (index: number) => 12 + index
const kept = (index: number) => 28 + index // the state after the part of the first round that all nonces share
const [scratch, tried, value] = [44, 45, 46]
const byteOrder = (bits: 16 | 24) => (bits === 16 ? 47 : 48)
const localTypes = [...Array<typeof v128>(38).fill(v128), i32, v128, v128, v128]

const rotatedBytes = (bits: number) => Array.from({ length: 16 }, (_, at) => (at & 8) | ((at + bits / 8) & 7))

/** Rotates the value on the stack to the right. */
function rotate(bits: 32 | 24 | 16 | 63): Code {
  const twice = [...op.tee(scratch), ...op.get(scratch)]
  // Engines compile this word shuffle to one instruction. For other rotations they would load the byte order every
  // time, so it is kept in a local, which is 10 to 20 % faster.
  if (bits === 32) return [...twice, ...op.shuffle(rotatedBytes(bits))]
  if (bits !== 63) return [...op.get(byteOrder(bits)), ...op.swizzle]
  return [...twice, ...op.add, ...op.get(scratch), ...op.i32(bits), ...op.shiftRight, ...op.or]
}

/** left += right, plus the message word if it is not zero. */
const addInto = (left: number, right: number, message: number): Code => [
  ...op.get(left),
  ...(message < wordsGiven ? [...op.get(word(message)), ...op.add] : []),
  ...op.get(right),
  ...op.add,
  ...op.set(left),
]

/** left = (left xor right), rotated. */
const mixInto = (left: number, right: number, bits: 32 | 24 | 16 | 63): Code => [
  ...op.get(left),
  ...op.get(right),
  ...op.xor,
  ...rotate(bits),
  ...op.set(left),
]

/** Interleaves independent quarter rounds, because a processor has several adders. */
function mixQuarters(round: number, numbers: readonly number[]): Code {
  const order = schedule[round % schedule.length]!
  const each = (step: (state: Quarter, quarter: number) => Code) =>
    numbers.flatMap((number) => step(quarters[number]!.map(state) as unknown as Quarter, number))
  return [
    ...each(([a, b], number) => addInto(a, b, order[number * 2]!)),
    ...each(([a, , , d]) => mixInto(d, a, 32)),
    ...each(([, , c, d]) => addInto(c, d, noWord)),
    ...each(([, b, c]) => mixInto(b, c, 24)),
    ...each(([a, b], number) => addInto(a, b, order[number * 2 + 1]!)),
    ...each(([a, , , d]) => mixInto(d, a, 16)),
    ...each(([, , c, d]) => addInto(c, d, noWord)),
    ...each(([, b, c]) => mixInto(b, c, 63)),
  ]
}
type Quarter = readonly [a: number, b: number, c: number, d: number]

const all = (count: number, code: (index: number) => Code): Code =>
  Array.from({ length: count }, (_, at) => code(at)).flat()

/** Runs before the loop: the root in both lanes, and the three quarter rounds that do not depend on the nonce. */
const preparation: Code = [
  ...([16, 24] as const).flatMap((bits) => [...op.vector(rotatedBytes(bits)), ...op.set(byteOrder(bits))]),
  ...all(4, (index) => [...op.get(rootWord(index)), ...op.splat, ...op.set(word(index + 1))]),
  ...all(16, (index) => [...op.i64(startingState[index]!), ...op.splat, ...op.set(state(index))]),
  ...mixQuarters(0, [1, 2, 3]),
  ...all(16, (index) => [...op.get(state(index)), ...op.set(kept(index))]),
  ...[...op.get(first), ...op.splat, ...op.i64(1n), ...op.splat, ...op.i64(0n), ...op.replaceLane(0), ...op.add],
  ...op.set(word(0)),
]

const columns = [0, 1, 2, 3]
const diagonals = [4, 5, 6, 7]

/** Hashes one pair of nonces. Only the fifth and seventh quarter of the last round affect the result. */
const hashing: Code = [
  ...all(16, (index) => [...op.get(kept(index)), ...op.set(state(index))]),
  ...all(rounds, (round) => [
    ...mixQuarters(round, round === 0 ? [0] : columns),
    ...mixQuarters(round, round === rounds - 1 ? [4, 6] : diagonals),
  ]),
  ...[...op.get(state(0)), ...op.get(state(8)), ...op.xor, ...op.i64(firstWord), ...op.splat, ...op.xor],
  ...op.set(value),
]

/** Returns the distance to the nonce in this lane if its value reaches the threshold. */
const look = (lane: 0 | 1): Code => [
  ...op.block,
  ...[...op.get(value), ...op.lane(lane), ...op.get(threshold), ...op.i64AtLeast],
  ...[...op.i32IsZero, ...op.branchIf(0)],
  ...[...op.get(tried), ...op.get(tried), ...op.i32Add, ...op.i32(lane), ...op.i32Add, ...op.return],
  ...op.end,
]

/**
 * A WebAssembly module with one function, `search(root…, first, pairs, threshold)`: tries `2 * pairs` nonces starting at
 * `first`, and returns the distance of the first good one, or -1.
 */
export const workKernel = (): Uint8Array<ArrayBuffer> =>
  wasmModule({
    name: 'search',
    parameters: [i64, i64, i64, i64, i64, i32, i64],
    result: i32,
    locals: localTypes,
    code: [
      preparation,
      op.loop,
      hashing,
      look(0),
      look(1),
      [...op.get(word(0)), ...op.i64(2n), ...op.splat, ...op.add, ...op.set(word(0))],
      [...op.get(tried), ...op.i32(1), ...op.i32Add, ...op.tee(tried), ...op.get(pairs), ...op.i32LessThan],
      op.branchIf(0),
      op.end,
      op.i32(-1),
    ],
  })
