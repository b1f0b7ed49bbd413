import type { Readable } from 'node:stream'
import { createTransport } from 'nodemailer'
import { observeCall } from '../outgoing/observe-call.ts'
import { type Mailer, MailRefused, MailUncertain, senderAddress } from './mail.ts'

// A server that stops responding must not block a job, or the shutdown, for longer than this.
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 15_000 }
const bulkPool = { pool: true, maxConnections: 5, maxMessages: 1_000, idleTimeout: 10_000 } as const

/** Signs what we send, so that other servers can tell that it is from this domain. */
export interface DkimKey {
  readonly domainName: string
  readonly keySelector: string
  readonly privateKey: string
}

export interface SmtpOptions {
  readonly dkim?: DkimKey | undefined
  readonly replyTo?: string | undefined
}

// RFC 8058 wants both List-Unsubscribe fields signed. The library's own list leaves out the second.
const signedFields =
  'From:Sender:Reply-To:Subject:Date:Message-ID:To:MIME-Version:Content-Type:Content-Transfer-Encoding:List-Id:List-Unsubscribe:List-Unsubscribe-Post'

export function smtpMailer(url: string, from: string, { dkim, replyTo }: SmtpOptions = {}): Mailer {
  const options = { url, ...timeouts, ...(dkim && { dkim: { ...dkim, headerFieldNames: signedFields } }) }
  const defaults = { from, ...(replyTo !== undefined && { replyTo }) }
  const single = createTransport(options, defaults)
  // Opens no connection before its first email.
  const bulk = createTransport({ ...options, ...bulkPool }, defaults)
  const streams = new Map<string, Readable>()
  bulk.use('stream', (mail, done) => {
    const { message } = mail
    const create = message.createReadStream.bind(message)
    message.createReadStream = (given) => {
      const stream = create(given)
      streams.set(message.messageId(), stream)
      return stream
    }
    done()
  })
  return {
    async send({ to, subject, text, html, messageId, headers, fromName, returnPath, isBulk }) {
      const id = `<${messageId}@${senderDomain(from)}>`
      const email = {
        // Objects, because a string is parsed as a list and could contain more recipients.
        to: { name: '', address: to },
        ...(fromName !== undefined && { from: { name: fromName, address: senderAddress(from) } }),
        ...(returnPath !== undefined && { envelope: { from: returnPath, to: [to] } }),
        subject,
        text,
        html,
        messageId: id,
        headers: { 'Auto-Submitted': 'auto-generated', ...headers },
      }
      try {
        await observeCall({ target: 'mail', what: 'send', isReply }, () => (isBulk ? bulk : single).sendMail(email))
      } catch (error) {
        throw classified(error as SmtpError, streams.get(id)?.readableDidRead === true)
      } finally {
        streams.delete(id)
      }
    },
    async verify() {
      await single.verify()
    },
    close() {
      single.close()
      bulk.close()
    },
  }
}

interface SmtpError extends Error {
  readonly responseCode?: number
  readonly response?: string
  readonly command?: string
}

/** Classifies an error. Without a reply to what was sent, nobody knows whether the server has the email. */
function classified(error: SmtpError, isBegun: boolean): Error {
  const { responseCode, response = '', command } = error
  if (isRefusal(error)) {
    // A code such as 5.7.1 is a policy: it refuses our server or this email, not the address.
    const isPolicy = /^5\d\d[ -]5\.7\./.test(response)
    return new MailRefused(error.message, command === 'RCPT TO' && !isPolicy)
  }
  return isBegun && responseCode === undefined ? new MailUncertain(error.message) : error
}

// A 5xx reply is permanent (RFC 5321), but only for the recipient or the message. If our login or sender address is
// rejected, the operator can fix that and the email is sent then.
const isRefusal = ({ responseCode = 0, command }: SmtpError): boolean =>
  responseCode >= 500 && responseCode <= 599 && (command === 'RCPT TO' || command === 'DATA')

const isReply = (error: unknown): boolean => isRefusal(error as SmtpError)

const senderDomain = (from: string): string => /@([A-Za-z0-9.-]+)/.exec(from)?.[1] ?? 'localhost'
