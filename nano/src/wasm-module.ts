// The part of the WebAssembly binary format that one exported function needs: https://webassembly.github.io/spec/core/binary/

export type Code = readonly number[]

export const valueType = { i32: 0x7f, i64: 0x7e, v128: 0x7b } as const
type ValueType = (typeof valueType)[keyof typeof valueType]

/** Unsigned LEB128, for sizes and indexes. */
export function unsigned(value: number): Code {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)]
}

/** Signed LEB128, for constants. */
export function signed(value: bigint): Code {
  const low = Number(value & 0x7fn)
  const rest = value >> 7n
  const isLast = (rest === 0n && (low & 0x40) === 0) || (rest === -1n && (low & 0x40) !== 0)
  return isLast ? [low] : [low | 0x80, ...signed(rest)]
}

const vector = (items: readonly Code[]): Code => [...unsigned(items.length), ...items.flat()]
const sized = (content: Code): Code => [...unsigned(content.length), ...content]
const section = (id: number, content: Code): Code => [id, ...sized(content)]
const bytesOfText = (text: string): Code => sized([...text].map((letter) => letter.charCodeAt(0)))

const simd = (opcode: number): Code => [0xfd, ...unsigned(opcode)]

export const op = {
  block: [0x02, 0x40],
  loop: [0x03, 0x40],
  end: [0x0b],
  branchIf: (depth: number): Code => [0x0d, ...unsigned(depth)],
  return: [0x0f],
  get: (local: number): Code => [0x20, ...unsigned(local)],
  set: (local: number): Code => [0x21, ...unsigned(local)],
  tee: (local: number): Code => [0x22, ...unsigned(local)],
  i32: (value: number): Code => [0x41, ...signed(BigInt(value))],
  i64: (value: bigint): Code => [0x42, ...signed(BigInt.asIntN(64, value))],
  i32IsZero: [0x45],
  i32Add: [0x6a],
  i32LessThan: [0x49],
  i64AtLeast: [0x5a],
  vector: (bytes: readonly number[]): Code => [...simd(0x0c), ...bytes],
  shuffle: (lanes: readonly number[]): Code => [...simd(0x0d), ...lanes],
  swizzle: simd(0x0e),
  splat: simd(0x12),
  lane: (index: number): Code => [...simd(0x1d), index],
  replaceLane: (index: number): Code => [...simd(0x1e), index],
  or: simd(0x50),
  xor: simd(0x51),
  shiftRight: simd(0xcd),
  add: simd(0xce),
} as const

export interface WasmFunction {
  readonly name: string
  readonly parameters: readonly ValueType[]
  readonly result: ValueType
  /** Local variables, numbered after the parameters. */
  readonly locals: readonly ValueType[]
  readonly code: readonly Code[]
}

/** A module that exports this function and imports nothing. */
export function wasmModule({ name, parameters, result, locals, code }: WasmFunction): Uint8Array<ArrayBuffer> {
  const type = [0x60, ...vector(parameters.map((kind) => [kind])), ...vector([[result]])]
  const body = sized([...vector(locals.map((kind) => [1, kind])), ...code.flat(), ...op.end])
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, vector([type])),
    ...section(3, vector([[0]])),
    ...section(7, vector([[...bytesOfText(name), 0x00, 0]])),
    ...section(10, vector([body])),
  ])
}
