// npm run cluster                            starts a whole deployment on this machine, and prints where it is. Ctrl-C ends it
// npm run cluster -- test                    starts it, runs the tests of cluster/suite, and ends it
// npm run cluster -- test --api keys posts   runs the tests of the API on its PostgreSQL, PgBouncer, Redis and S3 server: all, or
//                                            those whose file path contains one of the words
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { prepare } from './prepare.mjs'

await prepare()
const folder = mkdtempSync(join(tmpdir(), 'pennypost-cluster-'))
const firstPort = Number(process.env.CLUSTER_PORT ?? 4500)
const interruption = new AbortController()
// From the beginning, because a Ctrl-C may come while everything starts.
const interrupted = once(interruption.signal, 'abort')
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => interruption.abort())
const words = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))

try {
  if (words[0] !== 'test') await runUntilInterrupted()
  else {
    const failed = await (process.argv.includes('--api') ? runApiTests() : runSuite())
    process.exitCode = failed.length > 0 || interruption.signal.aborted ? 1 : 0
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
// The tests that were interrupted still wait for what has ended.
if (words[0] === 'test' && interruption.signal.aborted) process.exit()

async function runApiTests() {
  const { runApiTests } = await import('../cluster/api-tests.mjs')
  return runApiTests({ folder, firstPort, words: words.slice(1), signal: interruption.signal })
}

async function open() {
  const { openCluster } = await import('../cluster/cluster.mjs')
  const cluster = await openCluster({ folder, ports: firstPort, log: (line) => console.log(line) })
  console.log(`Pennypost runs at ${cluster.origin}; logs and data are in ${folder}`)
  return cluster
}

async function runSuite() {
  const cluster = await open()
  const { runSuite } = await import('../cluster/suite.mjs')
  return Promise.race([runSuite(cluster), interrupted]).finally(() => cluster.close())
}

async function runUntilInterrupted() {
  const cluster = await open()
  console.log(await claimLine())
  console.log(
    `the newest email to an address, with its sign-in code: curl '${cluster.parts.smtp.newestUrl('ADDRESS')}'`,
  )
  await interrupted
  console.log('stopping all parts, one after the other')
  await cluster.close()
}

/** What a web process printed about the first administrator. It prints that when it is ready. */
async function claimLine() {
  const log = join(folder, 'web-1.log')
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const line = /^There is no administrator yet.*$/m.exec(readFileSync(log, 'utf8'))
    if (line) return line[0]
    await wait(100)
  }
  return `how to become the administrator is in ${log}`
}
