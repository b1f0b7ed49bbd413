import type { Generated } from 'kysely'
import { sql } from 'kysely'
import type { Db, Tx } from '../platform/database/database.ts'

declare module '../platform/database/tables.ts' {
  interface Tables {
    audit_log: {
      id: Generated<string>
      at: Date
      actor_id: string | null
      act: string
      target_kind: string
      target_id: string
      details: unknown
    }
  }
}

export interface AuditEntry {
  readonly at: Date
  /** Null for the operator, who acts at the command line of the machine and needs no account. */
  readonly actorId: string | null
  /** A noun and a verb, such as `comment.delete`. */
  readonly act: string
  readonly target: readonly [kind: string, id: string]
  readonly details?: Readonly<Record<string, string>>
}

/** Records what an administrator or the operator did, in the same transaction. The database refuses to change an entry later. */
export async function recordAuditEntry(tx: Tx, { at, actorId, act, target, details = {} }: AuditEntry): Promise<void> {
  const [target_kind, target_id] = target
  await tx
    .insertInto('audit_log')
    .values({ at, actor_id: actorId, act, target_kind, target_id, details: JSON.stringify(details) })
    .execute()
}

export interface AuditRow {
  readonly id: string
  readonly at: Date
  readonly actor_id: string | null
  readonly actor_handle: string | null
  readonly act: string
  readonly target_kind: string
  readonly target_id: string
  readonly details: Record<string, string>
}

/** Lists entries, newest first, starting before the given entry if there is one. */
export async function listAuditRows(db: Db, before: string | undefined, limit: number): Promise<AuditRow[]> {
  const { rows } = await sql<AuditRow>`
    SELECT entry.id, entry.at, entry.actor_id, actor.handle AS actor_handle, entry.act, entry.target_kind,
      entry.target_id, entry.details
    FROM audit_log entry LEFT JOIN accounts actor ON actor.id = entry.actor_id
    WHERE ${before ?? null}::bigint IS NULL OR entry.id < ${before ?? null}::bigint
    ORDER BY entry.id DESC LIMIT ${limit}`.execute(db)
  return rows
}
