// Large dark or light areas, and what looks like a corner, confuse readers: of eight masks the calmest is taken.

const masks: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_x, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
]

/** The dots under the best mask. `sign` writes into them which one that is. */
export function maskedBest(
  dots: readonly (readonly boolean[])[],
  isTaken: readonly (readonly boolean[])[],
  sign: (dots: boolean[][], mask: number) => void,
): boolean[][] {
  const candidates = masks.map((flips, mask) => {
    const masked = dots.map((row, y) => row.map((isDark, x) => isDark !== (!isTaken[y]![x] && flips(x, y))))
    sign(masked, mask)
    return { masked, points: penalty(masked) }
  })
  return candidates.reduce((best, each) => (each.points < best.points ? each : best)).masked
}

function penalty(dots: readonly (readonly boolean[])[]): number {
  const size = dots.length
  const lines = [...dots, ...dots.map((_, x) => dots.map((row) => row[x]!))].map((line) =>
    line.map((isDark) => (isDark ? '1' : '0')).join(''),
  )
  let points = 0
  for (const line of lines) {
    for (const [run] of line.matchAll(/0{5,}|1{5,}/g)) points += run.length - 2
    points += 40 * (count(line, '00001011101') + count(line, '10111010000'))
  }
  for (let y = 1; y < size; y += 1)
    for (let x = 1; x < size; x += 1) {
      const isDark = dots[y]![x]
      if (dots[y]![x - 1] === isDark && dots[y - 1]![x] === isDark && dots[y - 1]![x - 1] === isDark) points += 3
    }
  const dark = dots.flat().filter(Boolean).length / (size * size)
  return points + 10 * Math.floor(Math.abs(dark - 0.5) * 20)
}

function count(line: string, pattern: string): number {
  let found = 0
  for (let at = line.indexOf(pattern); at !== -1; at = line.indexOf(pattern, at + 1)) found += 1
  return found
}
