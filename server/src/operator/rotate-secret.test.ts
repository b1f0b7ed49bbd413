import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { issueKey } from '@pennypost/contract/keys'
import { getMe } from '@pennypost/contract/me'
import { refreshSession } from '@pennypost/contract/sessions'
import { giftToken } from '../access/gift-token.ts'
import { vapidKeys } from '../platform/push/vapid-keys.ts'
import { fingerprintOf, openSecrets, type Secrets, verifySecrets } from '../platform/secrets.ts'
import { signText, verifySignedText } from '../platform/signed-text.ts'
import { createWorld, type World } from '../test/world.ts'
import { webhookSecret } from '../webhooks/webhook-secret.ts'
import { removeOlderSecrets, rotateServiceSecret } from './rotate-secret.ts'

const dayMs = 86_400_000

async function ringFor(t: TestContext) {
  const dataDir = await mkdtemp(join(tmpdir(), 'pennypost-ring-'))
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const path = join(dataDir, 'service-secret')
  await writeFile(path, randomBytes(32).toString('hex'), { mode: 0o600 })
  return { path, config: { dataDir, role: 'all' } as const, opens: () => openSecrets(dataDir) }
}

test('rotating the service secret ends no session, also while processes restart one after the other', async (t) => {
  const { config, opens } = await ringFor(t)
  const now = new Date()
  const [before, prepared, changed] = [
    await opens(),
    await rotateServiceSecret(config, now).then(opens),
    await rotateServiceSecret(config, now).then(opens),
  ]
  const first = await createWorld(t, { services: { secrets: before } })
  const databaseUrl = first.services.pool.options.connectionString!
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

test('older keys verify until they are removed; what others hold stays the same', async (t) => {
  const { path, config, opens } = await ringFor(t)
  const now = new Date()
  const before = await opens()
  const webhook = { id: 'a', secret_version: 1 }
  const lasting = (secrets: Secrets) => [
    fingerprintOf(secrets),
    webhookSecret(secrets, webhook),
    vapidKeys(secrets).publicKey,
    giftToken.of(secrets, '00000000-0000-4000-8000-000000000000'),
  ]
  const signed = signText(before, 'page', 'two')
  equal(await rotateServiceSecret(config, now), 'prepared')
  const prepared = await opens()
  equal(signText(prepared, 'page', 'two'), signed)
  equal(await rotateServiceSecret(config, now), 'changed')
  const changed = await opens()
  const newer = signText(changed, 'page', 'two')
  ok(newer !== signed)
  for (const secrets of [prepared, changed])
    deepEqual(
      [signed, newer].map((text) => verifySignedText(secrets, 'page', text)),
      ['two', 'two'],
    )
  equal(verifySignedText(before, 'page', newer), undefined)
  await rejects(removeOlderSecrets(config, new Date(now.getTime() + 90 * dayMs), false), /may be in use until/)
  equal(await removeOlderSecrets(config, new Date(now.getTime() + 92 * dayMs), false), 1)
  const removed = await opens()
  equal(verifySignedText(removed, 'page', signed), undefined)
  equal(verifySignedText(removed, 'page', newer), 'two')
  equal(await removeOlderSecrets(config, now, true), 0)
  // Once more, at once, as after a theft.
  await rotateServiceSecret(config, now)
  await rotateServiceSecret(config, now)
  equal(await removeOlderSecrets(config, now, true), 1)
  for (const secrets of [prepared, changed, removed, await opens()]) deepEqual(lasting(secrets), lasting(before))
  equal((await stat(path)).mode & 0o777, 0o600)
  const [line] = (await readFile(path, 'utf8')).split('\n')
  match(line!, /^[0-9a-f]{64}$/)
})

test('a process that lacks the newest key does not start', async (t) => {
  const { config, opens } = await ringFor(t)
  const { db } = (await createWorld(t)).services
  const before = await opens()
  await rotateServiceSecret(config, new Date())
  const prepared = await opens()
  for (const secrets of [before, prepared, before]) await verifySecrets(db, secrets)
  await rotateServiceSecret(config, new Date())
  const changed = await opens()
  await verifySecrets(db, changed)
  await rejects(verifySecrets(db, before), /lacks the newest key/)
  // It knows the key, and does not go back to the one before.
  await verifySecrets(db, prepared)
  await verifySecrets(db, changed)
  await rejects(verifySecrets(db, before), /lacks the newest key/)
})
