import { deepEqual, equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { claimAdmin } from '@pennypost/contract/admin-claim'
import { listAuditEntries } from '@pennypost/contract/audit-log'
import { getMe } from '@pennypost/contract/me'
import { findClaimToken } from '../accounts/admin-claim.ts'
import { administrator } from '../discussion/discussion.fixture.ts'
import type { Reader } from '../test/people.ts'
import { tampered } from '../test/tampered.ts'
import { createWorld } from '../test/world.ts'

const claims = (person: Reader, token: string) => person.owner.calls(claimAdmin, { body: { token } })

test('the printed token makes one account the first administrator, once', async (t) => {
  const world = await createWorld(t)
  const { db, secrets, pool } = world.services
  const token = (await findClaimToken(db, secrets))!
  match(token, /^svcac_[A-Za-z0-9_-]{54}$/)
  equal(await findClaimToken(db, secrets), token, 'every start prints the same token')
  const { rows } = await pool.query('SELECT to_jsonb(admin_claim)::text AS text FROM admin_claim')
  equal(rows[0].text.includes(token.slice(30)), false)

  const [ada, eve] = [await world.reader(), await world.reader()]
  equal((await world.stranger().calls(claimAdmin, { body: { token } })).status, 401)
  const guess = tampered(token)
  for (const wrong of ['', 'x', guess, `svcac_${'A'.repeat(54)}`]) {
    const reply = await claims(eve, wrong)
    deepEqual([reply.status, reply.body.code], [403, 'invalid-claim-token'])
  }
  deepEqual((await claims(ada, token)).body, { isAdmin: true })
  equal((await ada.owner.calls(getMe, {})).body.authority.isAdmin, true)
  const late = await claims(eve, token)
  deepEqual([late.status, late.body.code], [409, 'admin-exists'])
  equal(await findClaimToken(db, secrets), undefined)
  const { entries } = (await ada.owner.calls(listAuditEntries, {})).body
  deepEqual([entries[0].act, entries[0].actor.id, entries[0].targetId], ['admin.claim', ada.accountId, ada.accountId])

  // It stays used, even if the administrator is removed in the database.
  await pool.query('UPDATE accounts SET is_admin = false')
  equal((await claims(eve, token)).status, 409)
  equal(await findClaimToken(db, secrets), undefined)
})

test('of parallel claims one wins', async (t) => {
  const world = await createWorld(t)
  const token = (await findClaimToken(world.services.db, world.services.secrets))!
  const people = await Promise.all(Array.from({ length: 6 }, () => world.reader()))
  const statuses = await Promise.all(people.map(async (person) => (await claims(person, token)).status))
  deepEqual(statuses.sort(), [200, 409, 409, 409, 409, 409])
})

test('a site that has an administrator prints no token and accepts none', async (t) => {
  const world = await createWorld(t)
  const { db, secrets } = world.services
  const token = (await findClaimToken(db, secrets))!
  await administrator(world)
  equal(await findClaimToken(db, secrets), undefined)
  equal((await claims(await world.reader(), token)).body.code, 'admin-exists')
})
