import type { PostInput } from '@pennypost/contract/post-fields'
import {
  type updatePost as declared,
  paidContentRequired,
  paidPostRequired,
  postNotFound,
  publicationBlocked,
} from '@pennypost/contract/posts'
import { lockOwnAccount } from '../accounts/account-store.ts'
import { customerNetwork } from '../platform/http/client-address.ts'
import { refuse } from '../platform/http/refuse.ts'
import { uploadsOfPosts } from '../uploads/post-uploads.ts'
import { requireRevision } from '../uploads/revision.ts'
import { findAuthor } from './author-store.ts'
import { indexPosts } from './catalog/catalog-store.ts'
import { emptyPost } from './create-post.ts'
import { isLonger, requireDraftQuota } from './draft-quota.ts'
import { postChangeOf, priceAfter } from './post-content.ts'
import { isBelowMinimum, postBlockers } from './post-rules.ts'
import { changePost, findOwnPost, lockOwnPost, type PostRow } from './post-store.ts'
import { keepVersion } from './post-version-store.ts'
import { priceTerms } from './post-view.ts'
import { writerOf } from './post-writers.ts'
import { offersOf } from './pricing.ts'
import { readOwnPost } from './read-own-post.ts'
import type { Handler } from './services.ts'
import { replaceTags } from './tag-store.ts'

export const updatePost: Handler<typeof declared> = async (services, { caller, params, headers, body, ip, origin }) => {
  const { db, clock, renderer } = services
  // Renders before locking the row, because it may take a while. The revision makes sure that what was read here is still
  // true under the lock.
  const saved = changesText(body) ? await findOwnPost(db, caller.accountId, params.postId) : undefined
  const sender = { accountId: caller.accountId, network: customerNetwork(ip) }
  const change = await postChangeOf(renderer, sender, body, saved ?? emptyPost)
  await db.transaction().execute(async (tx) => {
    // Like publishing, so that the address through which the post is sold cannot be cleared meanwhile. Texts count
    // against the quota of the account's drafts.
    if (changesPrice(body) || changesText(body)) await lockOwnAccount(tx, caller.accountId)
    const current = (await lockOwnPost(tx, caller.accountId, params.postId)) ?? refuse(postNotFound)
    requireRevision(BigInt(current.updated_us), headers['x-post-revision'])
    if (changesVersion(body)) await keepVersion(tx, current, 'edit')
    const { slug, ...others } = change
    const whole = { ...others, ...priceAfter(body, current), written_by_key: writerOf(caller) }
    // A slug that came with an import stays while its title does.
    const isRenamed = slug !== undefined && body.title !== current.title
    const changed = await changePost(tx, current, isRenamed ? { ...whole, slug } : whole, clock.now())
    if (changed.status === 'draft' && isLonger(changed, current))
      await requireDraftQuota(tx, services, caller.accountId)
    if (body.tags !== undefined) await replaceTags(tx, caller.accountId, current.id, body.tags, clock.now())
    const uploads = (await uploadsOfPosts(tx, [current.id])).get(current.id)!
    if (uploads.active_count > 0) requireStillPaid(current, changed)
    if (changed.status !== 'published') return
    const author = await findAuthor(tx, caller.accountId)
    const offers = (post: PostRow) => offersOf(priceTerms(services, post, author, origin, uploads.active_count > 0))
    const blockersOf = (post: PostRow) => postBlockers(post, author, offers(post), uploads)
    const isCheap = changesPrice(body) && isBelowMinimum(changed, offers(changed))
    // Only refuses what this edit breaks: a stale exchange rate, for example, must not prevent fixing a typo.
    const before = new Set(blockersOf(current).map(({ field }) => field))
    const errors = blockersOf(changed).filter(
      ({ field }) => !before.has(field) || isWithoutPrice(changed) || (isCheap && field === 'price'),
    )
    if (errors.length > 0)
      refuse(publicationBlocked, { errors: errors.map(({ code, field, message }) => ({ field, code, message })) })
    await indexPosts(tx, [current.id])
  })
  return { status: 200, body: await readOwnPost(services, caller.accountId, params.postId, origin) }
}

const changesPrice = ({ enablePaywall, priceCurrency, priceAtomic, priceRaw }: PostInput): boolean =>
  [enablePaywall, priceCurrency, priceAtomic, priceRaw].some((part) => part !== undefined)

/** Whether a change affects what versions of a post consist of. */
const changesVersion = ({ title, description, freeContentMarkdown, paidContentMarkdown }: PostInput): boolean =>
  [title, description, freeContentMarkdown, paidContentMarkdown].some((part) => part !== undefined)

/** Formulas are rendered, so switching them on or off changes the text that readers see. */
const changesText = ({ freeContentMarkdown, paidContentMarkdown, math }: PostInput): boolean =>
  [freeContentMarkdown, paidContentMarkdown, math].some((part) => part !== undefined)

/** Refuses to remove the paywall or the paid content while the post has ZIPs. */
export function requireStillPaid(before: PostRow, after: PostRow): void {
  if (before.has_paywall && !after.has_paywall) {
    const error = {
      field: 'enablePaywall',
      code: 'paid_post_required',
      message: 'must stay on while the post has ZIP files',
    }
    refuse(paidPostRequired, { errors: [error] })
  }
  if (before.paid_markdown.trim() !== '' && after.paid_markdown.trim() === '') {
    const message = 'must not be empty while the post has ZIP files'
    refuse(paidContentRequired, { errors: [{ field: 'paidContentMarkdown', code: 'paid_content_required', message }] })
  }
}

/** A published paid post must keep a price, even if it already had other blockers. */
const isWithoutPrice = (post: PostRow): boolean =>
  post.has_paywall && (post.price_atomic === null || post.price_atomic === '0')
