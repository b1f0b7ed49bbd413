import { receiverOf } from '@pennypost/nano/block'
import { faultPoint } from '../../../platform/fault-point.ts'
import type { RailServices } from '../../services.ts'
import type { Receivable } from '../node/node-answers.ts'
import { type AddressRow, addArrival, findAddressByText, listKnownArrivals } from './custody-store.ts'

/**
 * Writes down what came to an address, once each, together with all that follows from it. Harmless to hear twice.
 * Without `found` the node is asked: an event of the websocket says only that a look is worth it. Returns whether the
 * node shows any payment there.
 */
export async function noteArrivals(
  services: RailServices,
  address: string,
  found: readonly Receivable[] | undefined,
): Promise<boolean> {
  const { db, nano } = services
  const row = await findAddressByText(db, address)
  if (!row) return false
  const receivables = found ?? (await nano.client.receivable(address, BigInt(row.least_raw)))
  if (receivables.length === 0) return false
  const known = await listKnownArrivals(
    db,
    receivables.map(({ hash }) => hash),
  )
  for (const receivable of receivables) {
    if (!known.has(receivable.hash)) await noteArrival(services, row, receivable)
  }
  return true
}

async function noteArrival(services: RailServices, row: AddressRow, receivable: Receivable): Promise<void> {
  const { db, clock, log, custodyEvents } = services
  if (!(await isConfirmedSend(services, row, receivable))) {
    log.warn({ block: receivable.hash }, 'a node told of money that it does not confirm; looking again later')
    return
  }
  faultPoint('arrival-seen')
  const { hash, amount, source } = receivable
  await db.transaction().execute(async (tx) => {
    const seen = { hash, address_id: row.id, amount: String(amount), source, seen_at: clock.now() }
    if (!(await addArrival(tx, seen))) return
    await custodyEvents.onArrival(tx, {
      hash,
      amount,
      source,
      addressId: row.id,
      address: row.address,
    })
    faultPoint('arrival-noted')
  })
  faultPoint('arrival-committed')
}

/** The block itself is asked for: a list of what waits may be stale, or of a node that lists what is not confirmed. */
async function isConfirmedSend({ nano }: RailServices, row: AddressRow, { hash, amount, source }: Receivable) {
  const info = await nano.client.blockInfo(hash)
  if (!info?.isConfirmed || info.amount !== amount || info.account !== source) return false
  return info.contents === undefined || receiverOf(info.contents) === row.address
}
