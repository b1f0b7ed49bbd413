import { oauthScopes } from '@pennypost/contract/oauth-scopes'
import type { EmailSender } from '../platform/mail/email-sender.ts'
import { type RenderedEmail, renderEmail } from '../platform/mail/render-email.ts'
import type { Grant } from './grant-store.ts'

export const programsPath = '/settings/programs'

export const connectedTitle = ({ name }: EmailSender): string => `A program was connected to your ${name} account`

type Connected = Pick<Grant, 'client_host' | 'client_name' | 'scopes'>

/** Names the program as the consent page does: first what we know about it, then what it says about itself. */
export const connectedEmail = (
  sender: EmailSender,
  { name, handle }: { readonly name: string; readonly handle: string },
  { client_host, client_name, scopes }: Connected,
): RenderedEmail =>
  renderEmail(sender, {
    subject: connectedTitle(sender),
    greeting: `Hi ${name},`,
    paragraphs: [
      `${client_host ?? 'A program on a device'} can now use ${new URL(sender.origin).host} as @${handle}. ` +
        (client_name === null ? 'It gave no name.' : `It calls itself “${client_name}”, which nobody has verified.`),
      `It can: ${scopes.map((scope) => oauthScopes[scope].title).join('; ')}.`,
    ],
    link: { label: 'See your programs', url: sender.origin + programsPath },
    reason:
      "Someone signed in to your account allowed this. If it wasn't you, disconnect the program, end your other sessions and revoke your keys.",
  })
