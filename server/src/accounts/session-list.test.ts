import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { getMe } from '@pennypost/contract/me'
import { listSessions, logIn, refreshSession, revokeOtherSessions, verifyLogin } from '@pennypost/contract/sessions'
import { Person } from '../test/person.ts'
import { sharedWorld, type World } from '../test/world.ts'

/** Signs in by email on a device that says this about itself. */
async function signsInOn(world: World, email: string, userAgent: string): Promise<Person & { refreshToken: string }> {
  await world.advance(61)
  const person = world.stranger()
  await person.calls(logIn, { body: { email } })
  await world.runJobs()
  const reply = await world.server.inject({
    method: verifyLogin.method,
    url: verifyLogin.path,
    remoteAddress: person.address,
    headers: { 'user-agent': userAgent },
    payload: { email, code: (await world.mailTo(email))[0]!.code! },
  })
  equal(reply.statusCode, 200)
  const { accessToken, refreshToken } = reply.json()
  return Object.assign(new Person(world, person.address, accessToken), { refreshToken })
}

interface Listed {
  readonly device: string
  readonly isCurrent: boolean
  readonly lastUsedAt: string
  readonly renewedAt: string
}

const sessionsOf = async (person: Person): Promise<Listed[]> => (await person.calls(listSessions, {})).body.sessions

test('sessions are listed with the device they were started on, and which one this is', async (t) => {
  const world = await sharedWorld(t)
  const { email, owner } = await world.reader()
  const laptop = await signsInOn(world, email, 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0')
  await signsInOn(world, email, 'curl/8.14.1')
  await signsInOn(world, email, `<img src=x onerror=alert(1)>${'x'.repeat(3000)}`)
  const devices = (await sessionsOf(laptop)).map(({ device, isCurrent }) => [device, isCurrent])
  deepEqual(devices, [
    ['Unknown device', false],
    ['curl', false],
    ['Firefox on Linux', true],
    ['Unknown device', false],
  ])
  // Of a session from before there were names.
  await world.services.pool.query('UPDATE sessions SET device = NULL, last_used_at = NULL')
  deepEqual(
    (await sessionsOf(owner)).map(({ device }) => device),
    Array(4).fill('Unknown device'),
  )
})

test('the last use is known to within ten minutes, without a write for every request', async (t) => {
  const world = await sharedWorld(t)
  const { owner } = await world.reader()
  const lastUse = async () => {
    const [session] = await sessionsOf(owner)
    return Date.parse(session!.lastUsedAt)
  }
  const started = await lastUse()
  await world.advance(9 * 60)
  equal(await lastUse(), started)
  await world.advance(2 * 60)
  const later = world.services.clock.now().getTime()
  equal((await owner.calls(getMe, {})).status, 200)
  ok((await lastUse()) >= later)
})

test('ending all other sessions ends only those of this account, and keeps this one', async (t) => {
  const world = await sharedWorld(t)
  const reader = await world.reader()
  const other = await world.creator()
  const phone = await signsInOn(world, reader.email, 'curl/8')
  deepEqual((await phone.calls(revokeOtherSessions, {})).body, { revoked: 1 })
  equal((await reader.owner.calls(getMe, {})).status, 401)
  const { refreshToken } = reader.pair
  equal((await world.stranger().calls(refreshSession, { body: { refreshToken } })).status, 401)
  equal((await phone.calls(getMe, {})).status, 200)
  equal((await other.owner.calls(getMe, {})).status, 200)
  equal((await other.publisher.calls(getMe, {})).status, 200)
  deepEqual((await phone.calls(revokeOtherSessions, {})).body, { revoked: 0 })
})

test('publishing keys go on when all other sessions end', async (t) => {
  const world = await sharedWorld(t)
  const { owner, publisher } = await world.creator()
  await owner.calls(revokeOtherSessions, {})
  equal((await publisher.calls(getMe, {})).status, 200)
})
