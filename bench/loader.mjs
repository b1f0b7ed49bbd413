import autocannon from 'autocannon'

// The load comes from a process of its own: what it spends is not spent by the one that keeps the books.

process.on('disconnect', () => process.exit())
process.on('message', async (load) => process.send(await loadOnce(load)))
process.send({})

async function loadOnce({ url, method, headers, body, paths, connections, seconds, perSecond }) {
  const run = autocannon({
    ...{ url, method, headers, body, connections },
    duration: seconds,
    ...(perSecond && { overallRate: perSecond }), // left out: as fast as the answers come
    // Any of the paths, each time: what was just asked should not be asked again.
    ...(paths && { requests: [{ method, headers, setupRequest: (request) => ({ ...request, path: anyOf(paths) }) }] }),
    sampleInt: 50, // how far the end may overshoot
    timeout: 10,
  })
  // The histogram of autocannon counts whole milliseconds, and most replies take less than one.
  const latencies = []
  run.on('response', (_client, _status, _bytes, milliseconds) => latencies.push(milliseconds))
  const { errors, start, finish, statusCodeStats } = await run
  const sorted = Float64Array.from(latencies).sort()
  const percentile = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return {
    errors,
    statuses: Object.fromEntries(Object.entries(statusCodeStats).map(([status, { count }]) => [status, count])),
    requests: sorted.length,
    perSecond: sorted.length / ((finish - start) / 1000),
    p50: percentile(0.5),
    p99: percentile(0.99),
  }
}

const anyOf = (list) => list[Math.floor(Math.random() * list.length)]
