/** Runs `work` on all items, a number of them at a time. Returns the results in order. */
export async function inParallel(count, items, work) {
  const results = []
  let next = 0
  const worker = async () => {
    while (next < items.length) {
      const index = next++
      results[index] = await work(items[index])
    }
  }
  await Promise.all(Array.from({ length: count }, worker))
  return results
}
