import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { secretsFrom } from '../platform/secrets.ts'

/** A folder with a new service secret. */
export async function ringFor(t: TestContext) {
  const dataDir = await mkdtemp(join(tmpdir(), 'pennypost-ring-'))
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const path = join(dataDir, 'service-secret')
  await writeFile(path, randomBytes(32).toString('hex'), { mode: 0o600 })
  return {
    path,
    config: { dataDir, role: 'all' } as const,
    opens: async () => secretsFrom(await readFile(path, 'utf8')),
  }
}
