import { z } from 'zod'
import { assetNotFound, attachmentSafetyUnavailable, downloadHeaders, zipFile } from './attachments.ts'
import { raw } from './body.ts'
import { publicPostNotFound } from './discovery.ts'
import { endpoint } from './endpoint.ts'
import { rateLimited } from './errors.ts'
import { Attachment } from './posts.ts'
import { refusal } from './refusal.ts'
import { DateTime, Uuid } from './schemas.ts'
import { signInMalformed } from './siwx-logins.ts'
import {
  PaymentRequired,
  paymentHeaders,
  paymentIdentifierConflict,
  paymentMalformed,
  paymentReplyHeaders,
} from './x402.ts'

/** Decisions §5: what somebody may read of a Post, and why. The paid part is null where only the free one is meant. */
export const PostAccess = z
  .object({
    access: z.enum(['free', 'owner', 'purchased', 'gift', 'wallet']),
    postId: Uuid,
    contentMarkdown: z.string(),
    contentHtml: z.string(),
    paidContentMarkdown: z.string().nullable(),
    paidContentHtml: z.string().nullable(),
    attachments: z.array(Attachment),
    entitlement: z.object({ source: z.enum(['purchase', 'x402', 'checkout']), grantedAt: DateTime }).nullable(),
  })
  .meta({ id: 'PostAccess' })
export type PostAccess = z.infer<typeof PostAccess>

export const postPaymentUnsettled = refusal(
  'post-payment-unsettled',
  403,
  'ZIPs are for payments that are settled: pay at the access address of the Post first.',
)

const query = z.object({
  gift: z.string().max(200).optional().meta({ description: 'The token of a gift link.' }),
  siwx: z.literal('read').optional().meta({ description: 'Read as the wallet that signs in with `SIGN-IN-WITH-X`.' }),
})
const reading = { method: 'GET', credential: ['owner-session', 'none'], errors: 'problem', cache: 'private' } as const

export const getAccess = endpoint({
  ...reading,
  path: '/api/posts/{postId}/access',
  tag: 'Access',
  summary: 'Read a Post, or learn what it costs',
  paidWith: { protocol: 'x402', leastUsd: '0.10' },
  description:
    'Whole for those who may read it: the author, buyers, whoever holds a gift link. For others a 402 with a quote, which is paid by sending the same request with `PAYMENT-SIGNATURE`. A quote is good for 300 seconds.',
  request: { params: z.object({ postId: Uuid }), query, headers: paymentHeaders },
  replies: { 200: PostAccess, 402: PaymentRequired },
  replyHeaders: paymentReplyHeaders,
  refusals: [publicPostNotFound, paymentMalformed, paymentIdentifierConflict, signInMalformed, rateLimited],
})

export const getAsset = endpoint({
  ...reading,
  path: '/api/assets/{assetId}',
  tag: 'ZIP attachments',
  summary: 'The bytes of a ZIP, for those who may read its Post',
  description: 'A ZIP is bought with its Post: the 402 names the address of the Post, where it is paid.',
  request: { params: z.object({ assetId: Uuid }), query, headers: paymentHeaders },
  replies: { 200: zipFile, 402: PaymentRequired },
  replyHeaders: { ...downloadHeaders, ...paymentReplyHeaders },
  refusals: [
    assetNotFound,
    postPaymentUnsettled,
    attachmentSafetyUnavailable,
    paymentMalformed,
    paymentIdentifierConflict,
    signInMalformed,
    rateLimited,
  ],
})

export const getDidDocument = endpoint({
  method: 'GET',
  path: '/.well-known/did.json',
  tag: 'Access',
  summary: 'The public key of signed receipts',
  description:
    'The `did:web` document of this address. Every settled payment is answered with a receipt in `PAYMENT-RESPONSE` (x402 `offer-receipt`), a JWS that names this key.',
  credential: 'none',
  replies: { 200: raw('application/json; charset=utf-8', 'A DID document.') },
  errors: 'problem',
  cache: { seconds: 3600 },
})
