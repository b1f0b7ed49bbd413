import { z } from 'zod'
import { assetNotFound, attachmentSafetyUnavailable, downloadHeaders, zipFile } from './attachments.ts'
import { raw } from './body.ts'
import { publicPostNotFound } from './discovery.ts'
import { endpoint } from './endpoint.ts'
import { checkOfferFilter, offerFilter } from './offer-filter.ts'
import { Attachment } from './posts.ts'
import { refusal } from './refusal.ts'
import { DateTime, Uuid } from './schemas.ts'
import { signInMalformed } from './siwx-logins.ts'
import {
  PaymentRequired,
  paymentHeaders,
  paymentIdentifierConflict,
  paymentMalformed,
  paymentProofs,
  paymentReplyHeaders,
} from './x402.ts'

/** What the caller can read of a post, and why. The paid fields are null for a free post. */
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
    extensions: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: 'With `siwx=read`, if a wallet might read more: the challenge for it to sign.' }),
  })
  .meta({ id: 'PostAccess' })
export type PostAccess = z.infer<typeof PostAccess>

export const postPaymentUnsettled = refusal(
  'post-payment-unsettled',
  403,
  'ZIP files need a settled payment. Pay at the access URL of the post first.',
)

/** The same for a post that does not exist: only a wallet that bought the post learns that it exists. */
export const walletProofRequired = refusal(
  'wallet-proof-required',
  401,
  'Only a wallet that bought this can read it. Sign the challenge, then send the same request again.',
  { extensions: z.record(z.string(), z.unknown()) },
)

const query = z
  .object({
    gift: z.string().max(200).optional().meta({ description: 'The token of a gift link.' }),
    siwx: z.literal('read').optional().meta({
      description:
        'Read with the purchases of a wallet. Without `SIGN-IN-WITH-X` the reply holds the challenge to sign. A signature counts on this exact URL only, without other parameters.',
    }),
    ...offerFilter,
  })
  .superRefine(checkOfferFilter)
const reading = { method: 'GET', credential: ['owner-session', 'none'], errors: 'problem', cache: 'private' } as const

export const getAccess = endpoint({
  ...reading,
  path: '/api/posts/{postId}/access',
  tag: 'Access',
  summary: 'Read a post, or get its price',
  paidWith: { protocol: 'x402', minUsd: '0.10' },
  description:
    'The author, buyers and holders of a gift link get the full post. Others get a 402 with an offer for each way to pay, or with the one that `asset` or `network` names. To pay, repeat the request with `PAYMENT-SIGNATURE`. An offer is valid for 300 seconds.',
  request: { params: z.object({ postId: Uuid }), query, headers: paymentHeaders },
  replies: { 200: PostAccess, 402: PaymentRequired },
  replyHeaders: paymentReplyHeaders,
  refusals: [publicPostNotFound, walletProofRequired, paymentMalformed, paymentIdentifierConflict, signInMalformed],
  handlerLimits: [paymentProofs],
})

export const getAsset = endpoint({
  ...reading,
  path: '/api/assets/{assetId}',
  tag: 'ZIP attachments',
  summary: 'Download a ZIP file of a post you can read',
  description: 'ZIP files are bought together with their post: the 402 names the URL of the post, where to pay.',
  request: { params: z.object({ assetId: Uuid }), query, headers: paymentHeaders },
  replies: { 200: zipFile, 402: PaymentRequired },
  replyHeaders: { ...downloadHeaders, ...paymentReplyHeaders },
  refusals: [
    assetNotFound,
    walletProofRequired,
    postPaymentUnsettled,
    attachmentSafetyUnavailable,
    paymentMalformed,
    paymentIdentifierConflict,
    signInMalformed,
  ],
  handlerLimits: [paymentProofs],
})

export const getDidDocument = endpoint({
  method: 'GET',
  path: '/.well-known/did.json',
  tag: 'Access',
  summary: 'Get the public key that verifies receipts',
  description:
    'The `did:web` document of this service. Every settled payment returns a receipt in `PAYMENT-RESPONSE` (x402 `offer-receipt`), a JWS that names this key.',
  credential: 'none',
  replies: { 200: raw('application/json; charset=utf-8', 'A DID document.') },
  errors: 'problem',
  cache: { seconds: 3600 },
})
