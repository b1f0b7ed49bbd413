import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'

const hangSeconds = 120
/** How many of the inputs go through a real decoder process: each takes milliseconds instead of microseconds. */
const decodedShare = 0.01

/** Sends mutated archives and images through the code that clears uploads. */
export async function fuzzFiles({ count, seeds, log = console.log }) {
  const workers = Math.min(2, availableParallelism())
  const current = new Int32Array(new SharedArrayBuffer(4 * workers))
  const findings = new Map()
  const outcomes = {}
  const startedAt = performance.now()
  const note = ({ seed, index, problem, bytes }) => {
    const title = problem.split('\n')[0]
    const known = findings.get(title)
    if (known) {
      known.times += 1
      return
    }
    const folder = join(tmpdir(), 'pennypost-fuzz-findings')
    const path = join(folder, `${seed}-${index}`)
    mkdirSync(folder, { recursive: true })
    writeFileSync(path, bytes)
    findings.set(title, { title, times: 1 })
    log(`FOUND ${problem}\n  input ${index} of seed ${seed}, saved as ${path}`)
  }
  const run = (first) =>
    new Promise((resolve, reject) => {
      const workerData = { seeds, count, first, step: workers, decodedShare, current }
      const worker = new Worker(new URL('worker.mjs', import.meta.url), { workerData })
      let last = -1
      const watch = setInterval(() => {
        const index = Atomics.load(current, first)
        if (index === last) {
          findings.set(`input ${index} does not end`, {
            title: `input ${index} does not end`,
            times: 1,
          })
          worker.terminate()
        }
        last = index
      }, hangSeconds * 1000)
      worker.on('message', (message) => {
        if (message.problem) return note(message)
        for (const [family, counts] of Object.entries(message.outcomes)) {
          outcomes[family] ??= {}
          for (const [outcome, times] of Object.entries(counts))
            outcomes[family][outcome] = (outcomes[family][outcome] ?? 0) + times
        }
      })
      worker.on('error', reject)
      worker.on('exit', () => {
        clearInterval(watch)
        resolve()
      })
    })
  await Promise.all(Array.from({ length: workers }, (_, first) => run(first)))
  const seconds = (performance.now() - startedAt) / 1000
  return { files: count, perSecond: Math.round(count / seconds), outcomes, findings: [...findings.values()] }
}
