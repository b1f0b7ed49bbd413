import { type getNanoTransfer as declared, transferNotFound } from '@pennypost/contract/transfer-logins'
import { refuse } from '../../platform/http/refuse.ts'
import type { Handler } from '../../services.ts'
import { findTransfer } from './transfer-store.ts'

export const getNanoTransfer: Handler<typeof declared> = async ({ db, clock }, { params }) => {
  const { id, state, expires_at } = (await findTransfer(db, params.transferId)) ?? refuse(transferNotFound)
  const status = state !== 'claimed' && expires_at <= clock.now() ? 'expired' : state
  return { status: 200, body: { transferId: id, status } }
}
