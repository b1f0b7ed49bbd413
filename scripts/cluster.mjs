// npm run cluster                            starts a whole deployment on this machine, and prints where it is. Ctrl-C ends it
// npm run cluster -- test                    starts it, runs the tests of cluster/suite, and ends it
// npm run cluster -- test --api keys posts   runs the tests of the API on its PostgreSQL, PgBouncer, Redis and S3 server: all, or
//                                            those whose file path contains one of the words
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prepare } from './prepare.mjs'

await prepare()
const folder = mkdtempSync(join(tmpdir(), 'pennypost-cluster-'))
const firstPort = Number(process.env.CLUSTER_PORT ?? 4500)
const interruption = new AbortController()
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
  return runSuite(cluster).finally(() => cluster.close())
}

async function runUntilInterrupted() {
  const cluster = await open()
  await new Promise((resolve) => interruption.signal.addEventListener('abort', resolve))
  await cluster.close()
}
