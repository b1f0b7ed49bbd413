import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import PostalMime from 'postal-mime'
import { MailRefused } from './mail.ts'
import { mailbox } from './mailbox.fixture.ts'

const mail = {
  to: 'ada@example.com',
  subject: '123456 is your code',
  text: 'Your code is 123456.',
  html: '<p>Your code is <b>123456</b>.</p>',
  messageId: 'row-1',
}

test('an email has a text and an HTML part, one recipient and a stable id', async (t) => {
  const { mailer, received } = await mailbox(t)
  await mailer.verify()
  await mailer.send(mail)
  await mailer.send(mail)
  equal(received.length, 2)
  const [first, second] = await Promise.all(received.map(({ raw }) => PostalMime.parse(raw)))
  deepEqual(received[0]!.recipients, ['ada@example.com'])
  equal(first!.subject, mail.subject)
  match(first!.text!, /Your code is 123456/)
  match(first!.html!, /<b>123456<\/b>/)
  equal(first!.messageId, '<row-1@pennypost.example>')
  equal(first!.messageId, second!.messageId)
  equal(first!.from!.address, 'post@pennypost.example')
  ok(first!.headers.some(({ key, value }) => key === 'auto-submitted' && value === 'auto-generated'))
})

test('an address cannot add recipients or headers', async (t) => {
  const { mailer, received } = await mailbox(t)
  for (const to of [
    'a@example.com, b@example.com',
    'a@example.com\r\nBcc: b@example.com',
    '"x" <a@example.com>, b@example.com',
  ]) {
    await mailer.send({ ...mail, to }).catch(() => {})
  }
  await mailer.send({ ...mail, subject: 'Hi\r\nBcc: b@example.com' })
  for (const { recipients, raw } of received) {
    ok(recipients.length === 1, recipients.join())
    ok(!/^bcc:/im.test(raw))
  }
})

test('a rejected email is an error to retry, or rejected permanently', async (t) => {
  const { mailer } = await mailbox(t, [452, 550])
  await rejects(mailer.send(mail), (error) => !(error instanceof MailRefused))
  await rejects(mailer.send(mail), MailRefused)
  await mailer.send(mail)
})
