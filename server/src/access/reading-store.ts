import type pg from 'pg'
import type { EntitlementSource } from '../payments/entitlements/entitlement-store.ts'
import { readRows, type Statement } from '../platform/database/database.ts'
import type { PostRow } from '../posts/post-store.ts'
import type { Wallet } from '../rails/rail.ts'
import type { ReadyAttachment, RetainedAttachment } from '../uploads/attachment-view.ts'

/** A post's state and price, and what this reader has bought or been given. */
export interface ReadingRow
  extends Pick<PostRow, 'id' | 'account_id' | 'title' | 'status' | 'has_paywall' | 'price_currency' | 'price_atomic'> {
  readonly nano_address: string | null
  readonly base_address: string | null
  readonly has_zip: boolean
  readonly source: EntitlementSource | null
  readonly granted_at: Date | null
  /** Bought by the claimed wallet: it counts only where the reader has proved to own it. */
  readonly wallet_source: EntitlementSource | null
  readonly wallet_granted_at: Date | null
  /** Bought by a wallet that is linked to the account. */
  readonly linked_source: EntitlementSource | null
  readonly linked_granted_at: Date | null
  readonly gift_id: string | null
}

/** Everything that an account may read because it, or a wallet linked to it, paid for it. */
export const boughtByAccount = (accountId: string): string =>
  `SELECT post_id, source, granted_at FROM entitlements WHERE account_id = ${accountId}
    UNION ALL SELECT paid.post_id, paid.source, paid.granted_at
      FROM wallets own JOIN wallet_entitlements paid
        ON paid.network = CASE own.kind WHEN 'nano' THEN 'nano:mainnet' ELSE 'eip155:8453' END AND paid.wallet = own.address
      WHERE own.account_id = ${accountId}`

// BETWEEN and OFFSET 0 make the planner look wallets up by their key: otherwise it reads every wallet that bought the post.
export const reading: Statement<ReadingRow> = {
  name: 'reading',
  text: `SELECT post.id, post.account_id, post.title, post.status, post.has_paywall, post.price_currency,
      post.price_atomic::text AS price_atomic, nano.address AS nano_address, base.address AS base_address,
      coalesce(uploads.active_count, 0) > 0 AS has_zip, bought.source, bought.granted_at,
      wallet.source AS wallet_source, wallet.granted_at AS wallet_granted_at, linked.source AS linked_source,
      linked.granted_at AS linked_granted_at, gift.id AS gift_id
    FROM posts post
      LEFT JOIN receiving_addresses nano ON nano.account_id = post.account_id AND nano.rail = 'nano'
      LEFT JOIN receiving_addresses base ON base.account_id = post.account_id AND base.rail = 'base'
      LEFT JOIN post_uploads uploads ON uploads.post_id = post.id
      LEFT JOIN entitlements bought ON bought.account_id = $2 AND bought.post_id = post.id
      LEFT JOIN wallet_entitlements wallet ON wallet.network = $3 AND wallet.wallet = $4
        AND wallet.post_id BETWEEN post.id AND post.id
      LEFT JOIN LATERAL (SELECT paid.source, paid.granted_at FROM wallets own
        CROSS JOIN LATERAL (SELECT entitled.source, entitled.granted_at FROM wallet_entitlements entitled
          WHERE entitled.network = CASE own.kind WHEN 'nano' THEN 'nano:mainnet' ELSE 'eip155:8453' END
            AND entitled.wallet = own.address AND entitled.post_id BETWEEN post.id AND post.id OFFSET 0) paid
        WHERE own.account_id = $2 ORDER BY paid.granted_at LIMIT 1) linked ON true
      LEFT JOIN gift_links gift ON gift.id = $5 AND gift.post_id = post.id AND gift.disabled_at IS NULL
    WHERE post.id = $1`,
}

export interface ReaderKeys {
  readonly accountId: string | undefined
  readonly wallet: Wallet | undefined
  readonly giftId: string | undefined
}

export const findReading = async (
  pool: pg.Pool,
  postId: string,
  { accountId, wallet, giftId }: ReaderKeys,
): Promise<ReadingRow | undefined> =>
  (await readRows(pool, reading, [postId, accountId, wallet?.network, wallet?.address, giftId]))[0]

export interface PostContent
  extends Pick<PostRow, 'free_markdown' | 'free_html' | 'paid_markdown' | 'paid_html' | 'creation_method'> {
  readonly image_paths: Record<string, string>
  readonly attachments: ReadyAttachment[]
  /** What was taken off the post, for those who bought it before. */
  readonly retained: RetainedAttachment[]
}

export const content: Statement<PostContent> = {
  name: 'post-content',
  text: `SELECT post.free_markdown, post.free_html, post.paid_markdown, post.paid_html, post.creation_method,
      coalesce(uploads.image_paths, '{}') AS image_paths, coalesce(uploads.attachments, '[]') AS attachments,
      coalesce(uploads.retained, '[]') AS retained
    FROM posts post LEFT JOIN post_uploads uploads ON uploads.post_id = post.id WHERE post.id = $1`,
}

export const findContent = async (pool: pg.Pool, postId: string): Promise<PostContent | undefined> =>
  (await readRows(pool, content, [postId]))[0]
