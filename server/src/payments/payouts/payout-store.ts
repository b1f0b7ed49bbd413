import type { Selectable } from 'kysely'
import type { Db, Tx } from '../../platform/database/database.ts'
import { moves } from '../../platform/state-machine.ts'

declare module '../../platform/database/tables.ts' {
  interface Tables {
    payouts: PayoutTable
  }
}

export type PayoutState = 'waiting' | 'blocked' | 'confirmed'

/** A payout is owed until its send is confirmed. A blocked one waits until someone chooses another address. */
export const payoutMoves = moves<PayoutState>()({
  block: { from: ['waiting'], to: 'blocked' },
  bind: { from: ['blocked'], to: 'waiting' },
  confirm: { from: ['waiting'], to: 'confirmed' },
})

type PayoutRole = 'creator' | 'house' | 'refund'

interface PayoutTable {
  id: string
  role: PayoutRole
  state: PayoutState
  order_id: string | null
  arrival_hash: string | null
  payee_id: string | null
  address_id: string
  destination: string
  amount: string
  blocked_reason: string | null
  bound_revision: Date | null
  block_hash: string | null
  created_at: Date
  confirmed_at: Date | null
}

export type PayoutRow = Selectable<PayoutTable>

type NewPayout = Omit<PayoutRow, 'state' | 'bound_revision' | 'block_hash' | 'confirmed_at'>

export const addPayout = (tx: Tx, payout: NewPayout): Promise<PayoutRow> =>
  tx
    .insertInto('payouts')
    .values({
      ...payout,
      state: payout.blocked_reason === null ? 'waiting' : 'blocked',
      bound_revision: null,
      block_hash: null,
      confirmed_at: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow()

export const findPayout = (db: Db | Tx, id: string): Promise<PayoutRow | undefined> =>
  db.selectFrom('payouts').selectAll().where('id', '=', id).executeTakeFirst()

type Change = Partial<
  Pick<PayoutRow, 'destination' | 'blocked_reason' | 'bound_revision' | 'block_hash' | 'confirmed_at'>
>

/** No row back means that the payout is not in a state that allows the move. */
export function movePayout(
  tx: Tx,
  id: string,
  move: keyof typeof payoutMoves,
  change: Change,
): Promise<PayoutRow | undefined> {
  const { from, to } = payoutMoves[move]
  return tx
    .updateTable('payouts')
    .set({ ...change, state: to })
    .where('id', '=', id)
    .where('state', 'in', from)
    .returningAll()
    .executeTakeFirst()
}

/** The address where an account is paid in Nano now. */
export const findNanoAddress = (
  tx: Tx,
  accountId: string,
): Promise<{ address: string; updated_at: Date } | undefined> =>
  tx
    .selectFrom('receiving_addresses')
    .select(['address', 'updated_at'])
    .where('account_id', '=', accountId)
    .where('rail', '=', 'nano')
    .executeTakeFirst()
