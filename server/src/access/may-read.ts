import type { PostAccess } from '@pennypost/contract/access'
import type { EntitlementSource } from '../payments/entitlements/entitlement-store.ts'
import type { Wanted } from '../payments/x402/take-payment.ts'
import type { Wallet } from '../rails/rail.ts'
import { giftToken } from './gift-token.ts'
import { findReading, type ReadingRow } from './reading-store.ts'
import type { AccessServices } from './services.ts'

/** A reader, by everything they have proved. */
export interface Reader {
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
  /** Undefined: the claim is malformed, which `isProved` refuses. */
  readonly wallet: Wallet | undefined
  isProved(): Promise<boolean>
}

/** Why somebody may read. */
export interface Grant {
  readonly access: PostAccess['access']
  readonly entitlement: PostAccess['entitlement']
  /** When they first paid for it; undefined where nobody did. */
  readonly paidAt?: Date | undefined
  /** The link that opened it, where nothing else did. */
  readonly giftId?: string
}

export interface Reading {
  readonly post: ReadingRow
  /** Undefined: it is for sale. */
  readonly grant: Grant | undefined
}

/**
 * Who may read this post, and why. Undefined: they must not even learn that it exists. A wallet's signature can be used
 * once, so it is left alone for a reader with a lasting right; a post that is free or given away now may be less than
 * what the wallet bought.
 */
export async function mayRead(
  { pool, secrets }: Pick<AccessServices, 'pool' | 'secrets'>,
  postId: string,
  reader: Reader,
): Promise<Reading | undefined> {
  const { accountId, settledAt, claim } = reader
  const giftId = reader.giftToken === undefined ? undefined : giftToken.idIn(secrets, reader.giftToken)
  const wallet = reader.wallet ?? claim?.wallet
  const post = await findReading(pool, postId, { accountId, wallet, giftId })
  const known = post && grantFor(post, { accountId, settledAt, isWalletProved: reader.wallet !== undefined })
  const isLasting = known?.access === 'owner' || known?.paidAt !== undefined
  // It is verified for a post that does not exist too, so that the reply takes as long.
  const isClaimProved = !isLasting && claim !== undefined && (await claim.isProved())
  if (!post) return undefined
  const grant = isClaimProved ? grantFor(post, { accountId, settledAt, isWalletProved: true }) : known
  return grant || post.status === 'published' ? { post, grant } : undefined
}

/** What was taken off a post stays with those who had paid by then: neither gifts nor later buyers get it. */
export const keeps = ({ paidAt }: Grant, removedAt: Date | null): boolean =>
  paidAt !== undefined && (removedAt === null || paidAt <= removedAt)

interface Proved {
  readonly accountId: string | undefined
  readonly settledAt: Date | undefined
  readonly isWalletProved: boolean
}

/** The strongest reason first: what was bought stays, whatever becomes of the price, the gift or the post. */
function grantFor(post: ReadingRow, { accountId, settledAt, isWalletProved }: Proved): Grant | undefined {
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

/** What a presented payment is wanted for, given what its payer may read without it. */
export function wantedPayment(reading: Reading | undefined): Wanted {
  if (!reading) return 'nothing'
  if (!reading.grant) return 'purchase'
  // A free post or a gift may end, so money that was sent still buys. A lasting right does not: it goes back.
  const { access } = reading.grant
  return access === 'free' || access === 'gift' ? 'what was sent' : 'nothing'
}
