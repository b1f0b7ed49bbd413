import { type Asset, networkOf } from '@pennypost/contract/money'
import type { Offer } from '@pennypost/contract/posts'
import type { PaymentRequirements } from '@pennypost/contract/x402'
import type { AccessServices } from '../services.ts'
import { type Purpose, type QuotedTerms, type QuoteSecret, readQuoteToken, writeQuoteToken } from './quote-token.ts'

/** Decisions §7: a quote stays good so long, though the price changes. */
export const quoteSeconds = 300

// What Base's own USDC signs under (EIP-712); a client that is told otherwise signs for nobody.
const usdcDomain = { name: 'USD Coin', version: '2' }

export type QuoteParts = Pick<AccessServices, 'clock' | 'config' | 'secrets' | 'keyring'>

/** A price somebody was told, read back from the requirement that they chose. */
export interface Quote extends QuoteSecret {
  readonly purpose: Purpose
  readonly postId: string
  readonly asset: Asset
  readonly amount: bigint
  readonly payTo: string
  readonly token: string
  readonly expiresAt: Date
  /** How the key of `payTo` follows from our seed, for Nano. */
  readonly derivation: string
}

export interface QuoteSubject {
  readonly purpose: Purpose
  readonly postId: string
  /** A quote of one checkout is good for no other. */
  readonly checkoutId?: string | undefined
  readonly nanoAddress: string | null
  readonly baseAddress: string | null
}

/** The requirements of the offers that are ready, in their order: USDC first. Writes nothing. */
export const requirementsOf = (
  parts: QuoteParts,
  subject: QuoteSubject,
  offers: readonly Offer[],
): PaymentRequirements[] =>
  offers
    .filter(({ status }) => status === 'ready')
    .map((offer) => requirement(parts, subject, offer.asset, offer.amountAtomic!))

/** One way to pay for something. */
export function requirement(
  parts: QuoteParts,
  subject: QuoteSubject,
  asset: Asset,
  amount: string,
  issuedAt: Date = parts.clock.now(),
): PaymentRequirements {
  const { config, secrets, keyring } = parts
  const { purpose, postId, checkoutId } = subject
  const terms: QuotedTerms = {
    purpose,
    postId,
    checkoutId,
    amount,
    network: networkOf[asset],
    asset: assetName(parts, asset),
    payTo: asset === 'USDC' ? subject.baseAddress! : undefined,
  }
  const commissionBps = asset === 'XNO' && purpose === 'access' ? config.commissionBps : 0
  const recipient = asset === 'XNO' ? subject.nanoAddress! : undefined
  const { token, nonce } = writeQuoteToken(secrets, terms, { issuedAt, commissionBps, recipient })
  const payTo = terms.payTo ?? keyring.addressOf({ id: '0', derivation: derivationOf(nonce) })
  return requirementOf(parts, { asset, amount, payTo, token })
}

/** What a quote asks for, in our own words: what a client echoes is not believed. */
export const requirementOf = (
  parts: Pick<QuoteParts, 'config'>,
  { asset, amount, payTo, token }: { asset: Asset; amount: string | bigint; payTo: string; token: string },
): PaymentRequirements => ({
  scheme: 'exact',
  network: networkOf[asset],
  amount: String(amount),
  asset: assetName(parts, asset),
  payTo,
  maxTimeoutSeconds: quoteSeconds,
  extra: { ...(asset === 'USDC' && usdcDomain), quote: token },
})

/** The quote that somebody accepted; undefined where it is none of ours for this, or was changed in any part. */
export function readQuote(
  parts: QuoteParts,
  { purpose, postId, checkoutId }: Pick<QuoteSubject, 'purpose' | 'postId' | 'checkoutId'>,
  accepted: PaymentRequirements,
): Quote | undefined {
  const { secrets, keyring } = parts
  const { network, asset: name, amount, payTo } = accepted
  const asset: Asset = network === networkOf.USDC ? 'USDC' : 'XNO'
  const token = accepted.extra.quote
  const shown = { network, asset: name, amount, payTo: asset === 'USDC' ? payTo : undefined }
  const terms = { purpose, postId, checkoutId, ...shown }
  if (name !== assetName(parts, asset)) return undefined
  const secret = readQuoteToken(secrets, terms, token)
  if (!secret) return undefined
  const derivation = derivationOf(secret.nonce)
  if (asset === 'XNO' && keyring.addressOf({ id: '0', derivation }) !== payTo) return undefined
  const expiresAt = new Date(secret.issuedAt.getTime() + quoteSeconds * 1000)
  return { ...secret, purpose, postId, asset, amount: BigInt(amount), payTo, token, expiresAt, derivation }
}

const assetName = ({ config }: Pick<QuoteParts, 'config'>, asset: Asset): string =>
  asset === 'USDC' ? config.usdcAddress : 'XNO'

const derivationOf = (nonce: string): string => `x402:${nonce}`
