import type { ReportDecision } from '@pennypost/contract/reports'
import { type Generated, type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../platform/database/database.ts'
import { type ReportState, reportMoves } from './report-state.ts'

declare module '../platform/database/tables.ts' {
  interface Tables {
    reports: ReportTable
  }
}

interface ReportTable {
  id: string
  reporter_id: string
  post_id: string
  comment_id: string | null
  reason: string
  state: Generated<ReportState>
  created_at: Date
  decision: ReportDecision | null
  note: string | null
  decided_at: Date | null
  decided_by: string | null
}

export type Report = Selectable<ReportTable>

/**
 * Returns undefined if this account has reported the target before, whatever was decided. Unique indexes enforce it for
 * reports that come at the same time.
 */
export async function addReport(
  tx: Tx,
  report: Pick<Report, 'id' | 'reporter_id' | 'post_id' | 'comment_id' | 'reason' | 'created_at'>,
): Promise<{ id: string } | undefined> {
  const { id, reporter_id, post_id, comment_id, reason, created_at } = report
  const { rows } = await sql<{ id: string }>`
    INSERT INTO reports (id, reporter_id, post_id, comment_id, reason, created_at)
    SELECT ${id}::uuid, ${reporter_id}::uuid, ${post_id}::uuid, ${comment_id}::uuid, ${reason}, ${created_at}::timestamptz
    WHERE NOT EXISTS (SELECT FROM reports WHERE post_id = ${post_id}
      AND comment_id IS NOT DISTINCT FROM ${comment_id}::uuid AND reporter_id = ${reporter_id})
    ON CONFLICT DO NOTHING RETURNING id`.execute(tx)
  return rows[0]
}

/**
 * Locks a report and all others of the same target, in id order, so that decisions about one target run one at a time.
 */
export async function lockReports(tx: Tx, id: string): Promise<{ report: Report; sameTarget: Report[] } | undefined> {
  const { rows } = await sql<Report>`
    SELECT other.* FROM reports report JOIN reports other
      ON other.post_id = report.post_id AND other.comment_id IS NOT DISTINCT FROM report.comment_id
    WHERE report.id = ${id} ORDER BY other.id FOR UPDATE OF other`.execute(tx)
  const report = rows.find((row) => row.id === id)
  return report && { report, sameTarget: rows }
}

export interface Decision {
  readonly decision: ReportDecision
  readonly note: string | null
  readonly decidedAt: Date
  readonly decidedBy: string
}

/** Moves reports to another state and returns those that moved. Reports in a different state stay as they are. */
export function moveReports(
  tx: Tx,
  ids: readonly string[],
  move: keyof typeof reportMoves,
  { decision, note, decidedAt, decidedBy }: Decision,
): Promise<Report[]> {
  const { from, to } = reportMoves[move]
  return tx
    .updateTable('reports')
    .set({ state: to, decision, note, decided_at: decidedAt, decided_by: decidedBy })
    .where('id', 'in', ids)
    .where('state', 'in', from)
    .returningAll()
    .execute()
}

/** A report with what an administrator needs to see of its target. */
export interface ReportRow extends Report {
  readonly reporter_handle: string
  readonly target_author_id: string
  readonly target_author_handle: string
  readonly excerpt: string
  readonly is_gone: boolean
}

const shown = sql`
  SELECT report.*, reporter.handle AS reporter_handle, target.id AS target_author_id, target.handle AS target_author_handle,
    coalesce(comment.content, post.title) AS excerpt,
    CASE WHEN comment.id IS NULL THEN post.status <> 'published' ELSE comment.deleted_at IS NOT NULL END AS is_gone
  FROM reports report JOIN accounts reporter ON reporter.id = report.reporter_id
  JOIN posts post ON post.id = report.post_id LEFT JOIN comments comment ON comment.id = report.comment_id
  JOIN accounts target ON target.id = coalesce(comment.author_id, post.account_id)`

export async function findReportRow(db: Db, id: string): Promise<ReportRow | undefined> {
  const { rows } = await sql<ReportRow>`${shown} WHERE report.id = ${id}`.execute(db)
  return rows[0]
}

export interface QueuePosition {
  readonly at: Date
  readonly id: string
}

export async function listReportRows(
  db: Db,
  state: ReportState,
  after: QueuePosition | undefined,
  limit: number,
): Promise<ReportRow[]> {
  const beyond = after ? sql`AND (report.created_at, report.id) > (${after.at}, ${after.id})` : sql``
  const { rows } = await sql<ReportRow>`
    ${shown} WHERE report.state = ${state} ${beyond} ORDER BY report.created_at, report.id LIMIT ${limit}`.execute(db)
  return rows
}
