import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { listsMany } from './lists-many.fixture.ts'
import { s3FileStore } from './s3-file-store.ts'
import { startS3Server } from './s3-server.fixture.ts'

test('S3: all objects with a prefix are listed, however many', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'pennypost-files-'))
  const store = s3FileStore(await startS3Server(t, folder))
  t.after(() => rm(folder, { recursive: true }))
  await listsMany(store)
})
