import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createWorkSearch } from '../../nano/dist/work-search.js'

// A package under GPL-3, which therefore is no dependency of ours: it is installed aside for this measurement, and gone
// after it.
const rival = 'nanocurrency@2.5.0'
const rounds = 9
const threshold = 2n ** 64n - 2n ** 43n // two million hashes on average
const fewestHashes = 500_000
const pairsAtOnce = 1 << 16

export default {
  name: 'nano',
  title: 'Nano: proof of work',
  async trials() {
    const folder = mkdtempSync(join(tmpdir(), 'pennypost-bench-'))
    try {
      console.log(`Installing ${rival} into a temporary folder, to compare with…`)
      execFileSync('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--prefix', folder, rival])
      const { computeWork } = createRequire(join(folder, 'node_modules', 'x.js'))('nanocurrency')
      return [await compareHashing(computeWork)]
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

/** Both begin at nonce zero and end at the same one, so that what they have hashed is known, and the same. */
async function compareHashing(computeWork) {
  const search = await createWorkSearch()
  const ours = (root) => {
    for (let first = 0n; ; first += 2n * BigInt(pairsAtOnce)) {
      const work = search(root, threshold, first, pairsAtOnce)
      if (work !== undefined) return work
    }
  }
  const theirs = (root) => computeWork(root, { workThreshold: threshold.toString(16) })
  const pairs = []
  for (let round = 0; round <= rounds; round += 1) {
    const root = rootThatTakesLong(ours)
    const [mine, other] = [await perProcessorSecond(ours, root), await perProcessorSecond(theirs, root)]
    if (mine.work !== other.work) throw new Error(`${root}: ${mine.work} and ${other.work} are not the same work`)
    if (round > 0) pairs.push([mine.hashes, other.hashes]) // the first warms up
  }
  const middle = (figures) => figures.toSorted((left, right) => left - right)[figures.length >> 1]
  const ratio = middle(pairs.map(([mine, other]) => mine / other))
  const millions = (hashes) => `${(hashes / 1e6).toFixed(2)} million`
  return {
    label: 'proof of work: hashes a second of one core',
    ours: millions(middle(pairs.map(([mine]) => mine))),
    reference: `${millions(middle(pairs.map(([, other]) => other)))} (${rival}), ratio ${ratio.toFixed(2)}`,
    wanted: 'ratio 3',
    isMet: ratio >= 3,
  }
}

function rootThatTakesLong(search) {
  for (;;) {
    const root = randomBytes(32).toString('hex').toUpperCase()
    if (Number.parseInt(search(root), 16) >= fewestHashes) return root
  }
}

/** By processor time: what else the machine does changes nothing. */
async function perProcessorSecond(search, root) {
  const before = process.cpuUsage()
  const work = await search(root)
  const { user, system } = process.cpuUsage(before)
  return { work, hashes: (Number.parseInt(work, 16) + 1) / ((user + system) / 1e6) }
}
