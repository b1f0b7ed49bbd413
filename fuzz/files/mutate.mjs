/** What replaces a number in a file: boundaries, and values near the one that is there. */
const interesting = [0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff]

/** A marker that must never be part of anything that is published. */
export const marker = '<script>MARKER-OF-A-POLYGLOT</script>'

const mutations = {
  flipBit(bytes, random) {
    const at = random.int(0, bytes.length - 1)
    bytes[at] ^= 1 << random.int(0, 7)
    return bytes
  },
  setByte(bytes, random) {
    bytes[random.int(0, bytes.length - 1)] = random.pick([0, 1, 0x7f, 0x80, 0xfe, 0xff, random.int(0, 255)])
    return bytes
  },
  truncate: (bytes, random) => bytes.subarray(0, random.int(0, bytes.length)),
  dropStart: (bytes, random) => bytes.subarray(random.int(1, Math.min(40, bytes.length))),
  append: (bytes, random) =>
    Buffer.concat([bytes, random.pick([random.bytes(random.int(1, 30)), Buffer.from(marker)])]),
  prepend: (bytes, random) => Buffer.concat([random.pick([random.bytes(4), Buffer.from(marker)]), bytes]),
  insert(bytes, random) {
    const at = random.int(0, bytes.length)
    const added = random.pick([random.bytes(random.int(1, 8)), Buffer.from(marker), Buffer.alloc(4)])
    return Buffer.concat([bytes.subarray(0, at), added, bytes.subarray(at)])
  },
  remove(bytes, random) {
    const at = random.int(0, bytes.length - 1)
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + random.int(1, 20))])
  },
  repeatPart(bytes, random) {
    const from = random.int(0, bytes.length - 1)
    const part = bytes.subarray(from, from + random.int(1, 80))
    const at = random.int(0, bytes.length)
    return Buffer.concat([bytes.subarray(0, at), part, bytes.subarray(at)])
  },
  swapParts(bytes, random) {
    const [a, b, c] = [0, 0, 0].map(() => random.int(0, bytes.length)).sort((x, y) => x - y)
    return Buffer.concat([bytes.subarray(0, a), bytes.subarray(b, c), bytes.subarray(a, b), bytes.subarray(c)])
  },
  /** Writes a number where a length, an offset or a dimension may be. */
  setNumber(bytes, random) {
    const size = random.pick([2, 4])
    if (bytes.length < size) return bytes
    const at = random.int(0, bytes.length - size)
    const isBig = random.chance(0.5)
    const current = isBig ? bytes.readUIntBE(at, size) : bytes.readUIntLE(at, size)
    const value = random.chance(0.5) ? current + random.int(-3, 3) : random.pick(interesting)
    const fitting = ((value % 2 ** (8 * size)) + 2 ** (8 * size)) % 2 ** (8 * size)
    if (isBig) bytes.writeUIntBE(fitting, at, size)
    else bytes.writeUIntLE(fitting, at, size)
    return bytes
  },
  /** The beginning of one file and the end of another. */
  splice(bytes, random, other) {
    return Buffer.concat([bytes.subarray(0, random.int(0, bytes.length)), other.subarray(random.int(0, other.length))])
  },
}
const names = Object.keys(mutations)

/** Changes a file one to six times. `other` is another seed, for splices. The seed itself stays as it is. */
export function mutate(seed, other, random) {
  let bytes = Buffer.from(seed)
  const times = random.pick([1, 1, 1, 2, 2, 3, 6])
  for (let time = 0; time < times && bytes.length > 0; time += 1)
    bytes = Buffer.from(mutations[random.pick(names)](bytes, random, other))
  return bytes
}
