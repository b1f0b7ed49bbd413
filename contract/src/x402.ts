import { z } from 'zod'
import { limit } from './limit.ts'
import { Offer } from './posts.ts'
import { refusal } from './refusal.ts'

// x402 version 2: payment requirements, and the headers of payments and receipts.

/** One way to pay. A client returns the one it chose, unchanged. */
export const PaymentRequirements = z
  .object({
    scheme: z.literal('exact'),
    network: z.enum(['eip155:8453', 'nano:mainnet']),
    asset: z.string(),
    amount: z.string(),
    payTo: z.string(),
    maxTimeoutSeconds: z.number().int(),
    extra: z.object({
      name: z.string().optional(),
      version: z.string().optional(),
      quote: z
        .string()
        .meta({ description: 'Identifies this offer. A payment settled under it can be read again with it.' }),
    }),
  })
  .meta({ id: 'PaymentRequirements' })
export type PaymentRequirements = z.infer<typeof PaymentRequirements>

/** The body of a 402: the object in the `PAYMENT-REQUIRED` header, and the offers it was made from. */
export const PaymentRequired = z
  .object({
    x402Version: z.literal(2),
    error: z.string(),
    resource: z.object({
      url: z.string(),
      description: z.string(),
      mimeType: z.string(),
      serviceName: z.string().optional(),
    }),
    accepts: z.array(PaymentRequirements),
    extensions: z.record(z.string(), z.unknown()).optional(),
    offers: z.array(Offer),
  })
  .meta({ id: 'PaymentRequired' })
export type PaymentRequired = z.infer<typeof PaymentRequired>

/** Headers that a buyer sends, each base64-encoded JSON. */
export const paymentHeaders = z.object({
  'payment-signature': z
    .string()
    .max(16_384)
    .optional()
    .meta({ description: 'An x402 v2 payment: base64-encoded JSON.' }),
  'sign-in-with-x': z
    .string()
    .max(16_384)
    .optional()
    .meta({ description: 'The signed challenge of a 402: base64-encoded JSON.' }),
})

export const paymentReplyHeaders = {
  'PAYMENT-REQUIRED':
    'With 402: the x402 v2 object of the body without `offers`, base64-encoded. Schemas and signatures of extensions that make it longer than 3,500 characters are in the body only. With 401: the same, with a challenge to sign and nothing to pay.',
  'PAYMENT-RESPONSE':
    'The outcome of a payment: `{success, transaction, network, payer, errorReason}`, base64-encoded. On success also `extensions["offer-receipt"]`, a receipt signed by this service.',
  'Retry-After':
    'With `settlement_pending`: the seconds to wait before sending the same request again. Do not sign a new payment.',
}

export const paymentMalformed = refusal(
  'payment-malformed',
  400,
  'PAYMENT-SIGNATURE is not a base64-encoded x402 v2 payment.',
)
export const paymentIdentifierConflict = refusal(
  'payment-identifier-conflict',
  409,
  'This payment identifier was already used for a different payment.',
)

/** Each presented payment and each signed challenge costs calls to a node and the check of a signature. */
export const paymentProofs = limit('x402-proofs', { per: 'ip', max: 120, seconds: 60 })
