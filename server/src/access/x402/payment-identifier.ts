import { paymentIdentifierConflict } from '@pennypost/contract/x402'
import type { Db } from '../../platform/database/database.ts'
import { refuse } from '../../platform/http/refuse.ts'
import { findIdentifiedPayment, type PaymentRow } from './payment-store.ts'

/** What a 402 says about it: a client may name its payment, and need not. */
export const identifierExtension = {
  'payment-identifier': {
    info: { required: false },
    schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        required: { type: 'boolean' },
        id: { type: 'string', minLength: 16, maxLength: 128, pattern: '^[a-zA-Z0-9_-]+$' },
      },
      required: ['required'],
    },
  },
}

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
