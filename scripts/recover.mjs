// npm run recover                  recovers what the database lost, after it was restored from a backup or failed over:
//                                  orders, purchases and payments that are in the journal or on the chain. Money whose
//                                  purpose is lost goes back to its sender. Uses the service's settings; the service may
//                                  be running or stopped. Safe to repeat.
// npm run recover -- --dry-run     only lists what was lost
// npm run recover -- --since=DATE  also tries every address that may have been given out since then. Only needed if the
//                                  journal in DATA_DIR is lost; takes about an hour for each day.
import { prepareOnce } from './prepare.mjs'

const isDryRun = process.argv.includes('--dry-run')
const date = process.argv.find((argument) => argument.startsWith('--since='))?.slice('--since='.length)
const since = date === undefined ? undefined : new Date(date)
if (since && Number.isNaN(since.getTime())) {
  console.error(`--since: ${date} is not a date; write it like 2026-11-16T10:00:00Z`)
  process.exit(1)
}

await prepareOnce()
const { readConfig } = await import('../server/dist/config.js')
const { createLog } = await import('../server/dist/platform/log.js')
const { recoverService } = await import('../server/dist/recover.js')

const options = { isDryRun, since, onLine: (line) => console.log(line) }
const { recovered, returning, unrecoverable } = await recoverService(
  readConfig(process.env),
  createLog('error'),
  options,
)
if (!isDryRun) {
  console.log(`${recovered} recovered, ${returning} sent back, ${unrecoverable.length} need a person`)
  console.log('Run npm run audit to check that books and chains agree.')
}
process.exit(unrecoverable.length === 0 ? 0 : 1)
