import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { UploadServices } from './services.ts'

type Parts = Pick<UploadServices, 'db' | 'files'>

/**
 * Whether the object store is the one that this database was filled with, and not another bucket or a folder whose
 * volume is not mounted: an object that was put there at first use is still there.
 */
export async function isKnownObjectStore({ db, files }: Parts): Promise<boolean> {
  const key = (await findSentinel(db)) ?? (await placeSentinel({ db, files }))
  return (await files.sizeOf(key)) !== undefined
}

export async function requireKnownObjectStore(parts: Parts): Promise<void> {
  if (!(await isKnownObjectStore(parts)))
    throw new Error(
      'The object store is not the one that uploads were stored in. Look at its settings or its volume; if the old one ' +
        'is gone for good, start with ACCEPT_LOST_OBJECTS.',
    )
}

/** An operator says that this is the store from now on, whatever was in the one before. */
export async function adoptObjectStore(parts: Parts): Promise<void> {
  if (await isKnownObjectStore(parts)) return
  await sql`DELETE FROM upload_store`.execute(parts.db)
  await placeSentinel(parts)
}

async function findSentinel(db: UploadServices['db']): Promise<string | undefined> {
  const { rows } = await sql<{ sentinel_key: string }>`SELECT sentinel_key FROM upload_store`.execute(db)
  return rows[0]?.sentinel_key
}

async function placeSentinel({ db, files }: Parts): Promise<string> {
  const key = `store/${randomUUID()}`
  await files.put(
    key,
    (async function* () {
      yield Buffer.from('The objects beside this one belong together.\n')
    })(),
  )
  await sql`INSERT INTO upload_store (sentinel_key) VALUES (${key}) ON CONFLICT DO NOTHING`.execute(db)
  return (await findSentinel(db))!
}
