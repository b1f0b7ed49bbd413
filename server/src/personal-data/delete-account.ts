import { randomUUID } from 'node:crypto'
import { validation } from '@pennypost/contract/errors'
import { type deleteAccount as declared, lastAdmin } from '@pennypost/contract/personal-data'
import { type Account, lockOwnAccount } from '../accounts/account-store.ts'
import { closeAccount, hasOtherAdmin } from '../accounts/close-account.ts'
import { readConfirmation } from '../accounts/confirmation.ts'
import { refuseWrongCode } from '../accounts/email-codes.ts'
import { stopNotifications } from '../notifications/erase-notifications.ts'
import type { Tx } from '../platform/database/database.ts'
import { refuse } from '../platform/http/refuse.ts'
import { enqueue } from '../platform/jobs/job.ts'
import { withdrawAllPosts } from '../posts/withdraw-all-posts.ts'
import { removeProfile } from '../profiles/erase-profile.ts'
import { endSubscriptionsOf } from '../subscriptions/erase-subscriptions.ts'
import { stopWebhooks } from '../webhooks/erase-webhooks.ts'
import { eraseAccount } from './erase-account.job.ts'
import { sendDeletionNotice } from './send-deletion-notice.job.ts'
import type { Handler, PersonalDataServices } from './services.ts'

/** Deletes an account. Everything that others can see changes in one transaction, which also enqueues a job for the rest. */
export const deleteAccount: Handler<typeof declared> = async (
  services,
  { caller: { accountId, account: asked }, body: { handle, confirmation: proof }, ip },
) => {
  const { db, log } = services
  if (handle.toLowerCase() !== asked.handle.toLowerCase())
    refuse(validation, {
      errors: [{ field: 'handle', code: 'mismatch', message: 'is not the handle of this account' }],
    })
  const confirmation = await readConfirmation(services, { accountId, purpose: 'deletion', proof, ip })
  if (!confirmation) return { status: 202, body: { status: 'pending' } }
  const check = await db.transaction().execute(async (tx) => {
    const account = await lockOwnAccount(tx, accountId)
    if (account.is_admin && !(await hasOtherAdmin(tx, accountId))) refuse(lastAdmin)
    const spent = await confirmation.spend(tx, account)
    if (spent.right) await closeEverything(services, tx, account)
    return spent
  })
  if (!check.right) return refuseWrongCode(check)
  log.info({ accountId }, 'an account was deleted by its owner')
  return { status: 200, body: { id: accountId, deleted: true } }
}

async function closeEverything({ clock, secrets }: PersonalDataServices, tx: Tx, account: Account): Promise<void> {
  const { id, email } = account
  const now = clock.now()
  await withdrawAllPosts(tx, id, now)
  await removeProfile(tx, clock, id)
  await stopNotifications(tx, id, now)
  await stopWebhooks(tx, id)
  if (email !== null) await endSubscriptionsOf(tx, secrets, email, now)
  await tx.deleteFrom('private_feeds').where('account_id', '=', id).execute()
  await tx.deleteFrom('account_exports').where('account_id', '=', id).execute()
  await closeAccount(tx, account, now)
  await enqueue(tx, clock, eraseAccount, { accountId: id, isLastPass: false })
  if (email !== null) await enqueue(tx, clock, sendDeletionNotice, { notice: randomUUID(), email })
}
