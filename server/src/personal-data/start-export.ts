import { type startExport as declared, exportLimit, maxExportsPerDay } from '@pennypost/contract/personal-data'
import { lockOwnAccount } from '../accounts/account-store.ts'
import { readConfirmation } from '../accounts/confirmation.ts'
import { refuseWrongCode } from '../accounts/email-codes.ts'
import type { Tx } from '../platform/database/database.ts'
import { refuse } from '../platform/http/refuse.ts'
import { addExport, exportTimesSince } from './export-store.ts'
import type { Handler } from './services.ts'

const dayMs = 86_400_000

export const startExport: Handler<typeof declared> = async (services, { caller: { accountId }, body, ip, origin }) => {
  const { db, clock } = services
  const confirmation = await readConfirmation(services, { accountId, purpose: 'export', proof: body, ip })
  if (!confirmation) return { status: 202, body: { status: 'pending' } }
  const outcome = await db.transaction().execute(async (tx) => {
    const account = await lockOwnAccount(tx, accountId)
    await requireExportLeft(tx, accountId, clock.now())
    const check = await confirmation.spend(tx, account)
    return check.right ? { ...check, made: await addExport(tx, accountId, clock.now()) } : check
  })
  if (!outcome.right) return refuseWrongCode(outcome)
  const { id, expires_at } = outcome.made
  const url = `${origin}/api/v1/account/exports/${id}`
  return { status: 201, body: { id, url, expiresAt: expires_at.toISOString() } }
}

/** Counted under the account's lock. */
async function requireExportLeft(tx: Tx, accountId: string, now: Date): Promise<void> {
  const times = await exportTimesSince(tx, accountId, new Date(now.getTime() - dayMs))
  const oldest = times.at(-maxExportsPerDay)
  if (!oldest) return
  refuse(exportLimit, {}, { retryAfterSeconds: Math.ceil((oldest.getTime() + dayMs - now.getTime()) / 1000) })
}
