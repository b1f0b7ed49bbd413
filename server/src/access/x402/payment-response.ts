import type { PaymentRow } from './payment-store.ts'

const retryAfterSeconds = 2

/** `PAYMENT-RESPONSE`: what became of a payment, in the words of x402. */
export function paymentResponse(payment: PaymentRow): Record<string, string> {
  const { state, nonce, network, payer, failure } = payment
  const shared = { transaction: nonce, network, payer }
  if (state === 'settled') return header({ success: true, ...shared })
  if (state === 'failed') return header({ success: false, errorReason: failure, ...shared })
  const pending = { success: false, errorReason: 'settlement_pending', ...shared }
  return { ...header(pending), 'retry-after': String(retryAfterSeconds) }
}

export const base64Json = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64')

const header = (response: object) => ({ 'payment-response': base64Json(response) })
