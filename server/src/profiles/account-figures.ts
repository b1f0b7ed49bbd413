import type { Asset } from '@pennypost/contract/money'
import { sql } from 'kysely'
import type { Tx } from '../platform/database/database.ts'

// Everything that writes `account_figures`. Each function locks its rows until the transaction ends, in the order of their
// ids: otherwise two people who follow or pay each other at the same time could deadlock.

export async function lockAccountFigures(tx: Tx, accountIds: readonly string[]): Promise<void> {
  const ids = [...accountIds].sort()
  await sql`INSERT INTO account_figures (account_id) SELECT unnest(${ids}::uuid[]) ON CONFLICT DO NOTHING`.execute(tx)
  await sql`SELECT FROM account_figures WHERE account_id = ANY(${ids}::uuid[]) ORDER BY account_id FOR UPDATE`.execute(
    tx,
  )
}

/** Counts that one account follows another, or no longer does. */
export async function countFollow(
  tx: Tx,
  { creatorId, followerId }: { readonly creatorId: string; readonly followerId: string },
  by: 1 | -1,
): Promise<void> {
  const ids = [creatorId, followerId]
  await lockAccountFigures(tx, ids)
  await sql`
    UPDATE account_figures SET
      follower_count = follower_count + CASE account_id WHEN ${creatorId}::uuid THEN ${by}::int ELSE 0 END,
      following_count = following_count + CASE account_id WHEN ${followerId}::uuid THEN ${by}::int ELSE 0 END
    WHERE account_id = ANY(${ids}::uuid[])`.execute(tx)
}

/** The columns of each asset. What counts on no leaderboard has `own_` before the name. */
const columnsOf = {
  XNO: { earned: 'earned_raw', given: 'given_raw' },
  USDC: { earned: 'earned_atomic', given: 'given_atomic' },
} as const satisfies Record<Asset, unknown>

/** A purchase or tip, as it is counted for both accounts. */
export interface CountedPayment {
  /** Null: the payer has no account. */
  readonly payerId: string | null
  readonly payeeId: string
  readonly isSale: boolean
  /** Earnings and gifts are counted for each asset. */
  readonly asset: Asset
  readonly gross: string
  readonly net: string
}

/** Counts a purchase or tip for both accounts. Under this lock an account's lines get their order. */
export async function countPayment(
  tx: Tx,
  { payerId, payeeId, isSale, asset, gross, net }: CountedPayment,
): Promise<void> {
  const earned = sql.ref(columnsOf[asset].earned)
  const given = sql.ref(columnsOf[asset].given)
  const ids = [payerId, payeeId].filter((id) => id !== null)
  await lockAccountFigures(tx, ids)
  await sql`
    UPDATE account_figures SET
      sales_count = sales_count + CASE account_id WHEN ${payeeId}::uuid THEN ${isSale ? 1 : 0}::int ELSE 0 END,
      ${earned} = ${earned} + CASE account_id WHEN ${payeeId}::uuid THEN ${net}::numeric ELSE 0 END,
      ${given} = ${given} + CASE account_id WHEN ${payerId}::uuid THEN ${gross}::numeric ELSE 0 END
    WHERE account_id = ANY(${ids}::uuid[])`.execute(tx)
}

/** Money that does not count for an account on leaderboards. */
export interface OwnMoney {
  readonly accountId: string
  readonly sales?: number
  readonly earned?: bigint
  readonly given?: bigint
}

/** Excludes what people paid to themselves from the leaderboards. The caller must hold the lock on these figures. */
export async function countOwnMoney(tx: Tx, asset: Asset, money: readonly OwnMoney[]): Promise<void> {
  const ownEarned = sql.ref(`own_${columnsOf[asset].earned}`)
  const ownGiven = sql.ref(`own_${columnsOf[asset].given}`)
  for (const { accountId, sales = 0, earned = 0n, given = 0n } of money)
    await sql`
      UPDATE account_figures SET own_sales_count = own_sales_count + ${sales},
        ${ownEarned} = ${ownEarned} + ${String(earned)}::numeric,
        ${ownGiven} = ${ownGiven} + ${String(given)}::numeric
      WHERE account_id = ${accountId}`.execute(tx)
}
