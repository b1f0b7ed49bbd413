import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { UploadServices } from './services.ts'

type Parts = Pick<UploadServices, 'db' | 'files'>

/**
 * Tells whether the object store is the one this database belongs to, and not another bucket or an unmounted volume.
 * On first use we write a sentinel object to the store; if it is gone, the store is not ours.
 */
export async function isKnownObjectStore({ db, files }: Parts): Promise<boolean> {
  const key = (await findSentinel(db)) ?? (await placeSentinel({ db, files }))
  return (await files.sizeOf(key)) !== undefined
}

export async function requireKnownObjectStore(parts: Parts): Promise<void> {
  if (!(await isKnownObjectStore(parts)))
    throw new Error(
      'This is not the object store that holds our uploads. Check its settings and its volume. If the old store is ' +
        'gone for good, start the service with ACCEPT_LOST_OBJECTS.',
    )
}

/** Takes this object store as ours from now on. Called only when an operator has accepted losing the old one. */
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
      yield Buffer.from('Pennypost keeps its uploads in this object store.\n')
    })(),
  )
  await sql`INSERT INTO upload_store (sentinel_key) VALUES (${key}) ON CONFLICT DO NOTHING`.execute(db)
  return (await findSentinel(db))!
}
