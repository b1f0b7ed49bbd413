import { type Asset, PennypostError, type Reply } from '@pennypost/sdk'
import { PaymentNeeded, type ToolCall, ToolError } from './tool.ts'

// x402's transport for MCP: a payment comes in `_meta["x402/payment"]`, and what became of it leaves in
// `_meta["x402/payment-response"]`. Behind it are the same routes, quotes and receipts as over HTTP.

export const paymentKey = 'x402/payment'
export const paymentResponseKey = 'x402/payment-response'

// What fits into a header of a request. A payment with every extension has 5 KB.
const maxPaymentCharacters = 12_000

/** The value of `PAYMENT-SIGNATURE` for the payment of a call, or undefined if it has none. */
export function paymentHeaderOf({ payment }: ToolCall): string | undefined {
  if (payment === undefined) return undefined
  if (typeof payment !== 'object' || payment === null || Array.isArray(payment))
    throw new ToolError(`_meta["${paymentKey}"] must be the PaymentPayload object of x402, version 2.`)
  const text = Buffer.from(JSON.stringify(payment)).toString('base64')
  if (text.length > maxPaymentCharacters) throw new ToolError(`_meta["${paymentKey}"] is too long.`)
  return text
}

export interface Paid<Body> {
  readonly body: Body
  readonly paymentResponse: unknown
}

/** Turns the reply of a route that can be paid into its body, or into the request for payment. */
export function paidReply<Body>(reply: Reply<200, Body> | Reply<402, object>): Paid<Body> {
  const paymentResponse = readHeader(reply.headers.get('payment-response'))
  if (reply.status === 402) throw new PaymentNeeded(withoutWords(reply.body), paymentResponse)
  return { body: reply.body, paymentResponse }
}

/**
 * A request for payment without the words of the author. Over HTTP it describes the post with its title, but here an agent
 * reads it when it decides about money. Nothing signs it, and what a client echoes of it is ignored.
 */
function withoutWords(required: object): object {
  const { resource } = required as { resource?: object }
  return resource === undefined ? required : { ...required, resource: { ...resource, description: 'A post' } }
}

function readHeader(text: string | null): unknown {
  if (text === null) return undefined
  try {
    return JSON.parse(Buffer.from(text, 'base64').toString('utf8'))
  } catch {
    return undefined
  }
}

/** The text that the agent gets with a request for payment. */
export function paymentAdvice({ required, response }: PaymentNeeded): string {
  const reason = (response as { errorReason?: unknown } | undefined)?.errorReason ?? required.error
  if (reason === 'settlement_pending')
    return 'The outcome of this payment is not known yet. Do not pay in another way: call the tool again, with the same payment in _meta.'
  return [
    'Payment required (x402). Nothing was bought and nothing was charged.',
    `Sign one of "accepts" with your own wallet and call the tool again with the same arguments and the payment in _meta["${paymentKey}"].`,
    'Never send a private key or seed.',
  ].join(' ')
}

/** The most that may be paid, for the client that signs. */
export const maxPriceOf = (most: { amount: string; asset: Asset } | undefined) => most && { [most.asset]: most.amount }

export const isPaymentRequired = (error: unknown): boolean =>
  error instanceof PennypostError && error.code === 'payment-required'
