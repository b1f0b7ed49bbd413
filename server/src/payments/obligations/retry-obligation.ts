import {
  creatorDecides,
  type retryObligation as declared,
  destinationRefused,
  obligationNotFound,
  obligationState,
} from '@pennypost/contract/obligations'
import { recordAuditEntry } from '../../accounts/audit-log-store.ts'
import { requireAdmin } from '../../accounts/require-admin.ts'
import type { Tx } from '../../platform/database/database.ts'
import { refuse } from '../../platform/http/refuse.ts'
import { isOurs } from '../../rails/nano/custody/addresses.ts'
import { movePayout } from '../payouts/payout-store.ts'
import { resend } from '../payouts/payouts.job.ts'
import type { Handler, PaymentServices } from '../services.ts'
import { findObligation, lockPayout, obligationView } from './obligation-store.ts'

export const retryObligation: Handler<typeof declared> = async (services, { caller, params }) => {
  requireAdmin(caller)
  const { db } = services
  await db.transaction().execute((tx) => retry(services, tx, params.obligationId, caller.accountId))
  return { status: 200, body: obligationView((await findObligation(db, params.obligationId))!) }
}

async function retry(services: PaymentServices, tx: Tx, id: string, actorId: string): Promise<void> {
  const { clock, addresses } = services
  const owed = (await lockPayout(tx, id)) ?? refuse(obligationNotFound)
  if (owed.state !== 'blocked') refuse(obligationState)
  if (owed.role === 'creator') refuse(creatorDecides)
  const destination = owed.role === 'house' ? await addresses.house() : owed.destination
  if (await isOurs(tx, destination)) refuse(destinationRefused)
  await movePayout(tx, id, 'bind', { destination, blocked_reason: null })
  await resend(services, tx, owed, destination)
  const details = { destination, amountRaw: owed.amount }
  await recordAuditEntry(tx, { at: clock.now(), actorId, act: 'payout.retry', target: ['payout', id], details })
}
