import { sql } from 'kysely'
import { z } from 'zod'
import { findAccount } from '../accounts/account-store.ts'
import { notify } from '../notifications/notify.ts'
import { emailSender } from '../platform/mail/email-sender.ts'
import { connectedEmail, connectedTitle, programsPath } from './connected-email.ts'
import { findGrant } from './grant-store.ts'
import type { Job } from './services.ts'

const payload = z.object({ grantId: z.uuid() })

/** More than this in a day are not announced: the first ones said where to look. */
export const maxNoticesPerDay = 10

/**
 * Informs the owner of an account that a program was connected, so that they notice if someone else allowed it. Sends an
 * email, whatever their preferences; an account without an email address gets a notification.
 */
export const sendConnectedNotice: Job<typeof payload> = {
  name: 'send-connected-notice',
  payload,
  // The wait doubles after each attempt: fourteen attempts take about four and a half hours.
  attempts: 14,
  share: 'codes',
  async run({ db, clock, mailer, origins, site }, { grantId }) {
    const grant = await findGrant(db, grantId)
    const account = grant && (await findAccount(db, grant.account_id))
    if (!account || account.suspended_at) return
    const { rows } = await sql`
      SELECT FROM oauth_grants WHERE account_id = ${account.id} AND generation > 0
        AND created_at > ${grant.created_at}::timestamptz - interval '1 day'
        AND (created_at, id) < (${grant.created_at}, ${grant.id}) LIMIT ${maxNoticesPerDay}`.execute(db)
    if (rows.length === maxNoticesPerDay) return
    const sender = emailSender({ site, origins })
    if (account.email !== null) {
      const email = connectedEmail(sender, account, grant)
      await mailer.send({ ...email, to: account.email, messageId: `connected-${grantId}` })
      return
    }
    const event = {
      kind: 'account_issue',
      origin: `program-connected:${grantId}`,
      actorId: null,
      title: connectedTitle(sender),
      body: "If this wasn't you, disconnect it and end your other sessions.",
      url: programsPath,
    } as const
    await db.transaction().execute((tx) => notify(tx, { clock }, event, [{ recipientId: account.id }]))
  },
}
