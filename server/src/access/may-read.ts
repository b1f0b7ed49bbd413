import type { PostAccess } from '@pennypost/contract/access'
import type pg from 'pg'
import { type EntitlementSource, walletNetwork } from '../payments/entitlements/entitlement-store.ts'
import type { Wanted } from '../payments/x402/take-payment.ts'
import { readRows, type Statement } from '../platform/database/database.ts'
import type { PostRow } from '../posts/post-store.ts'
import type { Wallet } from '../rails/rail.ts'
import type { ReadyAttachment, RetainedAttachment } from '../uploads/attachment-view.ts'
import { giftToken } from './gift-token.ts'
import { type OfferedPost, offeredColumns, offeredJoins } from './offered-posts.ts'
import type { AccessServices } from './services.ts'

/** A reader, by everything they have proved. */
interface Reader {
  readonly accountId?: string | undefined
  readonly giftToken?: string | undefined
  /** When a payment for this post was settled, which the reader presents again with the token of its offer. */
  readonly settledAt?: Date | undefined
  /** A wallet that has paid just now, or earlier. */
  readonly wallet?: Wallet | undefined
  /** A wallet that the reader claims to own. Its signature is verified, and used up, only if nothing else opens the post. */
  readonly claim?: WalletClaim | undefined
}

export interface WalletClaim {
  /** Undefined if the claim is malformed, which `isProved` refuses. */
  readonly wallet: Wallet | undefined
  isProved(): Promise<boolean>
}

/** Why a reader may read a post. */
export interface Grant {
  readonly access: PostAccess['access']
  readonly entitlement: PostAccess['entitlement']
  /** When they first paid for it. Undefined if they did not. */
  readonly paidAt?: Date | undefined
  /** The link that opened it, where nothing else did. */
  readonly giftId?: string
}

interface Reading {
  readonly post: ReadingRow
  /** Undefined if they have to buy it. */
  readonly grant: Grant | undefined
}

/**
 * Whether the caller may read this post, and why. Returns undefined if they must not even learn that it exists. A wallet's
 * signature works once, so it is not used for a reader who is the author or has bought the post. It is used for a post that
 * is free or given away now, because the wallet may have bought more than others see.
 */
export async function mayRead(
  { pool, secrets, offeredPosts }: Pick<AccessServices, 'pool' | 'secrets' | 'offeredPosts'>,
  postId: string,
  reader: Reader,
): Promise<Reading | undefined> {
  const { accountId, settledAt, claim } = reader
  const giftId = reader.giftToken === undefined ? undefined : giftToken.readId(secrets, reader.giftToken)
  const wallet = reader.wallet ?? claim?.wallet
  const post = await findReading({ pool, offeredPosts }, postId, { accountId, wallet, giftId })
  const known = post && grantFor(post, { accountId, settledAt, isWalletProved: reader.wallet !== undefined })
  const isLasting = known?.access === 'owner' || known?.paidAt !== undefined
  // It is verified for a post that does not exist too, so that the reply takes as long.
  const isClaimProved = !isLasting && claim !== undefined && (await claim.isProved())
  if (!post) return undefined
  const grant = isClaimProved ? grantFor(post, { accountId, settledAt, isWalletProved: true }) : known
  return grant || post.status === 'published' ? { post, grant } : undefined
}

/**
 * Whether a reader keeps a ZIP that was removed from its post: those who had paid by then do, gifts and later buyers do
 * not.
 */
export const keeps = ({ paidAt }: Grant, removedAt: Date | null): boolean =>
  paidAt !== undefined && (removedAt === null || paidAt <= removedAt)

interface ProvenClaims {
  readonly accountId: string | undefined
  readonly settledAt: Date | undefined
  readonly isWalletProved: boolean
}

/** The strongest reason first: what was bought stays, whatever becomes of the price, the gift or the post. */
function grantFor(post: ReadingRow, { accountId, settledAt, isWalletProved }: ProvenClaims): Grant | undefined {
  if (accountId === post.account_id) return { access: 'owner', entitlement: null }
  const boughtAt = post.granted_at
  // A wallet that is linked to the account needs no signature.
  const walletAt = (isWalletProved ? post.wallet_granted_at : null) ?? post.linked_granted_at
  const walletSource = (isWalletProved ? post.wallet_source : null) ?? post.linked_source
  const paidAt = earliest(boughtAt, settledAt, walletAt)
  if (boughtAt) return { access: 'purchased', entitlement: entitlement(post.source!, boughtAt), paidAt }
  if (settledAt) return { access: 'purchased', entitlement: entitlement('x402', settledAt), paidAt }
  if (walletAt) return { access: 'wallet', entitlement: entitlement(walletSource!, walletAt), paidAt }
  if (post.status !== 'published') return undefined
  if (!post.has_paywall) return { access: 'free', entitlement: null }
  if (post.gift_id) return { access: 'gift', entitlement: null, giftId: post.gift_id }
  return undefined
}

const earliest = (...times: (Date | null | undefined)[]): Date | undefined =>
  times.filter((time) => time instanceof Date).sort((one, other) => one.getTime() - other.getTime())[0]

const entitlement = (source: EntitlementSource, grantedAt: Date) => ({
  source,
  grantedAt: grantedAt.toISOString(),
})

/** The reason for which a presented payment is accepted, given what its payer may read without it. */
export function wantedPayment(reading: Reading | undefined): Wanted {
  if (!reading) return 'nothing'
  if (!reading.grant) return 'purchase'
  // A free post or a gift may end, so money that was sent still buys. A lasting right does not: it goes back.
  const { access } = reading.grant
  return access === 'free' || access === 'gift' ? 'what was sent' : 'nothing'
}

/** A post's state and price, and what this reader has bought or been given. A stranger has nothing. */
export interface ReadingRow extends OfferedPost, Partial<Held> {}

interface Held {
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
        ON paid.network = ${walletNetwork('own.kind')} AND paid.wallet = own.address
      WHERE own.account_id = ${accountId}`

// BETWEEN and OFFSET 0 make the planner look wallets up by their key: otherwise it reads every wallet that bought the post.
export const reading: Statement<ReadingRow> = {
  name: 'reading',
  text: `SELECT ${offeredColumns}, bought.source, bought.granted_at, wallet.source AS wallet_source,
      wallet.granted_at AS wallet_granted_at, linked.source AS linked_source, linked.granted_at AS linked_granted_at,
      gift.id AS gift_id
    FROM posts post ${offeredJoins}
      LEFT JOIN entitlements bought ON bought.account_id = $2 AND bought.post_id = post.id
      LEFT JOIN wallet_entitlements wallet ON wallet.network = $3 AND wallet.wallet = $4
        AND wallet.post_id BETWEEN post.id AND post.id
      LEFT JOIN LATERAL (SELECT paid.source, paid.granted_at FROM wallets own
        CROSS JOIN LATERAL (SELECT entitled.source, entitled.granted_at FROM wallet_entitlements entitled
          WHERE entitled.network = ${walletNetwork('own.kind')}
            AND entitled.wallet = own.address AND entitled.post_id BETWEEN post.id AND post.id OFFSET 0) paid
        WHERE own.account_id = $2 ORDER BY paid.granted_at LIMIT 1) linked ON true
      LEFT JOIN gift_links gift ON gift.id = $5 AND gift.post_id = post.id AND gift.disabled_at IS NULL
    WHERE post.id = $1`,
}

interface ReaderKeys {
  readonly accountId: string | undefined
  readonly wallet: Wallet | undefined
  readonly giftId: string | undefined
}

async function findReading(
  { pool, offeredPosts }: Pick<AccessServices, 'pool' | 'offeredPosts'>,
  postId: string,
  { accountId, wallet, giftId }: ReaderKeys,
): Promise<ReadingRow | undefined> {
  if (accountId !== undefined || wallet !== undefined || giftId !== undefined) {
    return (await readRows(pool, reading, [postId, accountId, wallet?.network, wallet?.address, giftId]))[0]
  }
  return offeredPosts(postId)
}

export interface PostContent
  extends Pick<PostRow, 'free_markdown' | 'free_html' | 'paid_markdown' | 'paid_html' | 'creation_method'> {
  readonly image_paths: Record<string, string>
  readonly attachments: ReadyAttachment[]
  /** ZIPs that were removed from the post, for those who bought it before. */
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
