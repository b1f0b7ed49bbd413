// A hundred buyers pay with USDC and Nano while processes, nodes and a facilitator fail. Writes its table into bench/RESULTS.md.
// CHAOS_BUYERS sets the number of buyers, CHAOS_SEED the sequence of faults.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

process.env.CHAOS_BUYERS ??= '100'
const folder = mkdtempSync(join(tmpdir(), 'pennypost-chaos-result-'))
process.env.CHAOS_RESULT = join(folder, 'result.json')
process.argv = [...process.argv.slice(0, 2), '--slow', 'access/chaos/']
try {
  await import('../../scripts/test.mjs')
  if (existsSync(process.env.CHAOS_RESULT)) await record(JSON.parse(readFileSync(process.env.CHAOS_RESULT, 'utf8')))
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function record(found) {
  const { recordTrials } = await import('../../bench/results.mjs')
  const list = (counts) =>
    Object.entries(counts)
      .map(([name, count]) => `${count} ${name}`)
      .join(', ')
  const none = (label, count) => ({ label, ours: count, goal: 'none', isMet: count === 0 })
  recordTrials({ name: 'chaos', title: 'Chaos' }, [
    {
      label: `requests of buyers: ${list(found.buyers)}; ${found.forgetful} of them lose what they signed`,
      ours: found.asked,
    },
    ...found.phases.map(({ name, seconds }) => ({
      label: `seconds until every buyer had access, with ${name}`,
      ours: seconds,
    })),
    ...Object.entries(found.deeds).map(([deed, times]) => ({ label: `fault: ${deed}`, ours: times })),
    { label: 'replies: payment pending, wait', ours: found.pending },
    { label: 'requests without a usable reply', ours: found.broken },
    { label: 'signatures of all buyers', ours: found.signed },
    none('buyers without access at the end', found.unserved),
    none("charged twice in USDC, by the token's transfers", found.twice),
    none("charged twice in Nano, by the wallet's balance", found.overcharged),
    none('payments still open at the end', found.stillOpen),
    none('findings of the audit', found.findings.length),
  ])
}
