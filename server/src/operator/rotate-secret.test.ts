import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { readFile, stat } from 'node:fs/promises'
import { test } from 'node:test'
import { giftToken } from '../access/gift-token.ts'
import { vapidKeys } from '../platform/push/vapid-keys.ts'
import { fingerprintOf, type Secrets, verifySecrets } from '../platform/secrets.ts'
import { signText, verifySignedText } from '../platform/signed-text.ts'
import { createWorld } from '../test/world.ts'
import { webhookSecret } from '../webhooks/webhook-secret.ts'
import { removeOlderSecrets, rotateServiceSecret } from './rotate-secret.ts'
import { ringFor } from './secret-ring.fixture.ts'

const dayMs = 86_400_000

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
