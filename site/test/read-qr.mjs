// Reads a code off the page, as a phone would, so that what is drawn is what it says.

// How many blocks there are and how many words each has for correction, by level (M is 0, L is 1) and version.
const blocks = {
  0: { 5: [2, 24], 6: [4, 16], 7: [4, 18], 8: [4, 22], 9: [5, 22], 10: [5, 26] },
  1: { 17: [6, 28], 18: [6, 30], 19: [7, 28], 20: [8, 28], 21: [8, 28], 22: [9, 28], 23: [9, 30], 24: [10, 30] },
}
const masks = [
  (x, y) => (x + y) % 2,
  (_x, y) => y % 2,
  (x) => x % 3,
  (x, y) => (x + y) % 3,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2,
  (x, y) => ((x * y) % 2) + ((x * y) % 3),
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2,
]

/** The dots of an SVG that is drawn as runs. */
export async function readQr(svg) {
  const { path, box } = await svg.evaluate((element) => ({
    path: element.querySelector('path').getAttribute('d'),
    box: element.getAttribute('viewBox'),
  }))
  const size = Number(box.split(' ')[2]) - 8
  const dots = Array.from({ length: size }, () => new Array(size).fill(0))
  for (const [, x, y, length] of path.matchAll(/M(\d+) (\d+)h(\d+)v1/g))
    for (let index = 0; index < Number(length); index += 1) dots[y - 4][Number(x) - 4 + index] = 1
  return textOf(dots)
}

function textOf(dots) {
  const size = dots.length
  const version = (size - 17) / 4
  let format = 0
  for (let index = 14; index >= 8; index -= 1) format = format * 2 + dots[size - 15 + index][8]
  for (let index = 7; index >= 0; index -= 1) format = format * 2 + dots[8][size - 1 - index]
  format ^= 0x5412
  const [level, mask] = [format >> 13, (format >> 10) & 7]
  const words = wordsOf(dots, version, masks[mask])
  const [count, extra] = blocks[level][version]
  const whole = words.length - count * extra
  const short = Math.floor(whole / count)
  const parts = Array.from({ length: count }, () => [])
  const longer = whole % count
  for (let index = 0, at = 0; at < whole; index += 1)
    for (let block = 0; block < count; block += 1)
      if (index < short || block >= count - longer) {
        parts[block].push(words[at])
        at += 1
      }
  const bits = parts
    .flat()
    .map((word) => word.toString(2).padStart(8, '0'))
    .join('')
  const lengthBits = version < 10 ? 8 : 16
  const length = Number.parseInt(bits.slice(4, 4 + lengthBits), 2)
  const bytes = Array.from({ length }, (_, index) => {
    const start = 4 + lengthBits + index * 8
    return Number.parseInt(bits.slice(start, start + 8), 2)
  })
  return Buffer.from(bytes).toString()
}

function wordsOf(dots, version, mask) {
  const size = dots.length
  const marks = marksOf(version, size)
  const isFixed = (x, y) =>
    (x < 9 && y < 9) ||
    (x > size - 9 && y < 9) ||
    (x < 9 && y > size - 9) ||
    x === 6 ||
    y === 6 ||
    (version >= 7 && ((y < 6 && x > size - 12) || (x < 6 && y > size - 12))) ||
    marks.some(([mx, my]) => Math.abs(mx - x) <= 2 && Math.abs(my - y) <= 2)
  const bits = []
  let goesUp = true
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right = 5
    for (let step = 0; step < size; step += 1)
      for (const x of [right, right - 1]) {
        const y = goesUp ? size - 1 - step : step
        if (!isFixed(x, y)) bits.push(dots[y][x] ^ (mask(x, y) === 0 ? 1 : 0))
      }
    goesUp = !goesUp
  }
  return Array.from({ length: bits.length >> 3 }, (_, index) =>
    Number.parseInt(bits.slice(index * 8, index * 8 + 8).join(''), 2),
  )
}

function marksOf(version, size) {
  const places = {
    5: [6, 30],
    6: [6, 34],
    7: [6, 22, 38],
    8: [6, 24, 42],
    9: [6, 26, 46],
    10: [6, 28, 50],
    17: [6, 30, 54, 78],
    18: [6, 30, 56, 82],
    19: [6, 30, 58, 86],
    20: [6, 34, 62, 90],
    21: [6, 28, 50, 72, 94],
    22: [6, 26, 50, 74, 98],
    23: [6, 30, 54, 78, 102],
    24: [6, 28, 54, 80, 106],
  }[version]
  const last = size - 7
  return places
    .flatMap((x) => places.map((y) => [x, y]))
    .filter(([x, y]) => !((x === 6 && y === 6) || (x === 6 && y === last) || (x === last && y === 6)))
}
