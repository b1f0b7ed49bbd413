import { z } from 'zod'
import { changeDoneLetter, changeRequestedLetter } from './letters.ts'
import type { Job } from './services.ts'

const payload = z.object({
  notice: z.uuid(),
  oldEmail: z.string(),
  newEmail: z.string(),
  moment: z.enum(['requested', 'done']),
})

/** Tells the old address, which the account may have left by now: so it is part of the promise, not looked up. */
export const sendChangeNotice: Job<typeof payload> = {
  name: 'send-change-notice',
  payload,
  // Waits double: about as long as what it sends is good for.
  attempts: 14,
  async run({ mailer, origins }, { notice, oldEmail, newEmail, moment }) {
    const letter =
      moment === 'done' ? changeDoneLetter(origins.base, newEmail) : changeRequestedLetter(origins.base, newEmail)
    await mailer.send({ ...letter, to: oldEmail, messageId: `email-${moment}-${notice}` })
  },
}
