// npm test                          every test but the slow ones
// npm test -- accounts keys         the tests whose file path contains one of these words
// npm test -- --once-more           a file that fails is run once more, alone; for machines that others use too
// npm run test:slow                 the tests named *.slow.test.ts, with --once-more
// npm run test:slow -- --within=12  begins no further file after twelve minutes, and says which it left out
// npm test -- --test-name-pattern=… further options of Node's test runner
// npm run test:repeat -- late-money  each matching file fifty times (--repeat=N: N times); with --slow, slow ones
// npm test -- --update-unreached    writes the list of declared refusals that no test reaches
import { chmodSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, relative } from 'node:path'
import { createFastFolder } from './fast-folder.mjs'
import { filesBelow, prepare, projects, root } from './prepare.mjs'
import { checkRefusals } from './test-refusals.mjs'
import { beginBefore, muchNewSpace, runTestFiles } from './test-runner.mjs'

const isSlow = (file) => file.endsWith('.slow.test.js')

await prepare()
const own = /^--(slow|once-more|update-unreached|repeat=\d+|within=\d+)$/
const options = process.argv.slice(2).filter((argument) => argument.startsWith('--') && !own.test(argument))
const times = Number(
  process.argv.findLast((argument) => argument.startsWith('--repeat='))?.slice('--repeat='.length) ?? 1,
)
const filters = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const onlySlow = process.argv.includes('--slow')
const all = projects()
  .flatMap((project) => filesBelow(join(project, 'dist')))
  .filter((file) => file.endsWith('.test.js'))
  .filter((file) => isSlow(file) === onlySlow)
const files = all.filter(
  (file) => filters.length === 0 || filters.some((filter) => relative(root, file).includes(filter)),
)
if (files.length === 0) {
  console.error(`No test file matches ${filters.join(' ') || '*.test.js'}.`)
  process.exit(1)
}

const interruption = new AbortController()
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
]) {
  process.on(signal, () => interruption.abort(code))
}
const minuteMs = 60_000
const timeoutMs = (onlySlow ? 40 : 25) * minuteMs
const giveUp = () => {
  console.error(`The tests did not end within ${timeoutMs / minuteMs} minutes.`)
  interruption.abort(1)
}
// Fifty runs may take as long as they need. A file that hangs is noticed sooner than this, by its silence.
if (times === 1) setTimeout(giveUp, timeoutMs).unref()

const { startEmbeddedPostgres } = await import('../server/dist/platform/database/embedded-postgres.js')
const folder = createFastFolder()
chmodSync(folder, 0o711) // for root, whose database runs as another account
try {
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), log: console.error, durable: false })
  const run = (list, { processes, before }) =>
    runTestFiles(list, {
      processes,
      // Some slow tests are about memory.
      options: onlySlow ? options : [...muchNewSpace, ...options],
      env: { TEST_DATABASE_URL: postgres.url, TEST_REFUSALS: join(folder, 'refusals') },
      signal: interruption.signal,
      before,
    })
  // Two more than there are cores: many tests wait, for a process to end or a time limit to pass.
  const processes = onlySlow ? availableParallelism() : availableParallelism() + 2
  let failed = await run(Array.from({ length: times }, () => files).flat(), {
    processes,
    before: beginBefore(process.argv),
  })
  // A machine that others use too can stand still for seconds, which a test that waits for time limits takes as failure.
  if (process.argv.includes('--once-more') && failed.length > 0 && !interruption.signal.aborted) {
    console.log('\nOnce more:')
    failed = await run(failed, { processes: 1 })
  }
  process.exitCode = failed.length > 0 ? 1 : 0
  const isWhole =
    filters.length === 0 && options.length === 0 && times === 1 && !onlySlow && !interruption.signal.aborted
  const isUpdate = process.argv.includes('--update-unreached')
  if (isWhole && !(await checkRefusals(join(folder, 'refusals'), { isUpdate }))) process.exitCode = 1
  await postgres.stop()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
if (interruption.signal.aborted) process.exitCode = interruption.signal.reason
