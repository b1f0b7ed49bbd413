import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { createHash, generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import PostalMime from 'postal-mime'
import { MailRefused, MailUncertain } from './mail.ts'
import { mailbox } from './mailbox.fixture.ts'
import { readDkimKey } from './read-dkim-key.ts'
import { smtpMailer } from './smtp-mailer.ts'

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

test('a rejected address is told from a rejected server or email', async (t) => {
  const refusals = ['550 5.1.1 unknown', '550 mailbox away', '554 5.7.1 relay denied']
  const { mailer } = await mailbox(t, [], { refusalOf: () => refusals.shift() })
  const isAddressBad: boolean[] = []
  for (let count = 0; count < 3; count += 1)
    await mailer.send({ ...mail, isBulk: true }).catch((error: MailRefused) => isAddressBad.push(error.isAddressBad))
  deepEqual(isAddressBad, [true, true, false])
  await mailer.send({ ...mail, isBulk: true })
})

test('a connection that breaks after the email was sent leaves it uncertain, one that breaks before does not', async (t) => {
  const { mailer, received } = await mailbox(t, [], { breaksAfter: () => received.length === 1 })
  await rejects(mailer.send({ ...mail, isBulk: true }), MailUncertain)
  equal(received.length, 1)
  await mailer.send({ ...mail, isBulk: true })
  const away = smtpMailer('smtp://127.0.0.1:1', 'post@pennypost.example')
  t.after(() => away.close())
  await rejects(away.send({ ...mail, isBulk: true }), (error) => !(error instanceof MailUncertain))
})

test('an email can have its own sender name and return address', async (t) => {
  const { mailer, received } = await mailbox(t, [], { replyTo: 'help@pennypost.example' })
  await mailer.send({
    ...mail,
    fromName: 'Ada, "the" <first>',
    returnPath: 'bounces+1@pennypost.example',
    isBulk: true,
  })
  const email = await PostalMime.parse(received[0]!.raw)
  deepEqual(
    [email.from!.name, email.from!.address, received[0]!.sender, email.replyTo?.[0]?.address],
    ['Ada, "the" <first>', 'post@pennypost.example', 'bounces+1@pennypost.example', 'help@pennypost.example'],
  )
})

test('a DKIM signature covers the sender, the body and what unsubscribing needs', async (t) => {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  const dkim = { domainName: 'pennypost.example', keySelector: 'mail', privateKey }
  const { mailer, received } = await mailbox(t, [], { dkim })
  const headers = {
    'List-Unsubscribe': '<https://pennypost.example/x>',
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  }
  await mailer.send({ ...mail, headers })
  const { raw } = received[0]!
  const signature = /^DKIM-Signature:((?:.|\r\n[ \t])*)\r\n/im.exec(raw)![1]!.replace(/\s+/g, '')
  const fields = Object.fromEntries(signature.split(';').map((part) => part.split(/=(.*)/s).slice(0, 2)))
  deepEqual([fields.d, fields.s, fields.c], ['pennypost.example', 'mail', 'relaxed/relaxed'])
  const signed = fields.h.toLowerCase().split(':')
  for (const name of ['from', 'to', 'subject', 'message-id', 'list-unsubscribe', 'list-unsubscribe-post'])
    ok(signed.includes(name), name)
  // The hash of the body as RFC 6376 spells it: relaxed, without empty lines at the end.
  const body = raw.slice(raw.indexOf('\r\n\r\n') + 4)
  const relaxed = `${body
    .replace(/[ \t]+/g, ' ')
    .replace(/ +\r\n/g, '\r\n')
    .replace(/(\r\n)*$/, '')}\r\n`
  equal(createHash('sha256').update(relaxed).digest('base64'), fields.bh)
})

test('a key that cannot sign is refused at the start', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'dkim-'))
  t.after(() => rm(folder, { recursive: true }))
  const read = async (name: string, content?: string) => {
    if (content !== undefined) await writeFile(join(folder, name), content)
    return readDkimKey({ selector: 'mail', domain: 'pennypost.example', keyFile: join(folder, name) })
  }
  const pem = (type: 'rsa' | 'ed25519') =>
    (type === 'rsa' ? generateKeyPairSync('rsa', { modulusLength: 1024 }) : generateKeyPairSync('ed25519')).privateKey
      .export({ type: 'pkcs8', format: 'pem' })
      .toString()
  await rejects(read('missing.pem'), /^StartError: DKIM_KEY_FILE: cannot read/)
  await rejects(read('wrong.pem', 'not a key'), /^StartError: DKIM_KEY_FILE: must be an RSA private key/)
  await rejects(read('other.pem', pem('ed25519')), /^StartError: DKIM_KEY_FILE: must be an RSA private key/)
  const { domainName, keySelector } = await read('right.pem', pem('rsa'))
  deepEqual([domainName, keySelector], ['pennypost.example', 'mail'])
})
