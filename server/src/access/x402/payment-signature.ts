import { AtomicAmount } from '@pennypost/contract/money'
import { PaymentRequirements, paymentMalformed } from '@pennypost/contract/x402'
import { z } from 'zod'
import { refuse } from '../../platform/http/refuse.ts'

// What a client sends is read strictly where we use it. `resource` is not: nobody signed it, and it means nothing.

const Text = z.string().max(200)

export const NanoPayload = z.union([
  z.object({
    block: z.object({
      type: z.literal('state').default('state'),
      account: Text,
      previous: Text,
      representative: Text,
      balance: Text,
      link: Text,
      signature: Text,
      // Left out or empty: we supply it.
      work: Text.nullish(),
    }),
  }),
  z.object({
    blockHash: z
      .string()
      .regex(/^[0-9a-fA-F]{64}$/)
      .toUpperCase(),
  }),
])
export type NanoPayload = z.output<typeof NanoPayload>

/** Of x402's `payment-identifier`. */
const Identified = z.looseObject({
  info: z.looseObject({
    id: z
      .string()
      .regex(/^[A-Za-z0-9_-]{16,128}$/)
      .optional(),
  }),
})

const Envelope = z.object({
  x402Version: z.literal(2),
  accepted: z.looseObject({}),
  payload: z.looseObject({}),
  extensions: z.looseObject({ 'payment-identifier': Identified.optional() }).optional(),
})

/** A requirement as we write them; anything else was never ours. */
const Accepted = PaymentRequirements.extend({ amount: AtomicAmount, maxTimeoutSeconds: z.literal(300) })

/** A payment that somebody presents. */
export interface PresentedPayment {
  /** Undefined: it names nothing that we could have asked for. */
  readonly accepted: PaymentRequirements | undefined
  readonly payload: Readonly<Record<string, unknown>>
  readonly identifier: string | undefined
}

export function readPaymentSignature(header: string | undefined): PresentedPayment | undefined {
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
