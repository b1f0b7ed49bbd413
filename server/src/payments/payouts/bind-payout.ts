import { validation } from '@pennypost/contract/errors'
import {
  type bindPayout as declared,
  payoutNotEligible,
  payoutNotFound,
  recipientChanged,
} from '@pennypost/contract/payouts'
import { nanoAddress, parseNanoAddress } from '@pennypost/nano/address'
import type { Tx } from '../../platform/database/database.ts'
import { refuse } from '../../platform/http/refuse.ts'
import { isOurs } from '../../rails/nano/custody/addresses.ts'
import type { Handler } from '../services.ts'
import { findNanoAddress, movePayout, type PayoutRow } from './payout-store.ts'
import { resend } from './payouts.job.ts'

export const bindPayout: Handler<typeof declared> = async (services, { caller, params, body }) => {
  const key = parseNanoAddress(body.payoutAddress) ?? refuseAddress('invalid_address', 'is not a Nano address')
  const address = nanoAddress(key)
  const revision = new Date(body.addressUpdatedAt)
  const wanted = { payeeId: caller.accountId, kind: params.sourceKind, orderId: params.sourceId }
  const { payout, replayed } = await services.db.transaction().execute(async (tx) => {
    const owed = (await lockCreatorPayout(tx, wanted)) ?? refuse(payoutNotFound)
    if (isBoundTo(owed, address, revision)) return { payout: owed, replayed: true }
    const saved = await findNanoAddress(tx, caller.accountId)
    if (saved?.address !== address || saved.updated_at.getTime() !== revision.getTime()) refuse(recipientChanged)
    if (owed.state !== 'blocked') refuse(payoutNotEligible)
    if (await isOurs(tx, address)) refuseAddress('not_allowed', 'cannot receive payments')
    const change = { destination: address, bound_revision: revision, blocked_reason: null }
    const bound = (await movePayout(tx, owed.id, 'bind', change))!
    await resend(services, tx, owed, address)
    return { payout: bound, replayed: false }
  })
  return {
    status: 200,
    body: {
      source_kind: params.sourceKind,
      source_id: params.sourceId,
      status: payout.state,
      payoutAddress: payout.destination,
      addressUpdatedAt: payout.bound_revision!.toISOString(),
      resolution_eligible: payout.state === 'blocked',
      replayed,
    },
  }
}

/** A binding stays: the same request again gets the same reply, whatever address was saved since. */
const isBoundTo = ({ state, destination, bound_revision }: PayoutRow, address: string, revision: Date): boolean =>
  state !== 'blocked' && destination === address && bound_revision?.getTime() === revision.getTime()

const refuseAddress = (code: string, message: string): never =>
  refuse(validation, { errors: [{ field: 'payoutAddress', code, message }] })

/** The creator's payout for a purchase or a tip, locked. */
const lockCreatorPayout = (
  tx: Tx,
  { payeeId, kind, orderId }: { payeeId: string; kind: string; orderId: string },
): Promise<PayoutRow | undefined> =>
  tx
    .selectFrom('payouts')
    .selectAll('payouts')
    .innerJoin('orders', 'orders.id', 'payouts.order_id')
    .where('payouts.order_id', '=', orderId)
    .where('payouts.role', '=', 'creator')
    .where('payouts.payee_id', '=', payeeId)
    .where('orders.kind', '=', kind as 'purchase' | 'tip')
    .forUpdate('payouts')
    .executeTakeFirst()
