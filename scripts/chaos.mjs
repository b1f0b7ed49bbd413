// npm run chaos     a hundred buyers pay with USDC and Nano while processes, nodes and a facilitator die and lie. Writes
//                   the table in bench/RESULTS.md. CHAOS_BUYERS sets how many, CHAOS_SEED what goes wrong when.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

process.env.CHAOS_BUYERS ??= '100'
const folder = mkdtempSync(join(tmpdir(), 'pennypost-chaos-result-'))
process.env.CHAOS_RESULT = join(folder, 'result.json')
process.argv.push('--slow', 'access/chaos/')
try {
  await import('./test.mjs')
  if (existsSync(process.env.CHAOS_RESULT)) await record(JSON.parse(readFileSync(process.env.CHAOS_RESULT, 'utf8')))
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function record(found) {
  const { recordTrials } = await import('../bench/results.mjs')
  const list = (counts) =>
    Object.entries(counts)
      .map(([name, count]) => `${count} ${name}`)
      .join(', ')
  const none = (label, count) => ({ label, ours: count, wanted: 'none', isMet: count === 0 })
  recordTrials({ name: 'chaos', title: 'Chaos' }, [
    {
      label: `requests of buyers: ${list(found.buyers)}; ${found.forgetful} of them forget what they signed`,
      ours: found.asked,
    },
    ...found.phases.map(({ name, seconds }) => ({ label: `seconds until all are served, by ${name}`, ours: seconds })),
    ...Object.entries(found.deeds).map(([deed, times]) => ({ label: `done to us: ${deed}`, ours: times })),
    { label: 'told to wait for a payment that is under way', ours: found.pending },
    { label: 'no answer, or none of use', ours: found.broken },
    { label: 'signed, by all buyers', ours: found.signed },
    none('paid, or not, and unserved', found.unserved),
    none('charged twice: USDC by the transfers of the token', found.twice),
    none('charged twice: Nano by the balance of the wallet', found.overcharged),
    none('still open at the end', found.stillOpen),
    none('what the auditor finds wrong', found.findings.length),
  ])
}
