import { validation } from '@pennypost/contract/errors'
import { amountOf } from '@pennypost/contract/money'
import {
  type settleObligation as declared,
  destinationRefused,
  goesToSender,
  obligationNotFound,
  obligationState,
} from '@pennypost/contract/obligations'
import { nanoAddress, parseNanoAddress } from '@pennypost/nano/address'
import { recordAuditEntry } from '../../accounts/audit-log-store.ts'
import { requireAdmin } from '../../accounts/require-admin.ts'
import type { Tx } from '../../platform/database/database.ts'
import { refuse } from '../../platform/http/refuse.ts'
import { isOurs } from '../../rails/nano/custody/addresses.ts'
import { goesInCircles } from '../../rails/nano/custody/arrivals.ts'
import { movePayout, type PayoutRow } from '../payouts/payout-store.ts'
import { resend } from '../payouts/payouts.job.ts'
import type { Handler, PaymentServices } from '../services.ts'
import { findObligation, findSender, lockPayout, obligationView } from './obligation-store.ts'

export const settleObligation: Handler<typeof declared> = async (services, { caller, params, body }) => {
  requireAdmin(caller)
  const { db } = services
  const key = parseNanoAddress(body.destination)
  const errors = [{ field: 'destination', code: 'invalid_address', message: 'is not a Nano address' }]
  const destination = key ? nanoAddress(key) : refuse(validation, { errors })
  const act = { id: params.obligationId, destination, actorId: caller.accountId }
  await db.transaction().execute((tx) => settle(services, tx, act))
  return { status: 200, body: obligationView((await findObligation(db, params.obligationId))!) }
}

interface Act {
  readonly id: string
  readonly destination: string
  readonly actorId: string
}

async function settle(services: PaymentServices, tx: Tx, { id, destination, actorId }: Act): Promise<void> {
  const owed = (await lockPayout(tx, id)) ?? refuse(obligationNotFound)
  if (owed.state !== 'blocked') refuse(obligationState)
  if (!(await cannotGoBack(tx, owed))) refuse(goesToSender)
  if (await isOurs(tx, destination)) refuse(destinationRefused)
  await movePayout(tx, id, 'bind', { destination, blocked_reason: null })
  await resend(services, tx, owed, destination)
  const details = { destination, amountRaw: owed.amount }
  await recordAuditEntry(tx, {
    at: services.clock.now(),
    actorId,
    act: 'payout.settle',
    target: ['payout', id],
    details,
  })
}

/** Whether a refund cannot go back to its sender. Anything else is paid to its creator, to the house, or back to its sender. */
async function cannotGoBack(tx: Tx, { role, arrival_hash: hash, amount }: PayoutRow): Promise<boolean> {
  if (role !== 'refund') return false
  return (await isOurs(tx, await findSender(tx, hash!))) || goesInCircles(tx, hash!, amountOf('XNO', amount))
}
