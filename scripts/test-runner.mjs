import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { root, spawnWatched } from './prepare.mjs'

const worker = join(root, 'scripts', 'test-worker.mjs')
const reporter = new URL('test-reporter.mjs', import.meta.url).href
const timesFile = join(root, 'node_modules', '.cache', 'pennypost-test-times.json')

// A file in which no test ends for this long hangs. Its process is killed, and the file has failed.
const maxSilenceMs = 300_000
const maxFarewellMs = 20_000
// A file that is run again is loaded again, and the first one stays in memory. Fifty runs of many files took 3.5 GB a process.
const maxFilesOfProcess = 120

// V8 optimizes a function when it has run this many bytes of bytecode; the default is 67,584. That pays in a service. In tests,
// which run most code a few times, optimizing took almost a fifth of the time of these processes. Newer versions, such as
// the one in Node 26, do not have the option, and would not start with it.
const budget = '--interrupt-budget=500000'
const lateOptimization = spawnSync(process.execPath, [budget, '--version']).status === 0 ? [budget] : []
// Tests make services all the time, and collecting their garbage took an eighth of the time of these processes. With more space
// for new objects it is half of that. (Memory: three quarters of a gigabyte for each process instead of half of one.)
export const muchNewSpace = ['--min-semi-space-size=32', '--max-semi-space-size=64']

/** Reads `--within=12` from the command line: no further file is begun after that many minutes. */
export function beginBefore(args) {
  const minutes = args.findLast((argument) => argument.startsWith('--within='))?.slice('--within='.length)
  return minutes === undefined ? Number.POSITIVE_INFINITY : Date.now() + Number(minutes) * 60_000
}

/**
 * Runs test files in a few processes, each of which takes the next file when it is done with the last: most of the time
 * of a small file would go into starting a process and loading the service. Prints a line for each file and, at the
 * end, every failure with the file it is in. Returns the files that failed.
 */
export async function runTestFiles(files, { processes, options, env, signal, before = Number.POSITIVE_INFINITY }) {
  const startedAt = Date.now()
  const times = readTimes()
  // The longest first, so that none is left over at the end.
  const guess = (file) => times[nameOf(file)] ?? guessTime(file)
  const waiting = files.toSorted((a, b) => guess(b) - guess(a))
  const failures = []
  const failedFiles = new Set()
  const notBegun = []
  const counts = { passed: 0, failed: 0, skipped: 0, files: 0 }

  const takeNext = () => {
    if (Date.now() >= before) notBegun.push(...waiting.splice(0))
    return signal.aborted ? undefined : waiting.shift()
  }
  async function runProcess() {
    while (waiting.length > 0 && !signal.aborted) {
      const hasBegun = await runInOneProcess({ takeNext, options, env, signal, onFile })
      if (!hasBegun && !signal.aborted) throw new Error('a test process ended before its first test')
    }
  }

  function onFile({ file, passed, failed, skipped, milliseconds, failures: found }) {
    counts.files += 1
    counts.passed += passed
    counts.failed += failed
    counts.skipped += skipped
    times[nameOf(file)] = Math.round(milliseconds)
    for (const failure of found) failures.push({ file: nameOf(file), ...failure })
    if (failed) failedFiles.add(file)
    const seconds = (milliseconds / 1000).toFixed(1).padStart(6)
    const notes = [failed && `${failed} FAILED`, skipped && `${skipped} skipped`].filter(Boolean).join(', ')
    console.log(`${failed ? '✖' : '✔'} ${seconds} s  ${nameOf(file)}  ${passed} passed${notes && `, ${notes}`}`)
    for (const failure of found) console.log(`    ✖ ${failure.name}`)
  }

  await Promise.all(Array.from({ length: Math.min(processes, files.length) }, runProcess))
  if (!signal.aborted) writeTimes(times)
  for (const { file, name, details } of failures) console.log(`\n✖ ${file}: ${name}\n${indent(details)}`)
  const seconds = Math.round((Date.now() - startedAt) / 1000)
  const { passed, failed, skipped } = counts
  console.log(`\n${counts.files} files in ${seconds} s\n${passed} passed, ${failed} failed, ${skipped} skipped`)
  if (notBegun.length > 0) console.log(`Not begun, for want of time: ${notBegun.map(nameOf).join(', ')}`)
  return [...failedFiles]
}

// Files that take minutes although they are short. If one of them began last, a whole run would wait for it.
const longFiles = {
  'server/src/payments/model.slow.test.ts': 250_000,
  'server/src/imports/round-trip.slow.test.ts': 170_000,
}

/** How long a file takes that was never run here: its length says something, and processes that it starts say more. */
function guessTime(file) {
  const known = longFiles[nameOf(file)]
  if (known !== undefined) return known
  const text = readFileSync(file, 'utf8')
  return text.length / 10 + (/service-process|\bspawn/.test(text) ? 20_000 : 0)
}

/** Gives files to one process until none waits, or it dies: then the file it was in has failed. Returns whether it began. */
function runInOneProcess({ takeNext, options, env, signal, onFile }) {
  const reporting = [`--test-reporter=${reporter}`, '--test-reporter-destination=stdout']
  const node = [...reporting, ...lateOptimization, ...options]
  const child = spawnWatched(process.execPath, [...node, worker], {
    output: ['inherit', 'inherit'],
    ipc: true,
    env: { ...process.env, ...env },
  })
  let hasBegun = false
  let filesBegun = 0
  let current
  let killedBecause
  let silence
  const kill = (why) => {
    killedBecause = why
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, 'SIGKILL')
  }
  const expectWordWithin = (ms) => {
    clearTimeout(silence)
    silence = setTimeout(() => kill(`no test ended for ${ms / 1000} seconds`), ms)
  }
  const giveNext = () => {
    const file = filesBegun < maxFilesOfProcess ? takeNext() : undefined
    filesBegun += 1
    if (file) current = { file, passed: 0, failed: 0, skipped: 0, failures: [], startedAt: performance.now() }
    else expectWordWithin(maxFarewellMs)
    child.send(file ? { run: file } : { end: true })
  }
  const fail = (name, details) => {
    current.failed += 1
    current.failures.push({ name, details })
  }
  const finish = () => {
    onFile({ ...current, milliseconds: performance.now() - current.startedAt })
    current = undefined
  }
  const onAbort = () => kill('interrupted')
  signal.addEventListener('abort', onAbort)
  child.on('message', ({ ready, done, outcome, name, details }) => {
    expectWordWithin(maxSilenceMs)
    hasBegun = true
    if (done) finish()
    if (ready || done) return giveNext()
    // An error of something that a file left behind, after the last of them.
    if (!current) return console.log(`✖ ${name}\n${indent(details)}`)
    if (outcome === 'failed') fail(name, details)
    else current[outcome] += 1
  })
  expectWordWithin(maxSilenceMs)
  return new Promise((resolve) => {
    child.once('exit', (code, killedBy) => {
      clearTimeout(silence)
      signal.removeEventListener('abort', onAbort)
      if (current && !signal.aborted) {
        fail('(the process)', killedBecause ?? `it ended with ${killedBy ?? code} before its tests did`)
        finish()
      } else if (killedBecause && !signal.aborted)
        console.log('a test process did not end: something is still open in it')
      resolve(hasBegun)
    })
  })
}

const nameOf = (file) => relative(root, file).replace('/dist/', '/src/').replace(/\.js$/, '.ts')

const indent = (text) =>
  String(text)
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n')

function readTimes() {
  try {
    return existsSync(timesFile) ? JSON.parse(readFileSync(timesFile, 'utf8')) : {}
  } catch {
    return {}
  }
}

function writeTimes(times) {
  mkdirSync(dirname(timesFile), { recursive: true })
  writeFileSync(timesFile, JSON.stringify(times))
}
