// Histograms of durations by two labels, in the Prometheus text format. We keep our own because they record every request
// and every call: an observation takes about 30 ns, and over 1 µs with prom-client.

export interface LatencyHistogram {
  /** Returns the function that records durations under one value of the first label. */
  of(first: string): (second: string | number, seconds: number) => void
  /** In the Prometheus text format. */
  text(): string
}

export interface HistogramOptions {
  readonly name: string
  readonly help: string
  /** Labels have only our own values: names of operations, jobs and outcomes, never anything that a client sent. */
  readonly labels: readonly [string, string]
  readonly bounds: readonly number[]
}

interface Times {
  readonly counts: number[]
  sum: number
}

export function createLatencyHistogram({ name, help, labels, bounds }: HistogramOptions): LatencyHistogram {
  const all = new Map<string, Map<string | number, Times>>()

  function linesOf(pair: string, { counts, sum }: Times): string[] {
    let total = 0
    const buckets = counts.map((count, index) => {
      total += count
      return `${name}_bucket{le="${bounds[index] ?? '+Inf'}",${pair}} ${total}`
    })
    return [...buckets, `${name}_sum{${pair}} ${sum}`, `${name}_count{${pair}} ${total}`]
  }

  return {
    of(first) {
      const bySecond = all.get(first) ?? new Map<string | number, Times>()
      all.set(first, bySecond)
      return (second, seconds) => {
        let times = bySecond.get(second)
        if (!times) {
          times = { counts: new Array(bounds.length + 1).fill(0), sum: 0 }
          bySecond.set(second, times)
        }
        let bucket = 0
        while (bucket < bounds.length && seconds > bounds[bucket]!) bucket += 1
        times.counts[bucket]! += 1
        times.sum += seconds
      }
    },
    text() {
      const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`]
      for (const [first, bySecond] of all) {
        for (const [second, times] of bySecond)
          lines.push(...linesOf(`${labels[0]}="${first}",${labels[1]}="${second}"`, times))
      }
      return `${lines.join('\n')}\n`
    },
  }
}
