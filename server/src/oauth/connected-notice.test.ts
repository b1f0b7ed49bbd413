import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { oauthWorld, Program } from './oauth.fixture.ts'
import { maxNoticesPerDay } from './send-connected-notice.job.ts'

test('the owner gets an email when a program is connected: what it is, what it can do, where to disconnect it', async (t) => {
  const world = await oauthWorld(t)
  const [program, reader] = [await Program.registered(world, { client_name: 'Desk\u202e robot' }), await world.reader()]
  const code = await program.code(reader)
  await world.runJobs()
  equal((await world.mailTo(reader.email)).length, 0)
  const { body: tokens } = await program.exchanges(code)
  await program.refreshes(tokens.refresh_token)
  await world.runJobs()
  const emails = await world.mailTo(reader.email)
  equal(emails.length, 1)
  const { subject, text } = emails[0]!
  match(subject, /^A program was connected to your .+ account$/)
  for (const words of ['A program on a device', `@${reader.handle}`, '“Desk robot”', 'Read what you can read'])
    ok(text.includes(words), words)
  ok(text.includes(`${world.origin}/settings/programs`))
  equal(text.includes('Write and publish'), false)
})

test('an account without an email address finds it among its notifications', async (t) => {
  const world = await oauthWorld(t)
  const [program, reader] = [await Program.registered(world), await world.reader()]
  await world.services.pool.query('UPDATE accounts SET email = NULL, email_confirmed_at = NULL WHERE id = $1', [
    reader.accountId,
  ])
  await program.connects(reader)
  await world.runJobs()
  const { rows } = await world.services.pool.query('SELECT title, url FROM notifications WHERE account_id = $1', [
    reader.accountId,
  ])
  match(rows[0].title, /^A program was connected/)
  deepEqual([rows.length, rows[0].url], [1, '/settings/programs'])
})

test('a day has a limited number of these emails', async (t) => {
  const world = await oauthWorld(t)
  const [program, reader] = [await Program.registered(world), await world.reader()]
  for (let programs = 0; programs < maxNoticesPerDay + 2; programs += 1) await program.connects(reader)
  await world.runJobs()
  equal((await world.mailTo(reader.email)).length, maxNoticesPerDay)
})
