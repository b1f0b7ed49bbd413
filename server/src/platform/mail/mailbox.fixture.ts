import type { TestContext } from 'node:test'
import { SMTPServer } from 'smtp-server'
import type { Mailer } from './mail.ts'
import { smtpMailer } from './smtp-mailer.ts'

/** A real SMTP server on loopback and a mailer for it. It rejects emails with `refusals`, one after the other. */
export async function mailbox(
  t: TestContext,
  refusals: number[] = [],
): Promise<{ mailer: Mailer; received: { recipients: string[]; raw: string }[] }> {
  const received: { recipients: string[]; raw: string }[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: (_address, _session, done) => {
      const responseCode = refusals.shift()
      done(responseCode ? Object.assign(new Error('mailbox full'), { responseCode }) : null)
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        received.push({
          recipients: session.envelope.rcptTo.map((to) => to.address),
          raw: Buffer.concat(chunks).toString(),
        })
        done()
      })
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  t.after(() => new Promise<void>((resolve) => server.close(() => resolve())))
  const { port } = server.server.address() as { port: number }
  const mailer = smtpMailer(`smtp://127.0.0.1:${port}`, 'Pennypost <post@pennypost.example>')
  t.after(() => mailer.close())
  return { mailer, received }
}
