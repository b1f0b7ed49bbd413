// npm run chaos                        the cluster (see cluster/README.md) sells, while its parts are killed, frozen, cut off and filled.
//                                      Writes its table into bench/RESULTS.md. About seven minutes
// npm run chaos -- --full --rounds 5   as many rounds of 500 payments, 25 kills and 5 crashes of the primary, of about four minutes each
//                                      (20 without a number; --payments changes their size). They are added to those of other days: bench/chaos-rounds.jsonl
// npm run chaos -- rails               a hundred buyers pay with USDC and Nano while nodes, a facilitator and two processes fail
// CHAOS_SEED decides which faults happen, CLUSTER_PORT is the first of about a hundred ports.
import { parseArgs } from 'node:util'
import { canMount, insideNamespace } from '../cluster/network/disk.mjs'
import { spawnWatched } from './prepare.mjs'

const options = { full: { type: 'boolean', default: false }, rounds: { type: 'string' }, payments: { type: 'string' } }
const { positionals, values } = parseArgs({ allowPositionals: true, options })
const rounds = values.full ? Number(values.rounds ?? 20) : undefined
const seed = Number(process.env.CHAOS_SEED ?? (rounds ? Date.now() % 1_000_000 : 1))
const inside = canMount() ? undefined : insideNamespace([process.execPath, ...process.argv.slice(1)])

if (positionals[0] === 'rails') await import('../cluster/chaos/rails.mjs')
else if (inside) await runInside(inside)
else {
  if (!canMount()) console.log('Nothing can be mounted here, so no disk is filled.')
  const { chaosOfCluster } = await import('../cluster/chaos/run.mjs')
  await chaosOfCluster({ rounds, payments: Number(values.payments ?? 500), seed })
}

/** Again, where file systems that are mounted vanish with the last process. */
async function runInside({ command: [program, ...args], env }) {
  const child = spawnWatched(program, args, { env: { ...process.env, ...env }, output: ['inherit', 'inherit'] })
  process.exitCode = await new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)))
}
