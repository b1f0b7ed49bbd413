/** The names that someone probably meant, nearest first. */
export function suggestions(typed: string, names: readonly string[]): string[] {
  const most = Math.max(1, Math.floor(typed.length / 3))
  return names
    .map((name) => ({ name, distance: name.startsWith(typed) && typed.length > 1 ? 0.5 : distanceOf(typed, name) }))
    .filter(({ distance }) => distance <= most)
    .sort((one, other) => one.distance - other.distance || (one.name < other.name ? -1 : 1))
    .slice(0, 3)
    .map(({ name }) => name)
}

export const didYouMean = (names: readonly string[]): string[] =>
  names.length === 0 ? [] : [`Did you mean ${names.join(' or ')}?`]

/** How many letters differ: added, missing, wrong, or swapped with their neighbour. */
function distanceOf(one: string, other: string): number {
  const rows = [Array.from({ length: other.length + 1 }, (_, index) => index)]
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= other.length; j += 1) {
      const cost = one[i - 1] === other[j - 1] ? 0 : 1
      row[j] = Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, rows[i - 1]![j - 1]! + cost)
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      if (isSwapped) row[j] = Math.min(row[j]!, rows[i - 2]![j - 2]! + 1)
    }
    rows.push(row)
  }
  return rows[one.length]![other.length]!
}
