import { randomUUID } from 'node:crypto'
import type { Tx } from '../../platform/database/database.ts'
import { goesInCircles, isOurs, sendOnce } from '../../rails/nano/custody/send-once.ts'
import { onMoney } from '../events.ts'
import type { PaymentServices } from '../services.ts'
import { addPayout, findNanoAddress, type PayoutRole, type PayoutRow } from './payout-store.ts'

export interface Debt {
  readonly role: PayoutRole
  readonly orderId: string | null
  readonly arrivalHash: string | null
  readonly payeeId: string | null
  readonly addressId: string
  readonly destination: string
  readonly amount: bigint
}

/** Writes down what is owed and has it sent, unless nobody knows where to: then it stays an obligation. */
export async function owe(services: PaymentServices, tx: Tx, debt: Debt): Promise<PayoutRow> {
  const { role, orderId, arrivalHash, payeeId, addressId, destination, amount } = debt
  const payout = await addPayout(tx, {
    id: randomUUID(),
    role,
    order_id: orderId,
    arrival_hash: arrivalHash,
    payee_id: payeeId,
    address_id: addressId,
    destination,
    amount: String(amount),
    created_at: services.clock.now(),
    blocked_reason: await whyBlocked(tx, debt),
  })
  if (payout.state === 'blocked') await onMoney(services, tx, { kind: 'payout-blocked', payout })
  else await sendOnce(services, tx, { id: payout.id, addressId, destination, amount })
  return payout
}

async function whyBlocked(tx: Tx, { role, payeeId, arrivalHash, destination, amount }: Debt): Promise<string | null> {
  if (role === 'creator' && !(await findNanoAddress(tx, payeeId!))) return 'no address is saved'
  // What we send to ourselves we would send back to ourselves.
  if (await isOurs(tx, destination)) return 'the address is one of this service'
  if (arrivalHash !== null && (await goesInCircles(tx, arrivalHash, amount))) return 'it was sent back, and came again'
  return null
}
