import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import {
  changeAccountEmail,
  confirmEmailByLink,
  getAccountEmail,
  removeAccountEmail,
  resendAccountEmail,
  showEmailConfirmation,
  verifyAccountEmail,
} from '@pennypost/contract/account-email'
import { getNotificationPreferences } from '@pennypost/contract/notification-preferences'
import { logIn, verifyLogin } from '@pennypost/contract/sessions'
import { emptiedWorld, sharedWorld, type World } from '../test/world.ts'
import { lockAccount } from './account-store.ts'
import { removeEmail } from './remove-account-email.ts'

const newest = async (world: World, address: string) => {
  await world.runJobs()
  return (await world.mailTo(address))[0]
}

const linkIn = (text: string) => /https?:\/\/\S+\/auth\/v1\/verify\S+/.exec(text)![0]

async function asked(world: World, email = 'new@example.com') {
  const reader = await world.reader()
  const reply = await reader.owner.calls(changeAccountEmail, { body: { email } })
  equal(reply.status, 200)
  return { reader, reply, mail: (await newest(world, email))! }
}

test('an email change is requested, announced to both addresses, and confirmed by code', async (t) => {
  const world = await sharedWorld(t)
  const { reader, reply, mail } = await asked(world)
  deepEqual(reply.body, { status: 'confirmation_sent', pendingEmail: 'new@example.com' })
  deepEqual((await reader.owner.calls(getAccountEmail, {})).body, {
    status: 'pending',
    email: reader.email,
    pendingEmail: 'new@example.com',
  })
  match((await newest(world, reader.email))!.text, /new@example\.com/)
  match(mail.subject, new RegExp(mail.code!))

  const verified = await reader.owner.calls(verifyAccountEmail, { body: { code: mail.code! } })
  deepEqual(verified.body, { status: 'verified', email: 'new@example.com', session: null })
  deepEqual((await reader.owner.calls(getAccountEmail, {})).body, {
    status: 'confirmed',
    email: 'new@example.com',
    pendingEmail: null,
  })
  match((await newest(world, reader.email))!.subject, /was changed/)

  // The new address signs in, the old one no longer does.
  await world.advance(61)
  await world.stranger().calls(logIn, { body: { email: reader.email } })
  await world.stranger().calls(logIn, { body: { email: 'new@example.com' } })
  await world.runJobs()
  equal((await world.mailTo(reader.email))[0]!.code, null)
  const { code } = (await world.mailTo('new@example.com'))[0]!
  const signedIn = await world.stranger().calls(verifyLogin, { body: { email: 'new@example.com', code: code! } })
  equal(signedIn.body.session.user.id, reader.accountId)
})

test('repeating the current or the pending address sends nothing', async (t) => {
  const world = await emptiedWorld(t)
  const { reader } = await asked(world)
  const sent = (await world.mailTo('new@example.com')).length
  const ask = async (email: string) => (await reader.owner.calls(changeAccountEmail, { body: { email } })).body
  deepEqual(await ask('NEW@example.com'), { status: 'already_pending', pendingEmail: 'new@example.com' })
  deepEqual(await ask(reader.email), { status: 'already_pending', pendingEmail: 'new@example.com' })
  await world.runJobs()
  equal((await world.mailTo('new@example.com')).length, sent)
  const fresh = await world.reader()
  deepEqual((await fresh.owner.calls(changeAccountEmail, { body: { email: fresh.email } })).body, {
    status: 'already_pending',
    pendingEmail: null,
  })
})

test('errors have the H3 format; extra properties are allowed, invalid addresses are not', async (t) => {
  const world = await sharedWorld(t)
  const { owner } = await world.reader()
  const nothing = await owner.calls(resendAccountEmail, {})
  equal(nothing.status, 400)
  equal(nothing.body.data.code, 'no_pending_email')
  equal((await owner.calls(verifyAccountEmail, { body: { code: '123456' } })).body.data.code, 'no_pending_email')
  for (const email of ['x', `${'a'.repeat(320)}@example.com`, 'a@b@c.example', 'a b@example.com']) {
    const reply = await owner.calls(changeAccountEmail, { body: { email } })
    equal(reply.status, 422, email)
    equal(reply.body.errors[0].field, 'email')
  }
  equal(
    (await owner.sends(changeAccountEmail, { body: { email: 'extra@example.com', source: 'settings' } })).status,
    200,
  )
  await world.runJobs()
})

test('resending waits a minute, invalidates the last code, and says where it went', async (t) => {
  const world = await emptiedWorld(t)
  const { reader, mail } = await asked(world)
  const soon = await reader.owner.calls(resendAccountEmail, {})
  equal(soon.status, 429)
  ok(Number(soon.headers.get('retry-after')) > 0)
  await world.advance(61)
  deepEqual((await reader.owner.calls(resendAccountEmail, {})).body, {
    status: 'resent',
    pendingEmail: 'new@example.com',
  })
  const again = (await newest(world, 'new@example.com'))!
  if (again.code !== mail.code)
    equal((await reader.owner.calls(verifyAccountEmail, { body: { code: mail.code! } })).status, 401)
  equal((await reader.owner.calls(verifyAccountEmail, { body: { confirmationUrl: linkIn(mail.text) } })).status, 401)
  equal((await reader.owner.calls(verifyAccountEmail, { body: { code: again.code! } })).status, 200)
  await world.runJobs()
})

test('changing to and fro does not send an address a second mail within a minute', async (t) => {
  const world = await sharedWorld(t)
  const { reader } = await asked(world, 'to@example.com')
  const change = (email: string) => reader.owner.calls(changeAccountEmail, { body: { email } })
  equal((await change('fro@example.com')).status, 200)
  const soon = await change('to@example.com')
  deepEqual([soon.status, soon.body.data.code], [429, 'mail_cooldown'])
  await world.advance(61)
  equal((await change('to@example.com')).status, 200)
  await world.runJobs()
})

test('a wrong code is 401 invalid_verification; ten in an hour are followed by 429', async (t) => {
  const world = await emptiedWorld(t)
  const { reader, mail } = await asked(world)
  const wrong = mail.code === '000000' ? '000001' : '000000'
  const first = await reader.owner.calls(verifyAccountEmail, { body: { code: wrong } })
  equal(first.status, 401)
  equal(first.body.data.code, 'invalid_verification')
  for (let count = 0; count < 9; count += 1)
    equal((await reader.owner.calls(verifyAccountEmail, { body: { code: wrong } })).status, 401)
  equal((await reader.owner.calls(verifyAccountEmail, { body: { code: mail.code! } })).status, 429)
})

test('exactly one of code and confirmation URL', async (t) => {
  const world = await emptiedWorld(t)
  const { reader, mail } = await asked(world)
  for (const body of [
    {},
    { code: mail.code, confirmationUrl: linkIn(mail.text) },
    { code: '12345' },
    { code: mail.code, more: 1 },
  ]) {
    equal((await reader.owner.sends(verifyAccountEmail, { body })).status, 422, JSON.stringify(body))
  }
})

test('the confirmation link works once, for the account that asked', async (t) => {
  const world = await emptiedWorld(t)
  const { reader, mail } = await asked(world)
  const confirmationUrl = linkIn(mail.text)
  const eve = await world.reader()
  equal((await eve.owner.calls(verifyAccountEmail, { body: { confirmationUrl } })).status, 401)
  equal((await reader.owner.calls(verifyAccountEmail, { body: { confirmationUrl } })).status, 200)
  equal((await reader.owner.calls(verifyAccountEmail, { body: { confirmationUrl } })).status, 401)
  await world.runJobs()
})

test('a confirmation URL that is not exactly ours is refused without fetching anything', async (t) => {
  const world = await emptiedWorld(t)
  const { reader, mail } = await asked(world)
  const real = new URL(linkIn(mail.text))
  const token = real.searchParams.get('token')
  const urls = [
    `http://evil.test/auth/v1/verify?token=${token}&type=email_change`,
    `https://pennypost.test/auth/v1/verify?token=${token}&type=email_change`,
    `http://pennypost.test:81/auth/v1/verify?token=${token}&type=email_change`,
    `http://pennypost.test.evil.test/auth/v1/verify?token=${token}&type=email_change`,
    `http://pennypost.test@evil.test/auth/v1/verify?token=${token}&type=email_change`,
    `http://user@pennypost.test/auth/v1/verify?token=${token}&type=email_change`,
    `http://pennypost.test./auth/v1/verify?token=${token}&type=email_change`,
    `http://pennypost.test/auth/v1/verify/?token=${token}&type=email_change`,
    `http://pennypost.test/auth/v1/verify/../x?token=${token}&type=email_change`,
    `http://pennypost.test/auth/v1/verify?token=${token}&type=signup`,
    `http://pennypost.test/auth/v1/verify?token=${token}`,
    `http://pennypost.test/auth/v1/verify?token=${token}&type=email_change&redirect_to=http://evil.test`,
    `http://pennypost.test/auth/v1/verify?token=${token}&token=x&type=email_change`,
    `http://pennypost.test/auth/v1/verify?token=${token}&type=email_change#x`,
    'http://127.0.0.1/auth/v1/verify?token=x&type=email_change',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'not a url',
  ]
  const fetched = t.mock.method(globalThis, 'fetch')
  for (const confirmationUrl of urls) {
    const reply = await reader.owner.calls(verifyAccountEmail, { body: { confirmationUrl } })
    equal(reply.status, 422, confirmationUrl)
    equal(reply.body.data.code, 'untrusted_confirmation')
  }
  equal(fetched.mock.callCount(), 0)
  equal((await reader.owner.calls(verifyAccountEmail, { body: { confirmationUrl: real.href } })).status, 200)
  await world.runJobs()
})

test('opening the link changes nothing; the button on its page confirms, without a session', async (t) => {
  const world = await emptiedWorld(t)
  const { reader, mail } = await asked(world)
  const query = Object.fromEntries(new URL(linkIn(mail.text)).searchParams) as { token: string; type: 'email_change' }
  const person = world.stranger()
  const page = await person.calls(showEmailConfirmation, { query })
  equal(page.status, 200)
  match(new TextDecoder().decode(page.body), /<form method="post"/)
  equal((await reader.owner.calls(getAccountEmail, {})).body.status, 'pending')
  equal((await person.calls(confirmEmailByLink, { query: { ...query, token: 'x' } })).status, 401)
  // A browser posts a form without fields like this.
  const pressed = await world.server.inject({
    method: 'POST',
    url: `/auth/v1/verify?${new URLSearchParams(query)}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '0' },
  })
  equal(pressed.statusCode, 200)
  equal((await reader.owner.calls(getAccountEmail, {})).body.email, 'new@example.com')
  equal((await person.calls(confirmEmailByLink, { query })).status, 401)
  await world.runJobs()
})

test('the code expires after ten minutes, the link after an hour', async (t) => {
  const world = await emptiedWorld(t)
  const { reader, mail } = await asked(world)
  await world.advance(601)
  equal((await reader.owner.calls(verifyAccountEmail, { body: { code: mail.code! } })).status, 401)
  await world.advance(2_990)
  equal((await reader.owner.calls(verifyAccountEmail, { body: { confirmationUrl: linkIn(mail.text) } })).status, 200)
  const late = await asked(world, 'late@example.com')
  await world.advance(3_601)
  const query = Object.fromEntries(new URL(linkIn(late.mail.text)).searchParams) as {
    token: string
    type: 'email_change'
  }
  equal((await world.stranger().calls(confirmEmailByLink, { query })).status, 401)
  await world.runJobs()
})

test('only the owner of an address in use learns about it, not the account that asked', async (t) => {
  const world = await sharedWorld(t)
  const ada = await world.reader({ email: 'ada@example.com' })
  await world.advance(61)
  const { reply, mail } = await asked(world, 'ada@example.com')
  deepEqual(reply.body, { status: 'confirmation_sent', pendingEmail: 'ada@example.com' })
  equal(mail.code, null)
  ok(!/auth\/v1\/verify/.test(mail.text))
  equal(mail.to, ada.email)
})

test('when two accounts confirm one address, the second gets 409', async (t) => {
  const world = await sharedWorld(t)
  const first = await asked(world, 'both@example.com')
  const soon = await first.reader.owner.calls(resendAccountEmail, {})
  deepEqual([soon.status, soon.body.data.code], [429, 'mail_cooldown'])
  const second = await asked(world, 'both@example.com')
  equal((await first.reader.owner.calls(verifyAccountEmail, { body: { code: first.mail.code! } })).status, 200)
  const late = await second.reader.owner.calls(verifyAccountEmail, { body: { code: second.mail.code! } })
  equal(late.status, 409)
  equal(late.body.data.code, 'email_in_use')
  const query = Object.fromEntries(new URL(linkIn(second.mail.text)).searchParams) as {
    token: string
    type: 'email_change'
  }
  equal((await world.stranger().calls(confirmEmailByLink, { query })).status, 409)
  await world.runJobs()
})

test('changing the address turns email notifications off', async (t) => {
  const world = await emptiedWorld(t)
  const { reader, mail } = await asked(world)
  const isOn = async () =>
    (
      await world.services.pool.query(
        'SELECT email_notifications FROM notification_preferences WHERE account_id = $1',
        [reader.accountId],
      )
    ).rows[0].email_notifications
  equal(await isOn(), true)
  await reader.owner.calls(verifyAccountEmail, { body: { code: mail.code! } })
  equal(await isOn(), false)
  await world.runJobs()
})

test('a code proves the mailbox it was sent to and no other', async (t) => {
  const world = await sharedWorld(t)
  const { reader, mail } = await asked(world, 'mine@example.com')
  const victim = await world.reader({ email: 'victim@example.com' })
  for (const email of ['stranger@example.com', victim.email]) {
    await world.advance(61)
    equal((await reader.owner.calls(changeAccountEmail, { body: { email } })).status, 200)
    // Before and after the mail to the new address is sent.
    for (const when of ['before', 'after']) {
      equal(
        (await reader.owner.calls(verifyAccountEmail, { body: { code: mail.code! } })).status,
        401,
        `${email} ${when}`,
      )
      equal(
        (await reader.owner.calls(verifyAccountEmail, { body: { confirmationUrl: linkIn(mail.text) } })).status,
        401,
      )
      await world.runJobs()
    }
  }
  equal((await reader.owner.calls(getAccountEmail, {})).body.email, reader.email)
})

test('confirming and changing at the same time do not deadlock', async (t) => {
  const world = await sharedWorld(t)
  const statuses = new Set<number>()
  for (let round = 0; round < 5; round += 1) {
    const { reader, mail } = await asked(world, `round${round}@example.com`)
    const confirmationUrl = linkIn(mail.text)
    const replies = await Promise.all([
      reader.owner.calls(verifyAccountEmail, { body: { confirmationUrl } }),
      reader.owner.calls(changeAccountEmail, { body: { email: `other${round}@example.com` } }),
      reader.owner.calls(verifyAccountEmail, { body: { code: mail.code! } }),
      reader.owner.calls(changeAccountEmail, { body: { email: `third${round}@example.com` } }),
    ])
    for (const { status } of replies) statuses.add(status)
    await world.runJobs()
  }
  for (const status of statuses) ok([200, 400, 401].includes(status), String(status))
})

test('an account can request six changes an hour at most', async (t) => {
  const world = await sharedWorld(t)
  const { owner } = await world.reader()
  const ask = async (index: number) =>
    (await owner.calls(changeAccountEmail, { body: { email: `a${index}@example.com` } })).status
  for (let index = 0; index < 6; index += 1) equal(await ask(index), 200)
  equal(await ask(6), 429)
  await world.runJobs()
})

test('an address that is the only way to sign in cannot be removed', async (t) => {
  const world = await sharedWorld(t)
  const { reader } = await asked(world)
  const refused = await reader.owner.calls(removeAccountEmail, {})
  deepEqual([refused.status, refused.body.data.code], [409, 'last_login'])
  deepEqual((await reader.owner.calls(getAccountEmail, {})).body, {
    status: 'pending',
    email: reader.email,
    pendingEmail: 'new@example.com',
  })
  equal((await reader.owner.calls(getNotificationPreferences, {})).body.email_notifications, true)
})

test('removing the address also removes the pending change and turns email notifications off', async (t) => {
  const world = await emptiedWorld(t)
  const { reader, mail } = await asked(world)
  const { db, clock, pool } = world.services
  await pool.query(
    `INSERT INTO notification_deliveries (account_id, channel, kind, origin, title, body, url, address, created_at)
     VALUES ($1, 'email', 'account_issue', 'issue:1', 'x', '', '/', $2, now())`,
    [reader.accountId, reader.email],
  )
  await db.transaction().execute(async (tx) => {
    await lockAccount(tx, reader.accountId)
    await removeEmail(tx, reader.accountId, clock.now())
  })
  deepEqual((await reader.owner.calls(getAccountEmail, {})).body, { status: 'none', email: null, pendingEmail: null })
  equal((await reader.owner.calls(getNotificationPreferences, {})).body.email_notifications, false)
  const { rows } = await pool.query('SELECT state FROM notification_deliveries')
  deepEqual(rows, [{ state: 'cancelled' }])
  const late = await reader.owner.calls(verifyAccountEmail, { body: { code: mail.code! } })
  equal(late.body.data.code, 'no_pending_email')
})
