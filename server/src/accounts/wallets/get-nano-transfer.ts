import { type getNanoTransfer as declared, transferNotFound } from '@pennypost/contract/transfer-logins'
import { refuse } from '../../platform/http/refuse.ts'
import { checkSoon } from '../../rails/nano/custody/addresses.ts'
import type { Handler } from '../services.ts'
import { findTransfer } from './transfer-store.ts'

export const getNanoTransfer: Handler<typeof declared> = async (services, { params }) => {
  const { db, clock } = services
  const transfer = (await findTransfer(db, params.transferId)) ?? refuse(transferNotFound)
  const { id, state, expires_at } = transfer
  if (state === 'pending') await checkSoon(services, { ...transfer, id: transfer.address_id })
  const status = state !== 'claimed' && expires_at <= clock.now() ? 'expired' : state
  return { status: 200, body: { transferId: id, status } }
}
