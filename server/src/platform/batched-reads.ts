interface Waiting<Key, Value> {
  readonly key: Key
  resolve(value: Value): void
  reject(error: unknown): void
}

interface BatchOptions {
  readonly maxKeys: number
  /** How many batches may run at the same time. Further callers wait and share the next one. */
  readonly maxBatches: number
}

/**
 * Serves many callers with one query: those that call at the same moment, or while a batch is running. No caller gets a
 * value that was read before its call. Each caller is a request, so no more can wait than there are requests in progress.
 * `readAll` returns a value for each key, in the same order.
 */
export function batchedReads<Key, Value>(
  readAll: (keys: readonly Key[]) => Promise<readonly Value[]>,
  { maxKeys, maxBatches }: BatchOptions,
): (key: Key) => Promise<Value> {
  const waiting: Waiting<Key, Value>[] = []
  let running = 0
  let isPlanned = false

  async function runBatch(): Promise<void> {
    const batch = waiting.splice(0, maxKeys)
    running += 1
    try {
      const values = await readAll(batch.map(({ key }) => key))
      for (const [index, { resolve }] of batch.entries()) resolve(values[index]!)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    } finally {
      running -= 1
      runNext()
    }
  }
  function runNext(): void {
    while (waiting.length > 0 && running < maxBatches) void runBatch()
  }
  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject })
      if (isPlanned) return
      isPlanned = true
      // Runs after all requests that arrived together have called.
      setImmediate(() => {
        isPlanned = false
        runNext()
      })
    })
}
