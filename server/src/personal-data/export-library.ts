import { frontMatter } from '@pennypost/contract/front-matter'
import type { Asset } from '@pennypost/contract/money'
import { amountOf, formatAmount } from '@pennypost/contract/money'
import { safeName } from '@pennypost/contract/safe-name'
import { type LibraryRow, readLibrary } from '../access/library-store.ts'
import { findContent } from '../access/may-read.ts'
import type { ExportedFile, ExportRequest } from './exported-file.ts'
import type { PersonalDataServices } from './services.ts'

const batchSize = 100

/**
 * The posts that the account bought, with their text: it is theirs to keep. Images and attachments stay on the site, where they can be
 * downloaded. A page is found by its number, oldest first, so a purchase made meanwhile shifts nothing.
 */
export async function* boughtPosts(
  { pool, config }: Pick<PersonalDataServices, 'pool' | 'config'>,
  { accountId, origin }: ExportRequest,
): AsyncGenerator<ExportedFile> {
  for (let offset = 0; ; offset += batchSize) {
    const wanted = { accountId, postId: undefined, words: '', sort: 'oldest', limit: batchSize, offset }
    const { rows } = await readLibrary(pool, wanted, config.usdcAddress)
    for (const row of rows) {
      const content = await findContent(pool, row.post_id)
      if (!content) continue
      const paid = content.paid_markdown === '' ? '' : `\n\n${content.paid_markdown}`
      yield {
        name: `library/${safeName(row.title)}-${row.post_id.slice(0, 8)}.md`,
        content: `${frontMatter(receiptOf(row, origin))}${content.free_markdown}${paid}`,
        modifiedAt: row.granted_at,
      }
    }
    if (rows.length < batchSize) return
  }
}

const receiptOf = (row: LibraryRow, origin: string) => ({
  title: row.title,
  description: row.description,
  author: row.name,
  url: `${origin}/posts/${row.post_id}`,
  boughtAt: row.granted_at,
  boughtBy: row.source,
  order: row.order_id,
  paid: priceOf(row.asset, row.amount_raw),
  wallet: row.payer_wallet,
  transactions: row.transactions,
})

const priceOf = (asset: Asset | null, amount: string | null): string | null =>
  asset && amount && `${formatAmount(asset, amountOf(asset, amount))} ${asset}`
