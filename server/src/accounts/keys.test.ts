import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { issueKey, listKeys, revokeKey, rotateKey } from '@pennypost/contract/keys'
import { getMe } from '@pennypost/contract/me'
import { refreshSession } from '@pennypost/contract/sessions'
import fc from 'fast-check'
import { nextAddress, Person } from '../test/person.ts'
import { sharedWorld } from '../test/world.ts'
import { parseKey, writeKey } from './publishing-key.ts'

const day = 86_400_000

const issue = (person: Person, body: object = {}, idempotencyKey?: string) =>
  person.calls(issueKey, { body, ...(idempotencyKey !== undefined && { idempotencyKey }) })

const works = async (person: Person, key: string) =>
  (await new Person(person.world, nextAddress(), key).calls(getMe, {})).status === 200

test('a key is shown once, works for 90 days, and is listed without its secret', async (t) => {
  const world = await sharedWorld(t)
  const { owner } = await world.reader()
  const issued = await issue(owner, { label: ' laptop ' })
  equal(issued.status, 200)
  equal(issued.body.apiKey.label, 'laptop')
  const life = Date.parse(issued.body.apiKey.expiresAt) - Date.parse(issued.body.apiKey.createdAt)
  equal(life, 90 * day)
  const { body } = await owner.calls(listKeys, {})
  deepEqual(body.keys, [issued.body.apiKey])
  ok(await works(owner, issued.body.key))
  await world.advance(90 * 86_400 + 1)
  equal(await works(owner, issued.body.key), false)
})

test('the list says when a key was last used, to within ten minutes', async (t) => {
  const world = await sharedWorld(t)
  const { owner, publisher, keyId } = await world.creator()
  const lastUse = async () => (await owner.calls(listKeys, {})).body.keys[0].lastUsedAt
  equal(await lastUse(), null)
  equal((await publisher.calls(getMe, {})).status, 200)
  const first = await lastUse()
  notEqual(first, null)
  await world.advance(9 * 60)
  await publisher.calls(getMe, {})
  equal(await lastUse(), first)
  await world.advance(2 * 60)
  const later = world.services.clock.now()
  await publisher.calls(getMe, {})
  ok(new Date(await lastUse()) >= later)
  // A wrong secret is no use of the key.
  await world.advance(1800)
  const used = await lastUse()
  equal(await works(owner, writeKey(keyId, Buffer.alloc(32))), false)
  equal(await lastUse(), used)
  const revoked = await owner.calls(revokeKey, { params: { keyId } })
  deepEqual(Object.keys(revoked.body).sort(), ['createdAt', 'expiresAt', 'id', 'keyId', 'label', 'revokedAt', 'scope'])
})

test('an expiry can be chosen, or none; one in the past cannot', async (t) => {
  const world = await sharedWorld(t)
  const { owner } = await world.reader()
  const soon = new Date(world.services.clock.now().getTime() + 60_000).toISOString()
  equal((await issue(owner, { expiresAt: soon })).body.apiKey.expiresAt, soon)
  equal((await issue(owner, { expiresAt: null })).body.apiKey.expiresAt, null)
  const past = await issue(owner, { expiresAt: '2020-01-01T00:00:00Z' })
  equal(past.status, 422)
  equal(past.body.errors[0].field, 'expiresAt')
  for (const body of [{ label: '' }, { label: 'x'.repeat(65) }, { expiresAt: 'tomorrow' }, { scope: 'admin' }]) {
    equal((await owner.sends(issueKey, { body })).status, 422, JSON.stringify(body))
  }
})

test('the same Idempotency-Key replays the same key for a day; different input is 409', async (t) => {
  const world = await sharedWorld(t)
  const { owner, pair } = await world.reader()
  const first = await issue(owner, { label: 'a' }, 'once')
  const again = await issue(owner, { label: 'a' }, 'once')
  deepEqual(again.body, first.body)
  equal(again.headers.get('x-idempotency-replay'), 'true')
  const changed = await issue(owner, { label: 'b' }, 'once')
  equal(changed.status, 409)
  equal(changed.body.code, 'idempotency-conflict')
  equal((await owner.calls(listKeys, {})).body.keys.length, 1)
  // An Idempotency-Key belongs to one account.
  const other = await world.reader()
  notEqual((await issue(other.owner, { label: 'a' }, 'once')).body.key, first.body.key)
  await world.advance(86_401)
  const signedIn = await owner.calls(refreshSession, { body: { refreshToken: pair.refreshToken } })
  owner.token = signedIn.body.accessToken
  notEqual((await issue(owner, { label: 'a' }, 'once')).body.key, first.body.key)
})

test('fifty parallel requests with one Idempotency-Key issue one key', async (t) => {
  const world = await sharedWorld(t)
  const { owner } = await world.reader()
  const replies = await Promise.all(Array.from({ length: 50 }, () => issue(owner, {}, 'once')))
  equal(new Set(replies.map(({ body }) => body.key)).size, 1)
  equal((await owner.calls(listKeys, {})).body.keys.length, 1)
})

test('thirty parallel requests at the limit never issue a sixth key', async (t) => {
  const world = await sharedWorld(t)
  const { owner } = await world.reader()
  const replies = await Promise.all(Array.from({ length: 30 }, () => issue(owner)))
  equal(replies.filter(({ status }) => status === 200).length, 5)
  const refused = replies.find(({ status }) => status !== 200)!
  equal(refused.status, 409)
  equal(refused.body.code, 'active-key-limit')
})

test('expired and revoked keys make room', async (t) => {
  const world = await sharedWorld(t)
  const { owner } = await world.reader()
  const soon = new Date(world.services.clock.now().getTime() + 60_000).toISOString()
  await issue(owner, { expiresAt: soon })
  for (let count = 0; count < 4; count += 1) await issue(owner)
  equal((await issue(owner)).status, 409)
  await world.advance(61)
  const fifth = await issue(owner)
  equal(fifth.status, 200)
  equal((await issue(owner)).status, 409)
  await owner.calls(revokeKey, { params: { keyId: fifth.body.apiKey.id } })
  equal((await issue(owner)).status, 200)
})

test('a revoked key grants nothing from that moment; revoking twice is the same', async (t) => {
  const world = await sharedWorld(t)
  const { owner } = await world.reader()
  const { body } = await issue(owner)
  ok(await works(owner, body.key))
  const revoked = await owner.calls(revokeKey, { params: { keyId: body.apiKey.keyId } })
  equal(revoked.status, 200)
  deepEqual(Object.keys(revoked.body).sort(), ['createdAt', 'expiresAt', 'id', 'keyId', 'label', 'revokedAt', 'scope'])
  equal(await works(owner, body.key), false)
  await world.advance(10)
  deepEqual((await owner.calls(revokeKey, { params: { keyId: body.apiKey.id } })).body, revoked.body)
})

test('rotation ends the old key as it issues the new one, also at the limit, and keeps the label', async (t) => {
  const world = await sharedWorld(t)
  const { owner } = await world.reader()
  const first = await issue(owner, { label: 'ci' })
  for (let count = 0; count < 4; count += 1) await issue(owner)
  const rotated = await owner.calls(rotateKey, { params: { keyId: first.body.apiKey.id }, body: {} })
  equal(rotated.status, 200)
  equal(rotated.body.apiKey.label, 'ci')
  notEqual(rotated.body.apiKey.id, first.body.apiKey.id)
  equal(await works(owner, first.body.key), false)
  ok(await works(owner, rotated.body.key))
  equal((await owner.calls(rotateKey, { params: { keyId: first.body.apiKey.id }, body: {} })).status, 409)
  const relabelled = await owner.calls(rotateKey, {
    params: { keyId: rotated.body.apiKey.keyId },
    body: { label: null, expiresAt: null },
  })
  equal(relabelled.body.apiKey.label, null)
  equal(relabelled.body.apiKey.expiresAt, null)
})

test('twenty parallel rotations of one key issue one new key', async (t) => {
  const world = await sharedWorld(t)
  const { owner } = await world.reader()
  const { body } = await issue(owner)
  const replies = await Promise.all(
    Array.from({ length: 20 }, () => owner.calls(rotateKey, { params: { keyId: body.apiKey.id }, body: {} })),
  )
  equal(replies.filter(({ status }) => status === 200).length, 1)
  equal(replies.filter(({ status }) => status === 409).length, 19)
})

test('a rotation that is refused leaves the old key working', async (t) => {
  const world = await sharedWorld(t)
  const { owner } = await world.reader()
  const { body } = await issue(owner)
  equal(
    (await owner.calls(rotateKey, { params: { keyId: body.apiKey.id }, body: { expiresAt: '2020-01-01T00:00:00Z' } }))
      .status,
    422,
  )
  ok(await works(owner, body.key))
})

test("someone else's key looks like one that does not exist", async (t) => {
  const world = await sharedWorld(t)
  const [ada, eve] = [await world.reader(), await world.reader()]
  const { body } = await issue(ada.owner)
  for (const endpoint of [revokeKey, rotateKey]) {
    const foreign = await eve.owner.calls(endpoint, { params: { keyId: body.apiKey.id } })
    const missing = await eve.owner.calls(endpoint, { params: { keyId: randomUUID() } })
    const malformed = await eve.owner.calls(endpoint, { params: { keyId: "x'y" } })
    equal(foreign.status, 404)
    for (const reply of [missing, malformed])
      deepEqual({ ...reply.body, requestId: 0 }, { ...foreign.body, requestId: 0 })
  }
  ok(await works(ada.owner, body.key))
})

test('the list holds keys that ended in the last 90 days, and no older ones', async (t) => {
  const world = await sharedWorld(t)
  const reader = await world.reader()
  const soon = new Date(world.services.clock.now().getTime() + 60_000).toISOString()
  await issue(reader.owner, { expiresAt: soon, label: 'expired' })
  const revoked = await issue(reader.owner, { label: 'revoked', expiresAt: null })
  await reader.owner.calls(revokeKey, { params: { keyId: revoked.body.apiKey.id } })
  await issue(reader.owner, { label: 'living', expiresAt: null })
  const labels = async () =>
    (await reader.owner.calls(listKeys, {})).body.keys.map(({ label }: { label: string }) => label).sort()
  await world.advance(89 * 86_400)
  const renewed = await reader.owner.calls(refreshSession, { body: { refreshToken: reader.pair.refreshToken } })
  reader.owner.token = renewed.body.accessToken
  deepEqual(await labels(), ['expired', 'living', 'revoked'])
  await world.advance(2 * 86_400)
  reader.owner.token = (
    await reader.owner.calls(refreshSession, { body: { refreshToken: renewed.body.refreshToken } })
  ).body.accessToken
  deepEqual(await labels(), ['living'])
})

test('a mistyped key is recognized without the database', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 32, maxLength: 32 }),
      fc.integer({ min: 6, max: 67 }),
      fc.integer({ min: 1, max: 61 }),
      (bytes, at, shift) => {
        const key = writeKey('abcdefghij27', Buffer.from(bytes))
        match(key, /^svcpk_[a-z2-7]{12}_[0-9A-Za-z]{49}$/)
        equal(parseKey(key)?.keyId, 'abcdefghij27')
        const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
        const changed = letters[(letters.indexOf(key[at]!) + shift) % 62]!
        if (key[at] !== '_' && changed !== key[at])
          equal(parseKey(key.slice(0, at) + changed + key.slice(at + 1)), undefined)
      },
    ),
  )
  for (const text of ['', 'svcpk_', 'svcpk_abcdefghij27_x', `${writeKey('abcdefghij27', Buffer.alloc(32))}0`])
    equal(parseKey(text), undefined)
})

test('the last use of a key is recorded without a write for each request', async (t) => {
  const world = await sharedWorld(t)
  const { publisher, keyId } = await world.creator()
  const lastUsed = async () =>
    (await world.services.pool.query('SELECT last_used_at, xmin FROM publishing_keys WHERE key_id = $1', [keyId]))
      .rows[0]
  await publisher.calls(getMe, {})
  const first = await lastUsed()
  ok(first.last_used_at)
  for (let count = 0; count < 20; count += 1) await publisher.calls(getMe, {})
  deepEqual(await lastUsed(), first)
  await world.advance(601)
  await publisher.calls(getMe, {})
  ok((await lastUsed()).last_used_at > first.last_used_at)
})
