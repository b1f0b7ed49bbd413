import type { Asset } from '@pennypost/contract/money'
import { type Generated, sql } from 'kysely'
import type { Tx } from '../../platform/database/database.ts'

declare module '../../platform/database/tables.ts' {
  interface Tables {
    ledger_movements: {
      id: Generated<string>
      asset: Asset
      kind: MovementKind
      cause: string
      order_id: string | null
      at: Date
    }
    ledger_entries: { movement_id: string; account_kind: AccountKind; account_ref: string; amount: string }
  }
}

export type MovementKind = 'arrival' | 'sale' | 'tip' | 'refund' | 'payout'
/** Whose money: see the README. What we have is positive, what we owe negative. */
export type AccountKind = 'chain' | 'order' | 'creator' | 'house' | 'refund' | 'outside'

export interface Entry {
  readonly account: AccountKind
  readonly ref: string
  readonly amount: bigint
}

export interface Movement {
  readonly asset: Asset
  readonly kind: MovementKind
  /** What made it, such as `arrival:HASH`. A second movement of one cause is an error, never a second movement. */
  readonly cause: string
  readonly orderId: string | null
  readonly at: Date
  /** Their sum is zero. Entries of nothing are left out. */
  readonly entries: readonly Entry[]
}

/** Writes a movement down, for good. That it is balanced is asked again by the database when the transaction ends. */
export async function book(tx: Tx, { asset, kind, cause, orderId, at, entries }: Movement): Promise<void> {
  const total = entries.reduce((sum, { amount }) => sum + amount, 0n)
  if (total !== 0n) throw new Error(`${cause} is not balanced: ${total}`)
  const written = entries
    .filter(({ amount }) => amount !== 0n)
    .map(({ account, ref, amount }) => ({ kind: account, ref, amount: String(amount) }))
  await sql`
    WITH movement AS (
      INSERT INTO ledger_movements (asset, kind, cause, order_id, at)
      VALUES (${asset}, ${kind}, ${cause}, ${orderId}, ${at}) RETURNING id
    )
    INSERT INTO ledger_entries (movement_id, account_kind, account_ref, amount)
    SELECT movement.id, entry.kind, entry.ref, entry.amount
    FROM movement, jsonb_to_recordset(${JSON.stringify(written)}::jsonb) AS entry(kind text, ref text, amount numeric)`.execute(
    tx,
  )
}
