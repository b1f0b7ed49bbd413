// npm run cluster             starts a whole deployment on this machine, and prints where it is. Ctrl-C ends it
// npm run cluster -- test     starts it, runs the tests of cluster/suite, and ends it
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prepare } from './prepare.mjs'

await prepare()
const { openCluster } = await import('../cluster/cluster.mjs')
const folder = mkdtempSync(join(tmpdir(), 'pennypost-cluster-'))
const firstPort = Number(process.env.CLUSTER_PORT ?? 4500)
const cluster = await openCluster({ folder, ports: firstPort, log: (line) => console.log(line) })
const close = async () => {
  await cluster.close()
  rmSync(folder, { recursive: true, force: true })
}
console.log(`Pennypost runs at ${cluster.origin}; logs and data are in ${folder}`)
if (process.argv[2] === 'test') {
  const { runSuite } = await import('../cluster/suite.mjs')
  const failed = await runSuite(cluster).finally(close)
  process.exitCode = failed.length > 0 ? 1 : 0
} else {
  await new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, resolve)
  })
  await close()
}
