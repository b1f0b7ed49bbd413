import type { Blocker } from '@pennypost/contract/me'
import type { Offer } from '@pennypost/contract/posts'
import { publicationBlockers } from '../profiles/profile-rules.ts'
import { hasUnresolvedZip, type PostUploads } from '../uploads/post-uploads.ts'
import type { Author } from './author-store.ts'
import type { PostRow } from './post-store.ts'

type Publishable = Pick<
  PostRow,
  | 'price_currency'
  | 'category'
  | 'language'
  | 'creation_method'
  | 'creation_attested'
  | 'has_paywall'
  | 'price_atomic'
  | 'paid_markdown'
>

const blocked = (field: string, message: string): Blocker => ({ code: 'publication-blocked', field, message })

const unresolved: Blocker = {
  code: 'attachments-unresolved',
  field: 'attachments',
  message: 'Wait until every ZIP file is ready and none is held for review, or remove it.',
}

/** Lists everything that prevents a post from being published, each with the field to fix. */
export function postBlockers(
  post: Publishable,
  author: Author,
  offers: readonly Offer[],
  uploads: Pick<PostUploads, 'ready_count' | 'active_count'>,
): Blocker[] {
  const hasReceivingAddress = author.receives_nano || author.receives_base
  const blockers = publicationBlockers({ ...author, hasReceivingAddress })
  if (hasUnresolvedZip(uploads)) blockers.push(unresolved)
  if (post.category === null) blockers.push(blocked('category', 'Choose a category.'))
  if (post.language === null) blockers.push(blocked('language', 'Choose a language.'))
  if (post.creation_method === null) blockers.push(blocked('creationMethod', 'Choose how this post was written.'))
  if (!post.creation_attested) blockers.push(blocked('creationAttested', 'Confirm how this post was written.'))
  if (post.has_paywall) blockers.push(...paidBlockers(post, hasReceivingAddress, offers))
  return blockers
}

/**
 * Whether a post has a price in its own currency that nobody can pay in it. A price in Nano whose conversion is below the
 * minimum is sold in Nano alone, as its author wants it.
 */
export const isBelowMinimum = (
  { price_currency }: Pick<PostRow, 'price_currency'>,
  offers: readonly Offer[],
): boolean => offers.some(({ asset, status }) => asset === price_currency && status === 'below_minimum')

function paidBlockers(post: Publishable, hasReceivingAddress: boolean, offers: readonly Offer[]): Blocker[] {
  const blockers: Blocker[] = []
  if (post.paid_markdown.trim() === '') blockers.push(blocked('paidContentMarkdown', 'Write the paid content.'))
  if (post.price_atomic === null || post.price_atomic === '0') {
    blockers.push(blocked('price', 'Set a price above zero.'))
  } else if (isBelowMinimum(post, offers)) {
    const { reason } = offers.find(({ asset }) => asset === post.price_currency)!
    blockers.push(blocked('price', `${reason} Set a higher price, or a price in XNO.`))
  } else if (hasReceivingAddress && !offers.some((offer) => offer.status === 'ready')) {
    const reasons = offers.flatMap(({ reason }) => (reason ? [reason] : []))
    blockers.push(blocked('price', `No payment method is available at this price. ${reasons.join(' ')}`))
  }
  return blockers
}
