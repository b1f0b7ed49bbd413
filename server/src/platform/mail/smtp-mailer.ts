import { createTransport } from 'nodemailer'
import { type Mailer, MailRefused } from './mail.ts'

// A server that stops responding must not block a job, or the shutdown, for longer than this.
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 15_000 }

export function smtpMailer(url: string, from: string): Mailer {
  const transport = createTransport({ url, ...timeouts }, { from })
  return {
    async send({ to, subject, text, html, messageId, headers }) {
      const sent = transport.sendMail({
        // An object, because a string is parsed as a list and could contain more recipients.
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

// A 5xx reply is permanent (RFC 5321), but only for the recipient or the message. If our login or sender address is
// rejected, the operator can fix that and the email is sent then.
const isRefusal = ({ responseCode = 0, command }: { responseCode?: number; command?: string }): boolean =>
  responseCode >= 500 && responseCode <= 599 && (command === 'RCPT TO' || command === 'DATA')

const senderDomain = (from: string): string => /@([A-Za-z0-9.-]+)/.exec(from)?.[1] ?? 'localhost'
