/**
 * Random numbers from a seed (mulberry32): the same seed gives the same sequence on every machine.
 * `fork(number)` starts an independent sequence, so that input 17 is the same whatever came before it.
 */
export function createRandom(seed) {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  const int = (min, max) => min + Math.floor(next() * (max - min + 1))
  return {
    int,
    chance: (probability) => next() < probability,
    pick: (list) => list[Math.floor(next() * list.length)],
    /** Picks a key of `{ name: weight }`. */
    weighted(weights) {
      let left = next() * Object.values(weights).reduce((sum, weight) => sum + weight, 0)
      for (const [name, weight] of Object.entries(weights)) {
        left -= weight
        if (left < 0) return name
      }
      return Object.keys(weights)[0]
    },
    bytes: (length) => Buffer.from(Array.from({ length }, () => int(0, 255))),
    uuid() {
      const hex = Array.from({ length: 32 }, () => int(0, 15).toString(16)).join('')
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`
    },
    fork: (number) => createRandom(Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(number + 1, 0xc2b2ae35)),
  }
}
