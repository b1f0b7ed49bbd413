import { createHmac } from 'node:crypto'
import { z } from 'zod'
import type { Job } from '../services.ts'
import { findAccountByEmail } from './account-store.ts'
import { findEmailChange, saveLink } from './email-change-store.ts'
import { issueCode } from './email-codes.ts'
import { addressTakenLetter, emailChangeLetter } from './letters.ts'

const codeLifeMs = 10 * 60_000
const linkLifeMs = 60 * 60_000
const payload = z.object({ accountId: z.uuid(), issue: z.uuid() })

/** Sends code and link to the address that waits. One that another account has is told so instead, and nobody else is. */
export const sendEmailChange: Job<typeof payload> = {
  name: 'send-email-change',
  payload,
  attempts: 5,
  async run({ db, clock, secrets, mailer, origins, config }, { accountId, issue }) {
    const change = await findEmailChange(db, accountId)
    if (!change) return
    const messageId = `email-change-${issue}`
    if (await findAccountByEmail(db, change.email)) {
      return mailer.send({ ...addressTakenLetter(origins.base), to: change.email, messageId })
    }
    const now = clock.now().getTime()
    const expiresAt = new Date(now + codeLifeMs)
    const code = await issueCode(db, secrets, { purpose: 'email_change', subject: accountId, issue, expiresAt })
    const token = createHmac('sha256', secrets.key('email-link')).update(`${accountId}\n${issue}`).digest('base64url')
    await saveLink(db, accountId, token, new Date(now + linkLifeMs))
    const url = `${config.identityProviderUrl ?? origins.base}/auth/v1/verify?token=${token}&type=email_change`
    await mailer.send({ ...emailChangeLetter(origins.base, code, url), to: change.email, messageId })
  },
}
