// npm run test:browser             every browser test, in Debian's Chromium
// npm run test:browser -- pages    the tests whose file name contains "pages"
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { filesBelow, prepare, root, spawnWatched } from './prepare.mjs'

const minuteMs = 60_000
const installTimeoutMs = 10 * minuteMs
const testsTimeoutMs = 25 * minuteMs

const chromium = process.env.CHROMIUM ?? '/usr/bin/chromium'
if (!existsSync(chromium)) installChromium()
if (!existsSync(chromium)) {
  console.log(`Skipped: there is no browser at ${chromium}. Install Debian's chromium, or set CHROMIUM.`)
  process.exit(0)
}
await prepare()
const filters = process.argv.slice(2)
const files = filesBelow(join(root, 'site', 'test'))
  .filter((file) => file.endsWith('.test.mjs'))
  .filter((file) => filters.length === 0 || filters.some((filter) => basename(file).includes(filter)))
if (files.length === 0) {
  console.error(`No browser test matches ${filters.join(' ')}.`)
  process.exit(1)
}
process.exitCode = await runTests()

/** Only as root on Debian, which is what a CI machine usually is. */
function installChromium() {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return
  console.log('Installing Chromium from Debian…')
  const aptGet = (...args) =>
    spawnSync('apt-get', ['-qq', ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
      timeout: installTimeoutMs,
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    })
  aptGet('update')
  aptGet('install', '--yes', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=300', 'chromium')
}

/** Runs one file after the other: each has its own service, database and browser. */
async function runTests() {
  const runner = spawnWatched(
    process.execPath,
    ['--test', '--test-concurrency=1', '--test-reporter=spec', `--test-timeout=${testsTimeoutMs}`, ...files],
    { output: ['inherit', 'inherit'] },
  )
  const overdue = setTimeout(() => {
    console.error(`The browser tests did not end within ${testsTimeoutMs / minuteMs} minutes.`)
    process.kill(-runner.pid, 'SIGKILL')
  }, testsTimeoutMs)
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.kill(-runner.pid, 'SIGTERM'))
  const code = await new Promise((resolve) => runner.once('exit', resolve))
  clearTimeout(overdue)
  return code ?? 1
}
