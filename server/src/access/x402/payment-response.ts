import type { PaymentRow } from './payment-store.ts'

const retryAfterSeconds = 2

/** `PAYMENT-RESPONSE`: what became of a payment, in the words of x402. */
export function paymentResponse(payment: PaymentRow): Record<string, string> {
  const { state, network, payer, failure } = payment
  // A block is known by its name before it is anywhere; what moves USDC is known once it is signed.
  const transaction = payment.transaction ?? (network === 'nano:mainnet' ? payment.nonce : '')
  const shared = { transaction, network, payer }
  if (state === 'settled') return header({ success: true, ...shared })
  if (state === 'failed') return header({ success: false, errorReason: failure, ...shared })
  const pending = { success: false, errorReason: 'settlement_pending', ...shared }
  return { ...header(pending), 'retry-after': String(retryAfterSeconds) }
}

export const base64Json = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64')

const header = (response: object) => ({ 'payment-response': base64Json(response) })
