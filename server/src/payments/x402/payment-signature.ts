import { AtomicAmount } from '@pennypost/contract/schemas'
import { PaymentRequirements, paymentMalformed } from '@pennypost/contract/x402'
import { z } from 'zod'
import { refuse } from '../../platform/http/refuse.ts'

/** The `payment-identifier` extension of x402. */
const Identified = z.looseObject({
  info: z.looseObject({
    id: z
      .string()
      .regex(/^[A-Za-z0-9_-]{16,128}$/)
      .optional(),
  }),
})

// What a client sends is read strictly where we use it. `resource` is not: nobody signed it, and it means nothing.
const Envelope = z.object({
  x402Version: z.literal(2),
  accepted: z.looseObject({}),
  payload: z.looseObject({}),
  extensions: z.looseObject({ 'payment-identifier': Identified.optional() }).optional(),
})

/** A requirement as we write them; anything else was never ours. */
const Accepted = PaymentRequirements.extend({ amount: AtomicAmount, maxTimeoutSeconds: z.literal(300) })

/** A payment as a request's header presents it. */
export interface PaymentSignature {
  /** Undefined: it names nothing that we could have asked for. */
  readonly accepted: PaymentRequirements | undefined
  readonly payload: Readonly<Record<string, unknown>>
  /** What the client calls this payment. */
  readonly identifier: string | undefined
}

/** Reads `PAYMENT-SIGNATURE`. Undefined: the request presents no payment. */
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
