import type { Asset } from '@pennypost/contract/money'
import { maxListedTips } from '@pennypost/contract/tip-lists'
import type pg from 'pg'
import { type MaybePersonRow, maybePersonJoin, personColumns } from '../accounts/person-view.ts'
import type { TimePosition } from '../platform/cursor.ts'
import { readRows, type Statement } from '../platform/database/database.ts'

const noUuid = '00000000-0000-0000-0000-000000000000'

interface TipRow extends MaybePersonRow {
  readonly id: string
  readonly asset: Asset
  /** In the smallest unit of the asset. */
  readonly amount_raw: string
  readonly message: string | null
  readonly received_at: Date
}

export const tipsToPost: Statement<TipRow> = {
  name: 'tips-to-post',
  text: `SELECT tip.id, tip.asset, tip.amount_raw, tip.message, tip.received_at, ${personColumns}
    FROM (SELECT id, payer_id, asset, amount_raw, message, received_at FROM orders
      WHERE post_id = $1 AND kind = 'tip' AND comment_id IS NULL AND received_at <= $3
        AND (received_at < $3 OR id > $4)
      ORDER BY received_at DESC, id LIMIT $2) tip
    ${maybePersonJoin('tip.payer_id')} ORDER BY tip.received_at DESC, tip.id`,
}

export const listTipRows = (pool: pg.Pool, postId: string, limit: number, after?: TimePosition): Promise<TipRow[]> =>
  readRows(pool, tipsToPost, [postId, limit, after?.at ?? 'infinity', after?.id ?? noUuid])

/** A supporter without an account is a wallet, which is not shown. */
interface SupporterRow extends MaybePersonRow {
  readonly tip_total_raw: string
  readonly tip_total_atomic: string
}

export const supportersOfComment: Statement<SupporterRow> = {
  name: 'supporters-of-comment',
  text: `SELECT supporter.tip_total_raw, supporter.tip_total_atomic, ${personColumns}
    FROM (SELECT account_id, tip_total_raw, tip_total_atomic, coalesce(account_id::text, wallet) AS name
      FROM comment_supporters WHERE comment_id = $1
      ORDER BY tip_total_raw DESC, tip_total_atomic DESC, coalesce(account_id::text, wallet) LIMIT $2) supporter
    ${maybePersonJoin('supporter.account_id')}
    ORDER BY supporter.tip_total_raw DESC, supporter.tip_total_atomic DESC, supporter.name`,
}

export const listSupporterRows = (pool: pg.Pool, commentId: string): Promise<SupporterRow[]> =>
  readRows(pool, supportersOfComment, [commentId, maxListedTips])
