import { sql } from 'kysely'
import type { Clock } from '../clock.ts'
import type { Db } from '../database/database.ts'

export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** The same for every attempt at one mail, so that a receiver can tell a repetition. */
  readonly messageId: string
  readonly headers?: Readonly<Record<string, string>>
}

/** The server will never take this mail, or not for this address: trying again is of no use. */
export class MailRefused extends Error {}

/** Hands mail over. Called by jobs only: a throw means "try again", unless it is `MailRefused`. */
export interface Mailer {
  send(mail: Mail): Promise<void>
  verify(): Promise<void>
  close(): void
}

/** The bare address of a sender such as `Pennypost <post@example.com>`. */
export const senderAddress = (from: string): string =>
  /[^\s<>]+@[A-Za-z0-9.-]+/.exec(from)?.[0] ?? 'pennypost@localhost'

/** Development: mail is kept where `/dev/mail` shows it. */
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
