import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import type { Range } from './audit-scope.ts'

/** Addresses or movements that were checked together, and the result. */
export interface Slice extends Range {
  readonly kind: SliceKind
  readonly findings: number
  readonly auditedAt: Date
}
export type SliceKind = 'addresses' | 'movements'

export type SliceSizes = Readonly<Record<SliceKind, bigint>>
export const defaultSizes: SliceSizes = { addresses: 50_000n, movements: 250_000n }

/** Every run checks one in thirty of the old slices again: with a run a day, all of them in a month. */
const runsOfRound = 30

/** Whether the database can keep what was checked: not on a standby, and not before its migration. */
export async function canKeepSlices(db: Db): Promise<boolean> {
  const { rows } = await sql<{ can: boolean }>`
    SELECT to_regclass('audit_slices') IS NOT NULL AND current_setting('transaction_read_only') = 'off' AS can`.execute(
    db,
  )
  return rows[0]!.can
}

export async function forgetSlices(db: Db): Promise<void> {
  await sql`DELETE FROM audit_slices`.execute(db)
}

export async function listSlices(db: Db): Promise<Slice[]> {
  const { rows } = await sql<{ kind: SliceKind; first: string; last: string; findings: number; at: Date }>`
    SELECT kind, first_id::text AS first, last_id::text AS last, findings, audited_at AS at FROM audit_slices
    ORDER BY kind, first_id`.execute(db)
  return rows.map(({ kind, first, last, findings, at }) => ({
    kind,
    first: BigInt(first),
    last: BigInt(last),
    findings,
    auditedAt: at,
  }))
}

interface DueSlice {
  readonly range: Range
  /** Whether it was not checked before, or was wrong then. */
  readonly isNew: boolean
}

/** The slices of a kind that a run has to check: the oldest ones, those that had findings, and what is new. */
export function dueSlices(kind: SliceKind, known: readonly Slice[], bound: bigint, size: bigint): DueSlice[] {
  const mine = known.filter((slice) => slice.kind === kind)
  const oldestFirst = [...mine].sort((one, other) => one.auditedAt.getTime() - other.auditedAt.getTime())
  const turn = new Set(oldestFirst.slice(0, Math.ceil(mine.length / runsOfRound)))
  const due: DueSlice[] = mine
    .filter((slice) => slice.findings > 0 || turn.has(slice))
    .map((slice) => ({ range: slice, isNew: slice.findings > 0 }))
  for (let first = (mine.at(-1)?.last ?? 0n) + 1n; first <= bound; first += size) {
    const last = first + size - 1n
    due.push({ range: { first, last: last < bound ? last : bound }, isNew: true })
  }
  return due
}

/** Records that a slice was checked. Joins a small slice to the previous one, so that runs do not add a row each. */
export async function keepSlice(
  db: Db,
  kind: SliceKind,
  { first, last }: Range,
  { findings, size }: { findings: number; size: bigint },
): Promise<void> {
  const sales =
    kind === 'movements'
      ? sql`(SELECT count(*) FROM ledger_movements
          WHERE id BETWEEN ${String(first)} AND ${String(last)} AND kind IN ('sale', 'tip'))`
      : sql`0`
  await db.transaction().execute(async (tx) => {
    await sql`
      INSERT INTO audit_slices (kind, first_id, last_id, sales, findings, audited_at)
      VALUES (${kind}, ${String(first)}, ${String(last)}, ${sales}, ${findings}, now())
      ON CONFLICT (kind, first_id) DO UPDATE
        SET findings = excluded.findings, sales = excluded.sales, audited_at = excluded.audited_at`.execute(tx)
    if (findings > 0) return
    await sql`
      WITH before AS (
        DELETE FROM audit_slices WHERE kind = ${kind} AND last_id = ${String(first - 1n)} AND findings = 0
          AND ${String(last)} - first_id < ${String(size)} RETURNING *),
      removed AS (
        DELETE FROM audit_slices WHERE kind = ${kind} AND first_id = ${String(first)} AND EXISTS (SELECT FROM before) RETURNING *)
      INSERT INTO audit_slices (kind, first_id, last_id, sales, findings, audited_at)
      SELECT before.kind, before.first_id, removed.last_id, before.sales + removed.sales, 0, before.audited_at
      FROM before, removed`.execute(tx)
  })
}

/** A run that came to its end. */
export interface Run {
  /** When it began, by the database's clock and by the service's. */
  readonly startedAt: Date
  readonly now: Date
}

export async function keepRun(db: Db, { startedAt, now, findings }: Run & { findings: number }): Promise<void> {
  await sql`
    INSERT INTO audit_runs (started_at, service_time, finished_at, findings)
    VALUES (${startedAt}, ${now}, now(), ${findings})`.execute(db)
}

export async function findLastRun(db: Db): Promise<Run | undefined> {
  const { rows } = await sql<Run>`
    SELECT started_at AS "startedAt", service_time AS now FROM audit_runs ORDER BY id DESC LIMIT 1`.execute(db)
  return rows[0]
}

/** How many sales and tips the slices have, and how many orders say that they were paid. */
export async function countSales(db: Db): Promise<{ booked: bigint; paid: bigint }> {
  const { rows } = await sql<{ booked: string; paid: string }>`
    SELECT (SELECT coalesce(sum(sales), 0) FROM audit_slices)::text AS booked,
      (SELECT count(*) FROM orders WHERE received_at IS NOT NULL)::text AS paid`.execute(db)
  return { booked: BigInt(rows[0]!.booked), paid: BigInt(rows[0]!.paid) }
}

export interface Bounds extends Record<SliceKind, bigint> {
  /** The database's time. */
  readonly at: Date
  /** False if a transaction did not end: then nothing new may be checked. */
  readonly isSettled: boolean
}

const maxWaitMs = 60_000
const pauseMs = 100

/**
 * The highest ids up to which everything is there. A transaction that is still open may have taken a lower id than one that
 * is committed, so those that are open now are waited for.
 */
export async function settledBounds(db: Db): Promise<Bounds> {
  const { rows } = await sql<{ addresses: string; movements: string; at: Date; next: string }>`
    SELECT (SELECT coalesce(max(id), 0) FROM nano_addresses)::text AS addresses,
      (SELECT coalesce(max(id), 0) FROM ledger_movements)::text AS movements,
      now() AS at, pg_snapshot_xmax(pg_current_snapshot())::text AS next`.execute(db)
  const { addresses, movements, at, next } = rows[0]!
  for (let waited = 0; waited < maxWaitMs; waited += pauseMs) {
    const { rows: open } = await sql<{ oldest: string }>`
      SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS oldest`.execute(db)
    if (BigInt(open[0]!.oldest) >= BigInt(next)) {
      return { addresses: BigInt(addresses), movements: BigInt(movements), at, isSettled: true }
    }
    await wait(pauseMs)
  }
  return { addresses: 0n, movements: 0n, at, isSettled: false }
}
