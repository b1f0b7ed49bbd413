import { randomUUID } from 'node:crypto'
import type { logIn as declared } from '@pennypost/contract/sessions'
import { enqueue } from '../platform/jobs/job.ts'
import { countSend } from './mailbox-limits.ts'
import { requireCaptcha } from './require-captcha.ts'
import { sendLoginCode } from './send-login-code.job.ts'
import type { Handler } from './services.ts'

export const logIn: Handler<typeof declared> = async ({ db, clock, secrets, config }, { body, ip }) => {
  await requireCaptcha(config.captcha, body.captchaToken, ip)
  await db.transaction().execute(async (tx) => {
    await countSend(tx, secrets, { email: body.email, ip, now: clock.now() })
    await enqueue(tx, clock, sendLoginCode, { email: body.email, issue: randomUUID(), issuedAt: clock.now() })
  })
  return { status: 202, body: { message: 'If this address has an account, a code is on its way.' } }
}
