import { getPriority, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { createWorkSearch } from '@pennypost/nano/work-search'
import type { Search } from './work-threads.ts'

// About a fiftieth of a second: the longest that a cancelled search continues.
const pairsPerSearch = 1 << 16
const lowerBy = 10
const lowestPriority = 19

// On Linux this is the priority of the thread alone; elsewhere it would be that of the whole service.
// Below the service's own, which may be low already: a higher one would not be allowed.
if (process.platform === 'linux') setPriority(Math.min(lowestPriority, getPriority() + lowerBy))

const port = parentPort!
const search = await createWorkSearch()

port.on('message', ({ root, threshold, first, stop }: Search) => {
  const isStopped = new Int32Array(stop)
  try {
    let work: string | undefined
    for (let at = first; work === undefined && Atomics.load(isStopped, 0) === 0; at += 2n * BigInt(pairsPerSearch)) {
      work = search(root, threshold, at, pairsPerSearch)
    }
    Atomics.store(isStopped, 0, 1)
    port.postMessage({ work })
  } catch (error) {
    port.postMessage({ error })
  }
})
port.postMessage('ready')
