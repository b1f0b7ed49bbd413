import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { nanoAddress, parseNanoAddress } from '@pennypost/nano/address'
import type { Secrets } from '../../platform/secrets.ts'

// A quote is written nowhere: its token says when it was made and what the requirement does not show, under a seal over
// all of it. What a client echoes is our own quote, or it is nothing.

/** What is quoted: a Post, a tip to one, or a Post within a checkout. */
export type Purpose = 'access' | 'tip' | 'checkout'

/** What the requirement itself shows. */
export interface QuotedTerms {
  readonly purpose: Purpose
  readonly postId: string
  readonly checkoutId: string | undefined
  readonly network: string
  readonly asset: string
  readonly amount: string
  /** For USDC the creator's own address; for Nano ours, which follows from the token. */
  readonly payTo: string | undefined
}

/** What it does not show. */
export interface QuoteSecret {
  readonly issuedAt: Date
  /** Random, so that no two quotes are one: whoever is shown the same price is shown another token. */
  readonly nonce: string
  readonly commissionBps: number
  /** Where the creator's Nano goes: an address saved later changes nothing about this sale. */
  readonly recipient: string | undefined
}

const version = 1
const nonceBytes = 16
const headBytes = 1 + 5 + nonceBytes + 2
const keyBytes = 32
const sealBytes = 16

/** A checkout's nonce follows from its id, so that its quote can be told again. */
export function writeQuoteToken(secrets: Secrets, terms: QuotedTerms, secret: Omit<QuoteSecret, 'nonce'>) {
  const { checkoutId } = terms
  const nonce =
    checkoutId === undefined
      ? randomBytes(nonceBytes)
      : createHmac('sha256', secrets.key('checkout-quote')).update(checkoutId).digest().subarray(0, nonceBytes)
  const head = Buffer.alloc(headBytes)
  head.writeUInt8(version)
  // Up to the next second: a quote lasts no shorter than was said.
  head.writeUIntBE(Math.ceil(secret.issuedAt.getTime() / 1000), 1, 5)
  nonce.copy(head, 6)
  head.writeUInt16BE(secret.commissionBps, 6 + nonceBytes)
  const content = Buffer.concat([head, secret.recipient ? parseNanoAddress(secret.recipient)! : Buffer.alloc(0)])
  const token = Buffer.concat([content, sealOf(secrets, terms, content)]).toString('base64url')
  return { token, nonce: nonce.toString('hex') }
}

/** Undefined: not a token of ours, or of other terms. */
export function readQuoteToken(secrets: Secrets, terms: QuotedTerms, token: string): QuoteSecret | undefined {
  const bytes = Buffer.from(token, 'base64url')
  if (bytes.toString('base64url') !== token) return undefined
  const recipientBytes = bytes.length - headBytes - sealBytes
  if ((recipientBytes !== 0 && recipientBytes !== keyBytes) || bytes.readUInt8() !== version) return undefined
  const content = bytes.subarray(0, headBytes + recipientBytes)
  if (!timingSafeEqual(bytes.subarray(content.length), sealOf(secrets, terms, content))) return undefined
  return {
    issuedAt: new Date(content.readUIntBE(1, 5) * 1000),
    nonce: content.toString('hex', 6, 6 + nonceBytes),
    commissionBps: content.readUInt16BE(6 + nonceBytes),
    recipient: recipientBytes === 0 ? undefined : nanoAddress(content.subarray(headBytes)),
  }
}

function sealOf(secrets: Secrets, terms: QuotedTerms, content: Buffer): Buffer {
  const { purpose, postId, checkoutId, network, asset, amount, payTo } = terms
  return createHmac('sha256', secrets.key('x402-quote'))
    .update(JSON.stringify([purpose, postId, checkoutId ?? null, network, asset, amount, payTo ?? null]))
    .update(content)
    .digest()
    .subarray(0, sealBytes)
}
