import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Amount, type Asset, amountOf } from '@pennypost/contract/money'
import type { Offer } from '@pennypost/contract/posts'
import { AtomicAmount } from '@pennypost/contract/schemas'
import { PaymentRequirements, paymentMalformed } from '@pennypost/contract/x402'
import { nanoAddress, parseNanoAddress } from '@pennypost/nano/address'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { refuse } from '../../platform/http/refuse.ts'
import { generationsOf, type Secrets } from '../../platform/secrets.ts'
import { randomNonce } from '../../rails/nano/custody/keyring.ts'
import type { Network } from '../../rails/rail.ts'
import { rails, railsByNetwork } from '../../rails/rails.ts'
import type { PaymentServices } from '../services.ts'

// An x402 offer is not stored. Its token contains when it was made and what the requirement does not show, with a MAC over
// everything: what a client echoes is exactly our offer, or it is rejected. On the wire the token is called `quote`.

/** What is offered: a post, a tip to a post or comment, or a post within a checkout. */
export type Purpose = 'access' | 'tip' | 'checkout'

/** How long an offer is valid, even if the price changes. */
export const offerSeconds = 300

export type OfferParts = Pick<PaymentServices, 'clock' | 'config' | 'secrets' | 'addresses'>

/** An offer that a client accepted, read back from the requirement that it chose. */
export interface X402Offer extends HiddenTerms {
  readonly purpose: Purpose
  readonly postId: string
  readonly commentId: string | undefined
  readonly asset: Asset
  readonly network: Network
  readonly amount: Amount
  readonly payTo: string
  readonly token: string
  readonly expiresAt: Date
  /** How the key of `payTo` is derived from our seed. Null if `payTo` is the author's address. */
  readonly derivation: string | null
}

export interface OfferSubject {
  readonly purpose: Purpose
  readonly postId: string
  /** A tip for a comment under the post. */
  readonly commentId?: string | undefined
  /** An offer of one checkout is valid for no other. */
  readonly checkoutId?: string | undefined
}

/** With the addresses at which the author is paid. */
interface OfferedSubject extends OfferSubject {
  readonly recipients: Readonly<Record<Asset, string | null>>
}

/** The requirements of the offers that are ready, in order: USDC first. Writes nothing. */
export const requirementsOf = (
  parts: OfferParts,
  subject: OfferedSubject,
  prices: readonly Offer[],
): Promise<PaymentRequirements[]> =>
  Promise.all(
    prices
      .filter(({ status }) => status === 'ready')
      .map(({ asset, amountAtomic }) => makeOffer(parts, subject, asset, amountAtomic!)),
  )

/** Makes one offer. */
export async function makeOffer(
  parts: OfferParts,
  { purpose, postId, commentId, checkoutId, recipients }: OfferedSubject,
  asset: Asset,
  amount: string,
  issuedAt: Date = parts.clock.now(),
): Promise<PaymentRequirements> {
  const rail = rails[asset]
  const recipient = recipients[asset]!
  const shown = {
    purpose,
    postId,
    commentId,
    checkoutId,
    amount,
    network: rail.network,
    asset: rail.assetName(parts),
    payTo: rail.isCustodial ? undefined : recipient,
  }
  const { token, nonce } = writeToken(parts.secrets, shown, {
    issuedAt,
    nonce: await nonceOf(parts, rail.isCustodial, checkoutId),
    commissionBps: rail.isCustodial && purpose === 'access' ? parts.config.commissionBps : 0,
    recipient: rail.isCustodial ? recipient : undefined,
  })
  const { payTo } = await rail.offer(parts, { nonce, recipient })
  return requirementOf(parts, { asset, amount, payTo, token })
}

/** What an offer asks for, written by us: the copy that a client echoes is not trusted. */
export function requirementOf(
  parts: Pick<OfferParts, 'config'>,
  { asset, amount, payTo, token }: { asset: Asset; amount: string | bigint; payTo: string; token: string },
): PaymentRequirements {
  const rail = rails[asset]
  return {
    scheme: 'exact',
    network: rail.network,
    amount: String(amount),
    asset: rail.assetName(parts),
    payTo,
    maxTimeoutSeconds: offerSeconds,
    extra: { ...rail.signingDomain, quote: token },
  }
}

/** Reads the offer that a client accepted. Returns undefined if it is not ours for this subject, or was changed. */
export async function readOffer(
  parts: OfferParts,
  { purpose, postId, commentId, checkoutId }: OfferSubject,
  accepted: PaymentRequirements,
): Promise<X402Offer | undefined> {
  const { network, asset: name, amount, payTo } = accepted
  const rail = railsByNetwork[network]
  const token = accepted.extra.quote
  if (name !== rail.assetName(parts)) return undefined
  const shown = { purpose, postId, commentId, checkoutId, network, asset: name, amount }
  const hidden = readToken(parts.secrets, { ...shown, payTo: rail.isCustodial ? undefined : payTo }, token)
  if (!hidden) return undefined
  const place = await rail.offer(parts, { nonce: hidden.nonce, recipient: payTo })
  if (place.payTo !== payTo) return undefined
  return {
    ...hidden,
    purpose,
    postId,
    commentId,
    asset: rail.asset,
    network: rail.network,
    amount: amountOf(rail.asset, amount),
    payTo,
    token,
    expiresAt: new Date(hidden.issuedAt.getTime() + offerSeconds * 1000),
    derivation: place.derivation,
  }
}

/** The terms that the requirement itself shows. */
interface ShownTerms extends OfferSubject {
  readonly network: string
  readonly asset: string
  readonly amount: string
  /** The author's own address. Undefined if it is one of ours, which is derived from the token. */
  readonly payTo: string | undefined
}

/** The terms that the requirement does not show. */
interface HiddenTerms {
  readonly issuedAt: Date
  /** Random, so that every offer has its own token although the price is the same. */
  readonly nonce: string
  readonly commissionBps: number
  /** Where the author's Nano goes: an address saved later changes nothing about this sale. */
  readonly recipient: string | undefined
}

const version = 1
const nonceBytes = 16
const headBytes = 1 + 5 + nonceBytes + 2
const keyBytes = 32
const sealBytes = 16

/** A checkout's nonce follows from its id, so that its offer can be shown again. */
async function nonceOf({ secrets, addresses }: OfferParts, isCustodial: boolean, checkoutId: string | undefined) {
  if (checkoutId === undefined) return isCustodial ? addresses.newOfferNonce() : randomNonce()
  const mac = createHmac('sha256', secrets.key('checkout-quote')).update(checkoutId).digest()
  return mac.toString('hex', 0, nonceBytes)
}

// An author's address is parsed once, not for each offer.
const recipientKeys = new LRUCache<string, Uint8Array>({ max: 1_000 })

function keyOf(address: string): Uint8Array {
  const known = recipientKeys.get(address)
  if (known !== undefined) return known
  const key = parseNanoAddress(address)!
  recipientKeys.set(address, key)
  return key
}

/** Exported for its test. */
export function writeToken(secrets: Secrets, terms: ShownTerms, hidden: HiddenTerms) {
  const nonce = Buffer.from(hidden.nonce, 'hex')
  const head = Buffer.alloc(headBytes)
  head.writeUInt8(version)
  // Up to the next second, so that an offer lasts no shorter than it says.
  head.writeUIntBE(Math.ceil(hidden.issuedAt.getTime() / 1000), 1, 5)
  nonce.copy(head, 6)
  head.writeUInt16BE(hidden.commissionBps, 6 + nonceBytes)
  const content = hidden.recipient ? Buffer.concat([head, keyOf(hidden.recipient)]) : head
  const token = Buffer.concat([content, sealOf(secrets, terms, content)]).toString('base64url')
  return { token, nonce: hidden.nonce }
}

/** Exported for its test. Returns undefined if it is not our token, or was issued for other terms. */
export function readToken(secrets: Secrets, terms: ShownTerms, token: string): HiddenTerms | undefined {
  const bytes = Buffer.from(token, 'base64url')
  if (bytes.toString('base64url') !== token) return undefined
  const recipientBytes = bytes.length - headBytes - sealBytes
  if ((recipientBytes !== 0 && recipientBytes !== keyBytes) || bytes.readUInt8() !== version) return undefined
  const content = bytes.subarray(0, headBytes + recipientBytes)
  const seal = bytes.subarray(content.length)
  if (!generationsOf(secrets).some((each) => timingSafeEqual(seal, sealOf(each, terms, content)))) return undefined
  return {
    issuedAt: new Date(content.readUIntBE(1, 5) * 1000),
    nonce: content.toString('hex', 6, 6 + nonceBytes),
    commissionBps: content.readUInt16BE(6 + nonceBytes),
    recipient: recipientBytes === 0 ? undefined : nanoAddress(content.subarray(headBytes)),
  }
}

function sealOf(secrets: Secrets, terms: ShownTerms, content: Buffer): Buffer {
  const { purpose, postId, commentId, checkoutId, network, asset, amount, payTo } = terms
  const shown = [purpose, postId, checkoutId ?? null, network, asset, amount, payTo ?? null]
  return createHmac('sha256', secrets.key('x402-quote'))
    .update(JSON.stringify(commentId === undefined ? shown : [...shown, commentId]))
    .update(content)
    .digest()
    .subarray(0, sealBytes)
}

/** The `payment-identifier` extension of x402. */
const Identified = z.looseObject({
  info: z.looseObject({
    id: z
      .string()
      .regex(/^[A-Za-z0-9_-]{16,128}$/)
      .optional(),
  }),
})

// What a client sends is read strictly if we use it. `resource` is ignored: it is not signed.
const Envelope = z.object({
  x402Version: z.literal(2),
  accepted: z.looseObject({}),
  payload: z.looseObject({}),
  extensions: z.looseObject({ 'payment-identifier': Identified.optional() }).optional(),
})

/** A requirement as we write it. Anything else was never ours. */
const Accepted = PaymentRequirements.extend({ amount: AtomicAmount, maxTimeoutSeconds: z.literal(300) })

/** A payment as a request's header presents it. */
export interface PaymentSignature {
  /** Undefined if it is nothing that we could have asked for. */
  readonly accepted: PaymentRequirements | undefined
  readonly payload: Readonly<Record<string, unknown>>
  /** The client's name for this payment. */
  readonly identifier: string | undefined
}

/** Reads `PAYMENT-SIGNATURE`. Returns undefined if the request presents no payment. */
export function readPaymentSignature(header: string | undefined): PaymentSignature | undefined {
  if (header === undefined) return undefined
  const envelope = Envelope.safeParse(jsonIn(header))
  if (!envelope.success) return refuse(paymentMalformed)
  const { accepted, payload, extensions } = envelope.data
  const identifier = extensions?.['payment-identifier']?.info.id
  return { accepted: Accepted.safeParse(accepted).data, payload, identifier }
}

function jsonIn(base64: string): unknown {
  try {
    return JSON.parse(Buffer.from(base64, 'base64').toString())
  } catch {
    return undefined
  }
}
