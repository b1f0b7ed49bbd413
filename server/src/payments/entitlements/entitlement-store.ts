import { networkOf } from '@pennypost/contract/money'
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/database/database.ts'
import { lockPostFigures } from '../../posts/post-figures.ts'
import type { Wallet } from '../../rails/rail.ts'
import type { OrderRow } from '../orders/order-store.ts'

declare module '../../platform/database/tables.ts' {
  interface Tables {
    entitlements: {
      account_id: string
      post_id: string
      source: EntitlementSource
      order_id: string | null
      granted_at: Date
    }
    wallet_entitlements: {
      network: Wallet['network']
      wallet: string
      post_id: string
      source: Exclude<EntitlementSource, 'purchase'>
      granted_at: Date
    }
  }
}

/** The origin of an entitlement: a purchase with an account, a payment through x402, or a checkout. */
export type EntitlementSource = 'purchase' | 'x402' | 'checkout'

/** An entitlement to add. */
export interface Grant {
  readonly postId: string
  readonly accountId: string | null
  readonly wallet: Wallet | null
  readonly source: EntitlementSource
  readonly orderId: string | null
}

/** Grants a post to an order's payer: the account, the wallet that paid, or both. */
export const grantPost = (tx: Tx, order: OrderRow, now: Date): Promise<boolean> =>
  grant(tx, now, {
    postId: order.post_id,
    accountId: order.payer_id,
    orderId: order.id,
    wallet: order.payer_wallet === null ? null : { network: networkOf[order.asset], address: order.payer_wallet },
    source: sourceOf(order),
  })

const sourceOf = ({ is_guest, payer_wallet }: OrderRow): EntitlementSource =>
  is_guest ? 'checkout' : payer_wallet === null ? 'purchase' : 'x402'

/** Returns false if the buyer already has the post. A second purchase at the same moment waits here for the first. */
export async function grant(tx: Tx, now: Date, granted: Grant): Promise<boolean> {
  const { postId, accountId, wallet, source, orderId } = granted
  // A row that refers to a post locks it, and its figures are counted later: figures are locked first everywhere.
  await lockPostFigures(tx, postId)
  if (source === 'purchase' && accountId !== null && (await hasBought(tx, accountId, postId))) return false
  const shared = { post_id: postId, granted_at: now }
  if (accountId !== null) {
    const { numInsertedOrUpdatedRows } = await tx
      .insertInto('entitlements')
      .values({ ...shared, account_id: accountId, source, order_id: orderId })
      .onConflict((conflict) => conflict.columns(['account_id', 'post_id']).doNothing())
      .executeTakeFirst()
    if (numInsertedOrUpdatedRows !== 1n) return false
  }
  if (wallet === null || source === 'purchase') return true
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('wallet_entitlements')
    .values({ ...shared, network: wallet.network, wallet: wallet.address, source })
    .onConflict((conflict) => conflict.columns(['network', 'wallet', 'post_id']).doNothing())
    .executeTakeFirst()
  return accountId !== null || numInsertedOrUpdatedRows === 1n
}

/** SQL for the network on which a wallet pays. `kind` is the column of `wallets` that says how it signs in. */
export const walletNetwork = (kind: string): string =>
  `CASE ${kind} WHEN 'nano' THEN '${networkOf.XNO}' ELSE '${networkOf.USDC}' END`

/** Whether the account, or a wallet that is linked to it, has bought the post. */
export async function hasBought(db: Db | Tx, accountId: string, postId: string): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM entitlements WHERE account_id = ${accountId} AND post_id = ${postId}
    UNION ALL SELECT FROM wallets own CROSS JOIN LATERAL (SELECT FROM wallet_entitlements paid
      WHERE paid.network = ${sql.raw(walletNetwork('own.kind'))}
        AND paid.wallet = own.address AND paid.post_id BETWEEN ${postId} AND ${postId} OFFSET 0) paid
    WHERE own.account_id = ${accountId}
    LIMIT 1`.execute(db)
  return rows.length > 0
}

export async function hasWalletBought(db: Db | Tx, wallet: Wallet, postId: string): Promise<boolean> {
  const found = await db
    .selectFrom('wallet_entitlements')
    .select('source')
    .where('network', '=', wallet.network)
    .where('wallet', '=', wallet.address)
    .where('post_id', '=', postId)
    .executeTakeFirst()
  return found !== undefined
}

/** Moves an entitlement to another account, unless that has the post already: then it stays where it is. */
export async function moveEntitlement(
  tx: Tx,
  postId: string,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await sql`UPDATE entitlements SET account_id = ${to} WHERE account_id = ${from} AND post_id = ${postId}
    AND NOT EXISTS (SELECT FROM entitlements WHERE account_id = ${to} AND post_id = ${postId})`.execute(tx)
}
