import { receiverOf } from '@pennypost/nano/block'
import { faultPoint } from '../../../platform/fault-point.ts'
import type { RailServices } from '../../services.ts'
import type { Receivable } from '../node/node-answers.ts'
import { type AddressRow, addArrival, findAddressByText, listKnownArrivals } from './custody-store.ts'

/**
 * Writes down what came to an address, each arrival once, together with everything that follows. Safe to call twice.
 * Without `found` the node is asked: a websocket event says only that it is worth a look. Returns whether the
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
    log.warn({ block: receivable.hash }, 'a node listed money that it does not confirm; looking again later')
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

/** Asks for the block itself: a list of receivables may be stale, or contain what is not confirmed. */
async function isConfirmedSend({ nano }: RailServices, row: AddressRow, { hash, amount, source }: Receivable) {
  const info = await nano.client.blockInfo(hash)
  if (!info?.isConfirmed || info.amount !== amount || info.account !== source) return false
  return info.contents === undefined || receiverOf(info.contents) === row.address
}
