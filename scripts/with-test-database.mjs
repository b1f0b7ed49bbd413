import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prepare, root } from './prepare.mjs'

/** Loads a compiled module of the server, tests included. */
export const load = (path) => import(join(root, 'server', 'dist', path))

/** Builds, starts a database, and runs something that opens worlds as tests do; then closes them and ends the process. */
export async function withTestDatabase(run) {
  await prepare()
  const { startEmbeddedPostgres } = await load('platform/database/embedded-postgres.js')
  const folder = mkdtempSync(join(tmpdir(), 'pennypost-script-'))
  chmodSync(folder, 0o711) // for root, whose database runs as another account
  const closers = []
  try {
    const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), log: console.error, durable: false })
    process.env.TEST_DATABASE_URL = postgres.url
    await run({ after: (close) => closers.push(close) })
    for (const close of closers) await close()
    await postgres.stop()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  process.exit()
}
