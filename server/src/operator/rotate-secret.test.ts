import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFile, stat, utimes } from 'node:fs/promises'
import { test } from 'node:test'
import { giftToken } from '../access/gift-token.ts'
import { readConfig } from '../config.ts'
import { openListener } from '../platform/database/listener.ts'
import { createLog } from '../platform/log.ts'
import { vapidKeys } from '../platform/push/vapid-keys.ts'
import { fingerprintOf, type Secrets, verifySecrets } from '../platform/secrets.ts'
import { signText, verifySignedText } from '../platform/signed-text.ts'
import { cloneTestDatabase } from '../test/test-database.ts'
import { createWorld } from '../test/world.ts'
import { webhookSecret } from '../webhooks/webhook-secret.ts'
import { CommandRefused } from './command-refused.ts'
import { connectToDatabase } from './find-running-database.ts'
import { removeOlderSecrets, rotateServiceSecret } from './rotate-secret.ts'
import { ringFor } from './secret-ring.fixture.ts'
import { listSecrets } from './secrets.ts'

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
  const advice = async () => {
    const { secrets } = await listSecrets(readConfig({ DATA_DIR: config.dataDir }), {}, undefined)
    return secrets.find(({ name }) => name === 'service-secret')!.rotation
  }
  match(await advice(), /^pennypost secrets rotate, restart/)
  equal(await rotateServiceSecret(config, now, undefined), 'prepared')
  match(await advice(), /^the next key is there but does not sign yet/)
  const prepared = await opens()
  equal(signText(prepared, 'page', 'two'), signed)
  equal(await rotateServiceSecret(config, now, undefined), 'changed')
  match(await advice(), /^pennypost secrets rotate, restart/)
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
  await rotateServiceSecret(config, now, undefined)
  await rotateServiceSecret(config, now, undefined)
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
  await rotateServiceSecret(config, new Date(), undefined)
  const prepared = await opens()
  for (const secrets of [before, prepared, before]) await verifySecrets(db, secrets)
  await rotateServiceSecret(config, new Date(), undefined)
  const changed = await opens()
  await verifySecrets(db, changed)
  await rejects(verifySecrets(db, before), /lacks the newest key/)
  // It knows the key, and does not go back to the one before.
  await verifySecrets(db, prepared)
  await verifySecrets(db, changed)
  await rejects(verifySecrets(db, before), /lacks the newest key/)
})

test('the new key does not sign while a process runs that was started before it was added', async (t) => {
  const { path, config, opens } = await ringFor(t)
  const { url, drop } = await cloneTestDatabase()
  const client = await connectToDatabase(url)
  const closers: (() => Promise<void>)[] = [drop, () => client.end()]
  t.after(async () => {
    for (const close of closers.reverse()) await close()
  })
  /** Connects as a process does when it starts. */
  const starts = async (applicationName = 'pennypost listener web 1') => {
    const listener = openListener(url, createLog('silent'), { applicationName })
    closers.push(() => listener.close())
    await listener.connected()
    const { rows } = await client.query<{ pid: number; since: Date }>(
      `SELECT pid, backend_start AS since FROM pg_stat_activity
       WHERE datname = current_database() AND application_name LIKE 'pennypost listener%' ORDER BY backend_start DESC`,
    )
    // The session may be there for a moment after it was closed.
    const stop = () =>
      listener.close().then(() => client.query('SELECT pg_terminate_backend($1, 10000)', [rows[0]!.pid]))
    return { stop, since: rows[0]!.since }
  }
  const rotates = (as = '') => rotateServiceSecret(config, new Date(), `${url}${as}`)
  const refuses = (message: RegExp, as?: string) =>
    rejects(rotates(as), (error: CommandRefused) => {
      ok(error instanceof CommandRefused)
      match(error.message, message)
      match(error.hints.join(), /restart every process.* run this again/)
      return true
    })
  // The signer does not have this secret.
  await starts('pennypost listener signer 1')
  const old = [await starts(), await starts()]
  equal(await rotates(), 'prepared')
  const prepared = await opens()
  const restarted = await starts()
  await utimes(path, restarted.since, restarted.since)
  const [first, second] = old.map(
    ({ since }) => `at (127.0.0.1|the machine of the database) since ${since.toISOString()}`,
  )
  await refuses(new RegExp(`^2 processes have not been restarted since the new key .*: ${first}, ${second}\\.$`))
  await old[0]!.stop()
  await refuses(new RegExp(`^1 process has not been restarted since the new key .*: ${second}\\.$`))
  // To another role PostgreSQL does not show since when a process runs.
  const role = `plain_${randomUUID().replaceAll('-', '')}`
  await client.query(`CREATE ROLE ${role}`)
  closers.push(() => client.query(`DROP ROLE ${role}`).then(() => {}))
  await refuses(
    /: one of another role, whose start is hidden/,
    `${url.includes('?') ? '&' : '?'}options=-c%20role%3D${role}`,
  )
  // Nothing was changed.
  equal(signText(await opens(), 'page', 'two'), signText(prepared, 'page', 'two'))
  await old[1]!.stop()
  equal(await rotates(), 'changed')
  // Another rotation begins: its first step needs no restart.
  equal(await rotates(), 'prepared')
})
