// npm run cluster -- test --api: the tests of the API, on the servers of the cluster.
import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { filesBelow, root } from '../scripts/prepare.mjs'
import { runTestFiles } from '../scripts/test-runner.mjs'
import { requirePackages } from './cluster.mjs'
import { createS3 } from './external-servers.mjs'
import { leftOut } from './left-out.mjs'
import { openPostgres } from './postgres.mjs'
import { createPgbouncer, createRedis } from './proxies-and-redis.mjs'

const dist = join(root, 'server', 'dist')
const world = join(dist, 'test', 'world.js')
/** More than worlds in a run. */
const redisDatabases = 10_000

/**
 * Runs the test files that use a world and whose path contains one of the words, each world with a database on the primary
 * behind PgBouncer, a database of Redis and a bucket. Returns the files that failed.
 */
export async function runApiTests({ folder, firstPort, words, signal }) {
  requirePackages()
  for (const [file, why] of Object.entries(leftOut)) {
    if (!existsSync(join(root, file))) throw new Error(`cluster/left-out.mjs: there is no ${file}`)
    console.log(`left out: ${file}: ${why}`)
  }
  const files = apiTests().filter((file) => words.length === 0 || words.some((word) => nameOf(file).includes(word)))
  if (files.length === 0) throw new Error(`No test of the API matches ${words.join(' ')}.`)
  // PostgreSQL and PgBouncer run as another user, who has to get there.
  chmodSync(folder, 0o755)
  const port = (index) => firstPort + index
  // Tests need not survive a failure of the machine, so nothing is flushed to the disk. Commits wait for the standby.
  const postgres = await openPostgres({ folder, ports: [port(0), port(1)], connections: 500, isDurable: false })
  const others = [
    // No part fails here, so a statement may take as long as a busy machine needs.
    createPgbouncer({ folder, port: port(2), primaryPort: postgres.primary().port, database: '*', querySeconds: 60 }),
    createRedis({ folder, port: port(3), databases: redisDatabases }),
    createS3({ folder, port: port(4) }),
  ]
  const [pgbouncer, redis, s3] = others
  try {
    for (const part of others) await part.start()
    const env = {
      TEST_DATABASE_URL: postgres.primary().urlOf('postgres'),
      TEST_POOLER_URL: pgbouncer.url,
      TEST_REDIS_URL: redis.url,
      TEST_OBJECT_STORE: s3.url,
    }
    return await runTestFiles(files, { processes: availableParallelism() + 2, options: [], env, signal })
  } finally {
    for (const part of others.reverse()) await part.stop()
    await postgres.close()
  }
}

const nameOf = (file) => relative(root, file).replace('/dist/', '/src/').replace(/\.js$/, '.ts')

/** The compiled test files that reach the world by their imports, without the slow ones. */
function apiTests() {
  return filesBelow(dist)
    .filter((file) => file.endsWith('.test.js') && !file.endsWith('.slow.test.js'))
    .filter((file) => usesWorld(file) && leftOut[nameOf(file)] === undefined)
}

function usesWorld(file, seen = new Set()) {
  if (file === world) return true
  if (seen.has(file) || !existsSync(file)) return false
  seen.add(file)
  const imports = readFileSync(file, 'utf8').matchAll(/\b(?:from|import)\s*\(?\s*'(\.[^']+\.js)'/g)
  return [...imports].some(([, path]) => usesWorld(resolve(dirname(file), path), seen))
}
