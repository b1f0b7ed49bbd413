import { randomUUID } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../platform/database/database.ts'

declare module '../platform/database/tables.ts' {
  interface Tables {
    account_exports: AccountExportTable
  }
}

interface AccountExportTable {
  id: string
  account_id: string
  created_at: Date
  expires_at: Date
  downloads: number
  run_id: string | null
  running_until: Date | null
}

export type AccountExport = Selectable<AccountExportTable>

const exportLifeMs = 3_600_000
/** A download that was not renewed for this long has ended: its process died, or its client stopped reading. */
const leaseMs = 60_000

export async function addExport(tx: Tx, accountId: string, now: Date): Promise<AccountExport> {
  const made: AccountExport = {
    id: randomUUID(),
    account_id: accountId,
    created_at: now,
    expires_at: new Date(now.getTime() + exportLifeMs),
    downloads: 0,
    run_id: null,
    running_until: null,
  }
  await tx.insertInto('account_exports').values(made).execute()
  return made
}

/** When the exports of an account since a time were started, oldest first. */
export async function exportTimesSince(tx: Tx, accountId: string, since: Date): Promise<Date[]> {
  const rows = await tx
    .selectFrom('account_exports')
    .select('created_at')
    .where('account_id', '=', accountId)
    .where('created_at', '>', since)
    .orderBy('created_at')
    .execute()
  return rows.map(({ created_at }) => created_at)
}

interface DownloadRequest {
  readonly exportId: string
  readonly accountId: string
  readonly maxDownloads: number
  readonly maxRunning: number
}

type DownloadStart = 'not-found' | 'running' | 'busy' | { readonly runId: string }

/** Begins a download, if the export is there, the account has no other one and the service has room for it. */
export async function beginDownload(tx: Tx, wanted: DownloadRequest, now: Date): Promise<DownloadStart> {
  const { exportId, accountId, maxDownloads, maxRunning } = wanted
  // One after the other, or two could take the last place.
  await sql`SELECT pg_advisory_xact_lock(hashtext('account exports'))`.execute(tx)
  const found = await tx
    .selectFrom('account_exports')
    .select('downloads')
    .where('id', '=', exportId)
    .where('account_id', '=', accountId)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  if (!found || found.downloads >= maxDownloads) return 'not-found'
  const running = await tx
    .selectFrom('account_exports')
    .select('account_id')
    .where('running_until', '>', now)
    .limit(maxRunning)
    .execute()
  if (running.some(({ account_id }) => account_id === accountId)) return 'running'
  if (running.length >= maxRunning) return 'busy'
  const runId = randomUUID()
  await tx
    .updateTable('account_exports')
    .set({ downloads: found.downloads + 1, run_id: runId, running_until: leaseEnd(now) })
    .where('id', '=', exportId)
    .execute()
  return { runId }
}

/** Renews a download's time. Returns false if it ran out: then another one may have begun. */
export async function renewDownload(db: Db, runId: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('account_exports')
    .set({ running_until: leaseEnd(now) })
    .where('run_id', '=', runId)
    .where('running_until', '>', now)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export const endDownload = (db: Db, runId: string): Promise<unknown> =>
  db.updateTable('account_exports').set({ run_id: null, running_until: null }).where('run_id', '=', runId).execute()

const leaseEnd = (now: Date): Date => new Date(now.getTime() + leaseMs)
