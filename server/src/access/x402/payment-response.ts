import type { PaymentRow } from './payment-store.ts'

export const retryAfterSeconds = 2

/** `PAYMENT-RESPONSE`: what became of a payment, in the words of x402. */
export function paymentResponse(payment: PaymentRow): Record<string, string> {
  const { state, failure } = payment
  if (state === 'settled') return header(receiptOf(payment))
  const shared = moved(payment)
  if (state === 'failed') return header({ success: false, errorReason: failure, ...shared })
  const pending = { success: false, errorReason: 'settlement_pending', ...shared }
  return { ...header(pending), 'retry-after': String(retryAfterSeconds) }
}

/** What a buyer keeps of a payment that is settled. */
export const receiptOf = (payment: PaymentRow) => ({ success: true as const, ...moved(payment) })

// A block is known by its name before it is anywhere; what moves USDC is known once it is signed.
const moved = ({ network, payer, nonce, transaction }: PaymentRow) => ({
  transaction: transaction ?? (network === 'nano:mainnet' ? nonce : ''),
  network,
  payer,
})

export const base64Json = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64')

const header = (response: object) => ({ 'payment-response': base64Json(response) })
