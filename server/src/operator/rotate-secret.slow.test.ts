import { equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { issueKey } from '@pennypost/contract/keys'
import { getMe } from '@pennypost/contract/me'
import { refreshSession } from '@pennypost/contract/sessions'
import { openListener } from '../platform/database/listener.ts'
import { createLog } from '../platform/log.ts'
import type { Secrets } from '../platform/secrets.ts'
import { cloneTestDatabase } from '../test/test-database.ts'
import { createWorld, type World } from '../test/world.ts'
import { runPennypost } from './pennypost.fixture.ts'
import { rotateServiceSecret } from './rotate-secret.ts'
import { ringFor } from './secret-ring.fixture.ts'

test('rotating the service secret ends no session, also while processes restart one after the other', async (t) => {
  const { config, opens } = await ringFor(t)
  const now = new Date()
  const [before, prepared, changed] = [
    await opens(),
    await rotateServiceSecret(config, now, undefined).then(opens),
    await rotateServiceSecret(config, now, undefined).then(opens),
  ]
  const first = await createWorld(t, { services: { secrets: before } })
  const { databaseUrl } = first
  const worldOf = (secrets: Secrets) =>
    createWorld(t, { databaseUrl, services: { secrets, addressRun: first.services.addressRun } })
  const [second, third] = [await worldOf(prepared), await worldOf(changed)]
  const reader = await first.reader()
  const creator = await first.creator()
  const isIn = async (world: World, token: string) => {
    const person = world.stranger()
    person.token = token
    return (await person.calls(getMe, {})).status === 200
  }
  for (const world of [first, second, third]) ok(await isIn(world, reader.owner.token!))
  const issues = { body: { label: 'one' }, idempotencyKey: 'the-same-key-again' }
  const issued = await creator.owner.calls(issueKey, issues)
  equal(issued.status, 200)
  // A process with the new key refreshes; one that has only been prepared knows the new tokens.
  const refreshed = await third.stranger().calls(refreshSession, { body: { refreshToken: reader.pair.refreshToken } })
  equal(refreshed.status, 200)
  ok(await isIn(second, refreshed.body.accessToken))
  const again = await second.stranger().calls(refreshSession, { body: { refreshToken: refreshed.body.refreshToken } })
  equal(again.status, 200)
  ok(await isIn(third, again.body.accessToken))
  const replayer = third.stranger()
  replayer.token = creator.owner.token
  equal((await replayer.calls(issueKey, issues)).body.key, issued.body.key)
})

test('the command asks the database whether every process was restarted; without one that runs, none is', async (t) => {
  const { url, drop } = await cloneTestDatabase()
  const listener = openListener(url, createLog('silent'), { applicationName: 'pennypost listener web 1' })
  t.after(async () => {
    await listener.close()
    await drop()
  })
  await listener.connected()
  const external = (await ringFor(t)).config.dataDir
  const rotates = (settings: Record<string, string>) => runPennypost(settings, 'secrets', 'rotate')
  equal((await rotates({ DATA_DIR: external, DATABASE_URL: url })).code, 0)
  const refused = await rotates({ DATA_DIR: external, DATABASE_URL: url })
  ok(refused.code !== 0)
  match(refused.stderr, /1 process has not been restarted(.|\n)*restart every process/)
  const embedded = (await ringFor(t)).config.dataDir
  for (let step = 0; step < 2; step += 1) equal((await rotates({ DATA_DIR: embedded })).code, 0)
})
