import type { Clock } from '../../../platform/clock.ts'

const lagMs = 60_000

/**
 * Finds nodes that are behind the others by their numbers of confirmed blocks. A node is behind if it has not reached what
 * another one had a minute ago, or has less than half of what another one has now, as an empty one does.
 */
export function createLagDetector<Node>(clock: Clock): (counts: ReadonlyMap<Node, number>) => Set<Node> {
  // The highest count at each time, oldest first. All but the newest of those older than a minute are dropped.
  const highest: { readonly at: number; readonly count: number }[] = []
  return (counts) => {
    const now = clock.now().getTime()
    const best = Math.max(0, ...counts.values())
    highest.push({ at: now, count: best })
    while (highest[1] && highest[1].at <= now - lagMs) highest.shift()
    const expected = highest[0]!.at <= now - lagMs ? highest[0]!.count : 0
    const isBehind = (count: number) => count < expected || count * 2 < best
    return new Set([...counts].filter(([, count]) => isBehind(count)).map(([node]) => node))
  }
}
