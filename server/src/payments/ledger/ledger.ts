import type { Amount, Asset } from '@pennypost/contract/money'
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

export interface Entry<A extends Asset> {
  readonly account: AccountKind
  readonly ref: string
  readonly amount: Amount<A>
}

/** All entries are of one asset, and their sum is zero. */
export interface Movement<A extends Asset> {
  readonly asset: A
  readonly kind: MovementKind
  /** What made it, such as `arrival:HASH`. A second movement of one cause is an error, never a second movement. */
  readonly cause: string
  readonly orderId: string | null
  readonly at: Date
  /** Entries of zero are left out. */
  readonly entries: readonly Entry<NoInfer<A>>[]
}

/** The other side of an entry. */
export const negative = <A extends Asset>(amount: Amount<A>): Amount<A> => -amount as Amount<A>

/** Writes a movement down, for good. The database checks again that it is balanced when the transaction ends. */
export async function book<A extends Asset>(tx: Tx, movement: Movement<A>): Promise<void> {
  const { asset, kind, cause, orderId, at, entries } = movement
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
