import type { listLibrary as declared, LibraryItem } from '@pennypost/contract/library'
import { amountOf, formatAmount, networkOf } from '@pennypost/contract/money'
import { personView } from '../accounts/person-view.ts'
import { accessUrl, contentUrl } from '../posts/post-view.ts'
import { type LibraryRow, readLibrary } from './library-store.ts'
import type { Handler } from './services.ts'

export const listLibrary: Handler<typeof declared> = async (
  { pool, config, readers },
  { caller, query, origin, ip, visit },
) => {
  const { q = '', sort, post_id: postId, page, per_page: perPage } = query
  const wanted = { accountId: caller.accountId, postId, words: q, sort, limit: perPage, offset: (page - 1) * perPage }
  const { rows, total } = await readLibrary(pool, wanted, config.usdcAddress)
  // The page of a paid post asks whether its reader has bought it. If not, it shows the paywall, which counts as a view.
  if (postId !== undefined && total === 0) readers.note(postId, { ip, visit, sawPaywall: true })
  return { status: 200, body: { data: rows.map((row) => itemView(row, origin)), total, page, perPage } }
}

const itemView = (row: LibraryRow, origin: string): LibraryItem => ({
  post: {
    id: row.post_id,
    title: row.title,
    description: row.description,
    status: row.status,
    author: personView(row, origin),
    contentUrl: contentUrl(origin, row.post_id),
    accessUrl: accessUrl(origin, row.post_id),
  },
  source: row.source,
  grantedAt: row.granted_at.toISOString(),
  payment: paymentOf(row),
})

function paymentOf({ order_id, asset, amount_raw, payer_wallet, transactions }: LibraryRow): LibraryItem['payment'] {
  if (order_id === null || asset === null || amount_raw === null) return null
  return {
    id: order_id,
    asset,
    network: networkOf[asset],
    amountAtomic: amount_raw,
    amount: formatAmount(asset, amountOf(asset, amount_raw)),
    payer: payer_wallet,
    transactions,
  }
}
