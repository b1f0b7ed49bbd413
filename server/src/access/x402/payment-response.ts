import type { PaymentRow } from '../../payments/x402/payment-store.ts'
import { railOf } from '../../rails/rails.ts'
import type { AccessServices } from '../services.ts'
import { receiptExtension } from './signed-receipt.ts'

export const retryAfterSeconds = 2

/** `PAYMENT-RESPONSE` of a payment that is not settled, in x402's words. */
export function paymentResponse(payment: PaymentRow): Record<string, string> {
  const { state, failure } = payment
  const shared = moved(payment)
  if (state === 'failed') return header({ success: false, errorReason: failure, ...shared })
  const pending = { success: false, errorReason: 'settlement_pending', ...shared }
  return { ...header(pending), 'retry-after': String(retryAfterSeconds) }
}

/** `PAYMENT-RESPONSE` of a settled payment: its receipt. */
export const settledResponse = (...of: Parameters<typeof receiptOf>) => header(receiptOf(...of))

/** What a buyer keeps of a settled payment. */
export const receiptOf = ({ secrets }: Pick<AccessServices, 'secrets'>, payment: PaymentRow, resourceUrl: string) => ({
  success: true as const,
  ...moved(payment),
  extensions: receiptExtension(secrets, payment, resourceUrl),
})

// A block's hash is known before it is published; a transaction that moves USDC is known once it is signed.
const moved = ({ network, payer, nonce, transaction }: PaymentRow) => ({
  transaction: transaction ?? (railOf(network).isNamedByNonce ? nonce : ''),
  network,
  payer,
})

export const base64Json = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64')

const header = (response: object) => ({ 'payment-response': base64Json(response) })
