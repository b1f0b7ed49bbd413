import type { Amount } from '@pennypost/contract/money'
import type { Tx } from '../../../platform/database/database.ts'
import { enqueue } from '../../../platform/jobs/job.ts'
import type { RailServices } from '../../services.ts'
import { addSend, countReturns, findAddressByText, redirectSend } from './custody-store.ts'
import { moveAddress, moveKey } from './move-address.job.ts'

export interface SendOrder {
  /** Of the caller's choosing: the same id is never sent twice. */
  readonly id: string
  readonly addressId: string
  readonly destination: string
  readonly amount: Amount<'XNO'>
}

type Parts = Pick<RailServices, 'clock'>

/** Promises a send from an address of ours, kept exactly once after the commit. Those of one address go in order. */
export async function sendOnce(parts: Parts, tx: Tx, { id, addressId, destination, amount }: SendOrder): Promise<void> {
  const created_at = parts.clock.now()
  await addSend(tx, { id, address_id: addressId, destination, amount: String(amount), created_at })
  await enqueue(tx, parts.clock, moveAddress, { addressId }, { key: moveKey(addressId) })
}

/**
 * The same for one that may have been promised before, and was refused: then it gets another destination. Its new block
 * takes the place of the old one, so that the network confirms one of them at most.
 */
export async function resend(parts: Parts, tx: Tx, order: SendOrder): Promise<void> {
  if (!(await redirectSend(tx, order.id, order.destination))) return sendOnce(parts, tx, order)
  await enqueue(tx, parts.clock, moveAddress, { addressId: order.addressId }, { key: moveKey(order.addressId) })
}

/** Money sent there would come back to us, and be sent back, for ever. */
export const isOurs = async (tx: Tx, address: string): Promise<boolean> =>
  (await findAddressByText(tx, address)) !== undefined

const mostReturns = 3

/**
 * Whether this arrival, sent back, would go in circles: so often the same amount was sent there already before it came
 * from there. Whoever is there sends back what they are sent, as we do.
 */
export const goesInCircles = async (tx: Tx, arrivalHash: string, amount: Amount<'XNO'>): Promise<boolean> =>
  (await countReturns(tx, arrivalHash, amount)) >= mostReturns
