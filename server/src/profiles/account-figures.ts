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

/** What a purchase or tip counts for both accounts. */
export interface CountedPayment {
  /** Null: the payer has no account. */
  readonly payerId: string | null
  readonly payeeId: string
  readonly isSale: boolean
  /** Earnings and gifts are counted in Nano alone: null for another asset. */
  readonly nano: { readonly gross: string; readonly net: string } | null
}

/** Counts a purchase or tip for both accounts. Under this lock an account's lines get their order. */
export async function countPayment(tx: Tx, { payerId, payeeId, isSale, nano }: CountedPayment): Promise<void> {
  const ids = [payerId, payeeId].filter((id) => id !== null)
  await lockAccountFigures(tx, ids)
  await sql`
    UPDATE account_figures SET
      sales_count = sales_count + CASE account_id WHEN ${payeeId}::uuid THEN ${isSale ? 1 : 0}::int ELSE 0 END,
      earned_raw = earned_raw + CASE account_id WHEN ${payeeId}::uuid THEN ${nano?.net ?? '0'}::numeric ELSE 0 END,
      given_raw = given_raw + CASE account_id WHEN ${payerId}::uuid THEN ${nano?.gross ?? '0'}::numeric ELSE 0 END
    WHERE account_id = ANY(${ids}::uuid[])`.execute(tx)
}

/** What does not count for an account on leaderboards. */
export interface OwnMoney {
  readonly accountId: string
  readonly sales?: number
  readonly earnedRaw?: bigint
  readonly givenRaw?: bigint
}

/** Takes what people paid to themselves off the leaderboards. The caller must hold the lock on these figures. */
export async function countOwnMoney(tx: Tx, money: readonly OwnMoney[]): Promise<void> {
  for (const { accountId, sales = 0, earnedRaw = 0n, givenRaw = 0n } of money)
    await sql`
      UPDATE account_figures SET own_sales_count = own_sales_count + ${sales},
        own_earned_raw = own_earned_raw + ${String(earnedRaw)}::numeric,
        own_given_raw = own_given_raw + ${String(givenRaw)}::numeric
      WHERE account_id = ${accountId}`.execute(tx)
}
