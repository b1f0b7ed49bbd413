import { z } from 'zod'
import { Offer } from './posts.ts'
import { refusal } from './refusal.ts'

// x402, version 2: what a payment asks for and how it is answered.

/** One way to pay. Clients echo the one they chose, as it is. */
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
      quote: z.string().meta({ description: 'Names this one quote. Whoever settled under it reads again with it.' }),
    }),
  })
  .meta({ id: 'PaymentRequirements' })
export type PaymentRequirements = z.infer<typeof PaymentRequirements>

/** The 402 of something that is sold: the object of the `PAYMENT-REQUIRED` header, and the offers it was made from. */
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

/** What a buyer sends, each a header with base64 of JSON. */
export const paymentHeaders = z.object({
  'payment-signature': z.string().max(16_384).optional().meta({ description: 'An x402 v2 payment: base64 of JSON.' }),
  'sign-in-with-x': z
    .string()
    .max(16_384)
    .optional()
    .meta({ description: 'A signed challenge of a 402: base64 of JSON.' }),
})

export const paymentReplyHeaders = {
  'PAYMENT-REQUIRED': 'With 402: base64 of the x402 v2 object in the body, without `offers`.',
  'PAYMENT-RESPONSE':
    'What became of a payment: base64 of `{success, transaction, network, payer, errorReason}`. With success also `extensions["offer-receipt"]`, a receipt that this site signed.',
  'Retry-After': 'With `settlement_pending`: send the same request again after so many seconds, and sign nothing anew.',
}

export const paymentMalformed = refusal(
  'payment-malformed',
  400,
  'PAYMENT-SIGNATURE is not base64 of an x402 v2 payment.',
)
export const paymentIdentifierConflict = refusal(
  'payment-identifier-conflict',
  409,
  'This payment identifier was used with another payment.',
)
