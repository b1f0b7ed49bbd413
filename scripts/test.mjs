// npm test                 every test
// npm test -- accounts     the tests whose file name contains "accounts"
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { filesBelow, prepare, projects, root, spawnWatched } from './prepare.mjs'

await prepare()
const filters = process.argv.slice(2)
const files = projects()
  .flatMap((project) => filesBelow(join(project, 'dist')))
  .filter((file) => file.endsWith('.test.js'))
  .filter((file) => filters.length === 0 || filters.some((filter) => relative(root, file).includes(filter)))
if (files.length === 0) {
  console.error(`No test file matches ${filters.join(' ') || '*.test.js'}.`)
  process.exit(1)
}

let interruption
let runner
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
]) {
  process.on(signal, () => {
    interruption = code
    if (runner) process.kill(-runner.pid, 'SIGTERM')
  })
}

const { startEmbeddedPostgres } = await import('../server/dist/platform/database/embedded-postgres.js')
const folder = mkdtempSync(join(tmpdir(), 'pennypost-tests-'))
chmodSync(folder, 0o711) // for root, whose database runs as another account
try {
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), log: console.error, durable: false })
  if (!interruption) process.exitCode = await runTests(postgres.url)
  await postgres.stop()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
if (interruption) process.exitCode = interruption

function runTests(databaseUrl) {
  // One more than there are cores: many tests wait, for a process to end or a clock to pass.
  const options = ['--test', `--test-concurrency=${availableParallelism() + 1}`, '--test-reporter=spec']
  runner = spawnWatched(process.execPath, [...options, ...files], {
    output: ['inherit', 'inherit'],
    env: { ...process.env, TEST_DATABASE_URL: databaseUrl },
  })
  return new Promise((resolve) => {
    runner.once('exit', (code) => {
      runner = undefined
      resolve(code ?? 1)
    })
  })
}
