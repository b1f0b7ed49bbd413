import { createTransport } from 'nodemailer'
import { type Mailer, MailRefused } from './mail.ts'

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
