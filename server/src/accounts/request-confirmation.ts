import { randomUUID } from 'node:crypto'
import { type requestConfirmation as declared, noEmail } from '@pennypost/contract/confirmations'
import { refuse } from '../platform/http/refuse.ts'
import { enqueue } from '../platform/jobs/job.ts'
import { lockOwnAccount } from './account-store.ts'
import { countSend } from './mailbox-limits.ts'
import { sendConfirmationCode } from './send-confirmation-code.job.ts'
import type { Handler } from './services.ts'

export const requestConfirmation: Handler<typeof declared> = async (
  { db, clock, secrets },
  { caller: { accountId }, body: { purpose }, ip },
) => {
  const sentTo = await db.transaction().execute(async (tx) => {
    const email = (await lockOwnAccount(tx, accountId)).email ?? refuse(noEmail)
    await countSend(tx, secrets, { email, ip, now: clock.now() })
    const payload = { accountId, email, purpose, issue: randomUUID(), issuedAt: clock.now() }
    await enqueue(tx, clock, sendConfirmationCode, payload)
    return email
  })
  return { status: 202, body: { purpose, email: sentTo } }
}
