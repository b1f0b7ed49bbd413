import type { PostAccess } from '@pennypost/contract/access'
import { giftToken } from '../accounts/wallets/bound-secret.ts'
import type { EntitlementSource, Wallet } from '../payments/entitlements/entitlement-store.ts'
import { findReading, type ReadingRow } from './reading-store.ts'
import type { AccessServices } from './services.ts'

/** Who asks, by all that they proved. */
export interface Reader {
  readonly accountId?: string | undefined
  readonly giftToken?: string | undefined
  /** A wallet that its owner signed for, just now. */
  readonly wallet?: Wallet | undefined
  /** When a payment for this very Post was settled, which the reader brought back with the token of its quote. */
  readonly settledAt?: Date | undefined
}

/** Why somebody may read. */
export interface Grant {
  readonly access: PostAccess['access']
  readonly entitlement: PostAccess['entitlement']
  /** When they first paid for it; left out where nobody did. */
  readonly paidAt?: Date | undefined
  /** The link that opened it, where nothing else did. */
  readonly giftId?: string
}

export interface Reading {
  readonly post: ReadingRow
  /** Undefined: it is for sale. */
  readonly grant: Grant | undefined
}

/** Who may read this Post, and why. Undefined: they must not even learn that it exists. */
export async function mayRead(
  { pool, secrets }: Pick<AccessServices, 'pool' | 'secrets'>,
  postId: string,
  reader: Reader,
): Promise<Reading | undefined> {
  const { accountId, wallet, settledAt } = reader
  const giftId = reader.giftToken === undefined ? undefined : giftToken.idIn(secrets, reader.giftToken)
  const post = await findReading(pool, postId, { accountId, wallet, giftId })
  if (!post) return undefined
  const grant = grantFor(post, accountId, settledAt)
  return grant || post.status === 'published' ? { post, grant } : undefined
}

/** What was taken off a Post stays with those who had paid by then: neither gifts nor later buyers get it. */
export const keeps = ({ paidAt }: Grant, removedAt: Date | null): boolean =>
  paidAt !== undefined && (removedAt === null || paidAt <= removedAt)

/**
 * The same, where a wallet may be asked too. Its proof is used up only by those who have no lasting right: a Post that
 * is free or given away now may be less than what the wallet bought.
 */
export async function mayReadSigned(
  services: Pick<AccessServices, 'pool' | 'secrets'>,
  postId: string,
  reader: Reader,
  signedBy: () => Promise<Wallet | undefined>,
): Promise<Reading | undefined> {
  const reading = await mayRead(services, postId, reader)
  if (reading?.grant?.access === 'owner' || reading?.grant?.paidAt) return reading
  const wallet = await signedBy()
  return wallet ? mayRead(services, postId, { ...reader, wallet }) : reading
}

/** The strongest reason first: what was bought stays, whatever becomes of the price, the gift or the Post (§3). */
function grantFor(post: ReadingRow, accountId: string | undefined, settledAt: Date | undefined): Grant | undefined {
  if (accountId === post.account_id) return { access: 'owner', entitlement: null }
  const { granted_at: boughtAt, wallet_granted_at: walletAt } = post
  const paidAt = earliest(boughtAt, settledAt, walletAt)
  if (boughtAt) return { access: 'purchased', entitlement: entitlement(post.source!, boughtAt), paidAt }
  if (settledAt) return { access: 'purchased', entitlement: entitlement('x402', settledAt), paidAt }
  if (walletAt) return { access: 'wallet', entitlement: entitlement(post.wallet_source!, walletAt), paidAt }
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
