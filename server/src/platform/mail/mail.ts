import { sql } from 'kysely'
import type { Clock } from '../clock.ts'
import type { Db } from '../database/database.ts'

export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** The same for every attempt, so that the receiver can recognize a duplicate. */
  readonly messageId: string
  readonly headers?: Readonly<Record<string, string>>
  /** The name of the sender, if it is not the service's. The address stays. */
  readonly fromName?: string
  /** Where the email comes back to if it cannot be delivered. By default the sender. */
  readonly returnPath?: string
  /** Part of a mailing: sent through connections that are kept open. */
  readonly isBulk?: true
}

/** The server permanently rejects this email or its recipient. Retrying is useless. */
export class MailRefused extends Error {
  /** Whether the recipient's address does not work, as opposed to this email or our server being unwelcome. */
  readonly isAddressBad: boolean

  constructor(message: string, isAddressBad = false) {
    super(message)
    this.isAddressBad = isAddressBad
  }
}

/** The connection broke after the server began to receive the email. Nobody knows whether it will deliver it. */
export class MailUncertain extends Error {}

/** Sends email. Only jobs call it: an error means "retry", unless it is `MailRefused`. */
export interface Mailer {
  send(mail: Mail): Promise<void>
  verify(): Promise<void>
  close(): void
}

/** The address part of a sender such as `Pennypost <post@example.com>`. */
export const senderAddress = (from: string): string =>
  /[^\s<>]+@[A-Za-z0-9.-]+/.exec(from)?.[0] ?? 'pennypost@localhost'

/** For development: stores email instead of sending it. `/dev/mail` shows it. */
export function capturingMailer(db: Db, clock: Clock): Mailer {
  return {
    async send({ to, subject, text, html }) {
      await sql`INSERT INTO captured_mail (recipient, subject, text, html, sent_at)
        VALUES (${to}, ${subject}, ${text}, ${html}, ${clock.now()})`.execute(db)
    },
    verify: () => Promise.resolve(),
    close: () => {},
  }
}
