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

/** The server will never take this mail, or not for this address: trying again is of no use. */
export class MailRefused extends Error {}

/** Hands mail over. Called by jobs only: a throw means "try again", unless it is `MailRefused`. */
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
      const sent = transport.sendMail({
        // An object: a string would be parsed as a list, and could be made to add recipients.
        to: { name: '', address: to },
        subject,
        text,
        html,
        messageId: `<${messageId}@${senderDomain(from)}>`,
        headers: { 'Auto-Submitted': 'auto-generated', ...headers },
      })
      await sent.catch((error) => {
        throw isRefusal(error) ? new MailRefused(error.message) : error
      })
    },
    async verify() {
      await transport.verify()
    },
    close: () => transport.close(),
  }
}

// RFC 5321: 5xx is for good. Only where it is about the recipient or the mail: that we may not sign in, or not send from
// our address, is for the operator to mend, and then the mail goes out.
const isRefusal = ({ responseCode = 0, command }: { responseCode?: number; command?: string }): boolean =>
  responseCode >= 500 && responseCode <= 599 && (command === 'RCPT TO' || command === 'DATA')

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
