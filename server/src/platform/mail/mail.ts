import { sql } from 'kysely'
import { createTransport } from 'nodemailer'
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

/** Hands mail over. Called by jobs only: a throw means "try again". */
export interface Mailer {
  send(mail: Mail): Promise<void>
  verify(): Promise<void>
  close(): void
}

// A server that falls silent must not hold a job, or the end of the process, for longer than this.
const patience = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 15_000 }

export function smtpMailer(url: string, from: string): Mailer {
  const transport = createTransport({ url, ...patience }, { from })
  return {
    async send({ to, subject, text, html, messageId, headers }) {
      await transport.sendMail({
        // An object: a string would be parsed as a list, and could be made to add recipients.
        to: { name: '', address: to },
        subject,
        text,
        html,
        messageId: `<${messageId}@${senderDomain(from)}>`,
        headers: { 'Auto-Submitted': 'auto-generated', ...headers },
      })
    },
    async verify() {
      await transport.verify()
    },
    close: () => transport.close(),
  }
}

const senderDomain = (from: string): string => /@([A-Za-z0-9.-]+)/.exec(from)?.[1] ?? 'localhost'

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
