import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createWorkSearch } from '../../nano/dist/work-search.js'
import { median } from '../median.mjs'

// A package under GPL-3, so it is not a dependency: it is installed into a temporary folder for this comparison only.
const otherPackage = 'nanocurrency@2.5.0'
const rounds = 9
const threshold = 2n ** 64n - 2n ** 43n // two million hashes on average
const minHashes = 500_000
const pairsPerCall = 1 << 16

export default {
  name: 'nano',
  title: 'Nano',
  async trials() {
    const folder = mkdtempSync(join(tmpdir(), 'pennypost-bench-'))
    try {
      console.log(`Installing ${otherPackage} into a temporary folder for comparison…`)
      execFileSync('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--prefix', folder, otherPackage])
      const { computeWork } = createRequire(join(folder, 'node_modules', 'x.js'))('nanocurrency')
      return [await compareHashing(computeWork)]
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

/** Both search from nonce zero and find the same one, so the number of hashes is known and equal. */
async function compareHashing(computeWork) {
  const search = await createWorkSearch()
  const ours = (root) => {
    for (let first = 0n; ; first += 2n * BigInt(pairsPerCall)) {
      const work = search(root, threshold, first, pairsPerCall)
      if (work !== undefined) return work
    }
  }
  const theirs = (root) => computeWork(root, { workThreshold: threshold.toString(16) })
  const pairs = []
  for (let round = 0; round <= rounds; round += 1) {
    const root = findSlowRoot(ours)
    const [mine, other] = [await perProcessorSecond(ours, root), await perProcessorSecond(theirs, root)]
    if (mine.work !== other.work) throw new Error(`${root}: ${mine.work} and ${other.work} are not the same work`)
    if (round > 0) pairs.push([mine.hashes, other.hashes]) // the first round is the warm-up
  }
  const ratio = median(pairs.map(([mine, other]) => mine / other))
  const millions = (hashes) => `${(hashes / 1e6).toFixed(2)} million`
  return {
    label: 'proof of work: hashes per second on one core',
    ours: millions(median(pairs.map(([mine]) => mine))),
    reference: `${millions(median(pairs.map(([, other]) => other)))} (${otherPackage}), ratio ${ratio.toFixed(2)}`,
    goal: 'ratio 3',
    isMet: ratio >= 3,
  }
}

function findSlowRoot(search) {
  for (;;) {
    const root = randomBytes(32).toString('hex').toUpperCase()
    if (Number.parseInt(search(root), 16) >= minHashes) return root
  }
}

/** Hashes per second of CPU time, which other programs on the machine do not change. */
async function perProcessorSecond(search, root) {
  const before = process.cpuUsage()
  const work = await search(root)
  const { user, system } = process.cpuUsage(before)
  return { work, hashes: (Number.parseInt(work, 16) + 1) / ((user + system) / 1e6) }
}
