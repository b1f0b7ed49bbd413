import type { EmailSender } from '../platform/mail/email-sender.ts'
import { type RenderedEmail, renderEmail } from '../platform/mail/render-email.ts'

/**
 * Names the creator by handle only: anyone can have this email sent to anyone, and a display name is a text of up to 80
 * characters that could advertise something.
 */
export const confirmationEmail = (sender: EmailSender, handle: string, url: string): RenderedEmail =>
  renderEmail(sender, {
    subject: `Confirm your subscription to @${handle}`,
    greeting: 'Hi,',
    paragraphs: [
      `Confirm that you want to get new posts by @${handle} at ${new URL(sender.origin).host} by email. The link expires in seven days.`,
    ],
    link: { label: 'Confirm subscription', url },
    reason:
      "Someone entered this email address to subscribe. If this wasn't you, ignore this email: you won't be subscribed, and we delete the address.",
  })
