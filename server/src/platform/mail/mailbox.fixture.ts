import type { Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { SMTPServer } from 'smtp-server'
import type { Mailer } from './mail.ts'
import { type SmtpOptions, smtpMailer } from './smtp-mailer.ts'

export interface Received {
  readonly recipients: string[]
  /** The return address. */
  readonly sender: string
  readonly raw: string
}

interface MailboxOptions extends SmtpOptions {
  /** The reply for a recipient, such as `550 5.1.1 unknown`, if it is refused. */
  readonly refusalOf?: (recipient: string) => string | undefined
  /** Whether the connection breaks after this email was received, before the reply to it. */
  readonly breaksAfter?: (recipient: string) => boolean
  /** Called when an email was received, before the reply to it. */
  readonly onReceived?: (recipient: string) => unknown
}

/** A real SMTP server on loopback and a mailer for it. It rejects emails with `refusals`, one after the other. */
export async function mailbox(
  t: TestContext,
  refusals: number[] = [],
  { refusalOf, breaksAfter, onReceived, ...options }: MailboxOptions = {},
): Promise<{ mailer: Mailer; received: Received[] }> {
  const received: Received[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: ({ address }, _session, done) => {
      const refusal = refusalOf?.(address)
      const responseCode = refusal ? Number(refusal.slice(0, 3)) : refusals.shift()
      done(responseCode ? Object.assign(new Error(refusal?.slice(4) ?? 'mailbox full'), { responseCode }) : null)
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', async () => {
        const { rcptTo, mailFrom } = session.envelope
        const recipients = rcptTo.map((to) => to.address)
        const sender = mailFrom ? mailFrom.address : ''
        received.push({ recipients, sender, raw: Buffer.concat(chunks).toString() })
        if (breaksAfter?.(recipients[0]!)) {
          for (const connection of server.connections as Set<{ _socket: Socket }>) connection._socket.destroy()
          return
        }
        await onReceived?.(recipients[0]!)
        done()
      })
    },
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  const { port } = server.server.address() as { port: number }
  const mailer = smtpMailer(`smtp://127.0.0.1:${port}`, 'Pennypost <post@pennypost.example>', options)
  // The server waits for connections that the mailer keeps open.
  t.after(async () => {
    mailer.close()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  })
  return { mailer, received }
}
