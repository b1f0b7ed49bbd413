// npm run test:browser             every browser test, in Debian's Chromium
// npm run test:browser -- pages    the tests whose file name contains "pages"
// npm run test:browser -- --within=12  begins no further file after twelve minutes, and says which it left out
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { filesBelow, prepare, root, spawnWatched } from './prepare.mjs'
import { beginBefore } from './test-runner.mjs'

const minuteMs = 60_000
const installTimeoutMs = 10 * minuteMs
const fileTimeoutMs = 10 * minuteMs

const chromium = process.env.CHROMIUM ?? '/usr/bin/chromium'
if (!existsSync(chromium)) installChromium()
if (!existsSync(chromium)) {
  console.log(`Skipped: there is no browser at ${chromium}. Install Debian's chromium, or set CHROMIUM.`)
  process.exit(0)
}
await prepare()
const before = beginBefore(process.argv)
const filters = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const files = filesBelow(join(root, 'site', 'test'))
  .filter((file) => file.endsWith('.test.mjs'))
  .filter((file) => filters.length === 0 || filters.some((filter) => basename(file).includes(filter)))
if (files.length === 0) {
  console.error(`No browser test matches ${filters.join(' ')}.`)
  process.exit(1)
}
const running = new Set()
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    for (const { pid } of running) process.kill(-pid, 'SIGTERM')
    process.exit(1)
  })
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

/**
 * Runs two files at a time: each has its own service, database and browser, and waits for half of its time. A file that fails
 * is run once more at the end, alone, because a busy machine can make a browser wait for longer than any test does; the
 * output says which.
 */
async function runTests() {
  const waiting = [...files]
  const failed = []
  const runNext = async () => {
    while (waiting.length > 0 && Date.now() < before) {
      const file = waiting.shift()
      if (!(await passes(file))) failed.push(file)
    }
  }
  await Promise.all([runNext(), runNext()])
  const names = (list) => list.map((file) => basename(file)).join(', ')
  if (waiting.length > 0) console.log(`\nNot begun, for want of time: ${names(waiting)}`)
  if (failed.length === 0) return 0
  console.log(`\nFailed, and run once more: ${names(failed)}`)
  const failedTwice = []
  for (const file of failed) if (!(await passes(file))) failedTwice.push(file)
  console.log(failedTwice.length === 0 ? '\nThe second run passed.' : `\nFailed twice: ${names(failedTwice)}`)
  return failedTwice.length === 0 ? 0 : 1
}

/** Runs one file, and prints what it has to say when it has ended: two at a time would talk across each other. */
async function passes(file) {
  const startedAt = Date.now()
  const runner = spawnWatched(
    process.execPath,
    ['--test', '--test-reporter=spec', `--test-timeout=${fileTimeoutMs}`, file],
    { output: ['pipe', 'pipe'] },
  )
  running.add(runner)
  let output = ''
  for (const stream of [runner.stdout, runner.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  const overdue = setTimeout(() => {
    output += `${basename(file)} did not end within ${fileTimeoutMs / minuteMs} minutes.\n`
    process.kill(-runner.pid, 'SIGKILL')
  }, fileTimeoutMs)
  const code = await new Promise((resolve) => runner.once('close', resolve))
  clearTimeout(overdue)
  running.delete(runner)
  console.log(`\n${basename(file)}, ${Math.round((Date.now() - startedAt) / 1000)} s\n${output.trimEnd()}`)
  return code === 0
}
