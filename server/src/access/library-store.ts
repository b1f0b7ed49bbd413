import type { Asset } from '@pennypost/contract/money'
import type pg from 'pg'
import { type PersonRow, personColumns, personJoin } from '../accounts/person-view.ts'
import { type EntitlementSource, walletNetwork } from '../payments/entitlements/entitlement-store.ts'
import { readRows, type Statement } from '../platform/database/database.ts'

export interface LibraryRow extends PersonRow {
  readonly post_id: string
  readonly title: string
  readonly description: string
  readonly status: 'published' | 'withdrawn'
  readonly source: EntitlementSource
  readonly granted_at: Date
  readonly order_id: string | null
  readonly asset: Asset | null
  readonly amount_raw: string | null
  readonly payer_wallet: string | null
  readonly transactions: string[]
}

// Purchases of the account and of its linked wallets; where both have a post, the account's own says more.
const held = `WITH owned AS (
    SELECT post_id, source, granted_at, order_id, NULL AS network, NULL AS wallet FROM entitlements WHERE account_id = $1
    UNION ALL SELECT paid.post_id, paid.source, paid.granted_at, NULL, paid.network, paid.wallet
      FROM wallets own JOIN wallet_entitlements paid
        ON paid.network = ${walletNetwork('own.kind')} AND paid.wallet = own.address
      WHERE own.account_id = $1),
  held AS (SELECT DISTINCT ON (post_id) * FROM owned ORDER BY post_id, wallet NULLS FIRST, granted_at)`
const wanted = `FROM held JOIN posts post ON post.id = held.post_id ${personJoin('post.account_id')}
  WHERE ($2::uuid IS NULL OR held.post_id = $2)
    AND ($3::text = '' OR concat_ws(E'\\n', post.title, post.description, person.name, person.handle) ILIKE $3)`

const items: Statement<LibraryRow> = {
  name: 'library',
  text: `${held}, page AS (
      SELECT held.*, post.title, post.description, post.status, ${personColumns} ${wanted}
      ORDER BY CASE WHEN $4 = 'title' THEN lower(post.title) END,
        CASE WHEN $4 = 'oldest' THEN held.granted_at END, held.granted_at DESC, held.post_id
      LIMIT $5 OFFSET $6)
    SELECT page.post_id, page.title, page.description, page.status, page.person_id, page.handle, page.name, page.author_kind,
      page.avatar_url, page.source, page.granted_at, orders.id AS order_id, orders.asset,
      orders.amount_raw::text AS amount_raw, orders.payer_wallet,
      CASE WHEN orders.transaction IS NOT NULL THEN ARRAY[orders.transaction]
        ELSE ARRAY(SELECT hash FROM order_arrivals WHERE order_id = orders.id ORDER BY hash) END AS transactions
    FROM page LEFT JOIN orders ON orders.id = coalesce(page.order_id,
      (SELECT payment.order_id FROM x402_payments payment
        WHERE payment.network = page.network AND payment.asset = CASE page.network WHEN 'nano:mainnet' THEN 'XNO' ELSE $7 END
          AND payment.payer = page.wallet AND payment.post_id = page.post_id AND payment.state = 'settled'
          AND payment.purpose <> 'tip' ORDER BY payment.settled_at LIMIT 1))
    ORDER BY CASE WHEN $4 = 'title' THEN lower(page.title) END,
      CASE WHEN $4 = 'oldest' THEN page.granted_at END, page.granted_at DESC, page.post_id`,
}

const count: Statement<{ total: number }> = {
  name: 'count-library',
  text: `${held} SELECT count(*)::int AS total ${wanted}`,
}

export interface LibraryQuery {
  readonly accountId: string
  readonly postId: string | undefined
  readonly words: string
  readonly sort: string
  readonly limit: number
  readonly offset: number
}

/** One page of what an account has, and how much it has in total. */
export async function readLibrary(
  pool: pg.Pool,
  { accountId, postId, words, sort, limit, offset }: LibraryQuery,
  usdcAddress: string,
): Promise<{ rows: LibraryRow[]; total: number }> {
  const pattern = words === '' ? '' : `%${words.replace(/[\\%_]/g, '\\$&')}%`
  const which = [accountId, postId, pattern]
  const [rows, [counted]] = await Promise.all([
    readRows(pool, items, [...which, sort, limit, offset, usdcAddress]),
    readRows(pool, count, which),
  ])
  return { rows, total: counted!.total }
}
