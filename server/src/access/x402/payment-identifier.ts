import { paymentIdentifierConflict } from '@pennypost/contract/x402'
import type { Db } from '../../platform/database/database.ts'
import { refuse } from '../../platform/http/refuse.ts'
import { findIdentifiedPayment, type PaymentRow } from './payment-store.ts'

/** x402's `payment-identifier`: a name that a client gives a payment is good for that payment only. */
export async function checkIdentifier(
  db: Db,
  { network, payer, nonce }: Pick<PaymentRow, 'network' | 'payer' | 'nonce'>,
  identifier: string | undefined,
): Promise<void> {
  if (identifier === undefined) return
  const named = await findIdentifiedPayment(db, { network, payer, identifier })
  if (named && named.nonce !== nonce) refuse(paymentIdentifierConflict)
}
