import { adminExists, type claimAdmin as declared, invalidClaimToken } from '@pennypost/contract/admin-claim'
import { claim } from '../accounts/admin-claim.ts'
import { recordAuditEntry } from '../accounts/audit-log-store.ts'
import { refuse } from '../platform/http/refuse.ts'
import type { Handler } from './services.ts'

export const claimAdmin: Handler<typeof declared> = async ({ db, clock, secrets }, { caller, body }) => {
  const now = clock.now()
  await db.transaction().execute(async (tx) => {
    const { accountId } = caller
    const outcome = await claim(tx, secrets, { accountId, token: body.token, now })
    if (outcome === 'wrong-token') refuse(invalidClaimToken)
    if (outcome === 'admin-exists') refuse(adminExists)
    await recordAuditEntry(tx, { at: now, actorId: accountId, act: 'admin.claim', target: ['account', accountId] })
  })
  return { status: 200, body: { isAdmin: true } }
}
