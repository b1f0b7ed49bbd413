import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import {
  clearBasePayoutAddress,
  clearPayoutAddress,
  getBasePayoutAddress,
  getPayoutAddress,
  saveBasePayoutAddress,
  savePayoutAddress,
} from '@pennypost/contract/profiles'
import { nanoAddress } from '@pennypost/nano/address'
import type { Person } from '../test/person.ts'
import { createWorld, sharedWorld } from '../test/world.ts'

const none = { payoutAddress: null, addressUpdatedAt: null, revision: null }
const genesis = 'nano_3t6k35gi95xu6tergt6p69ck76ogmitsa8mnijtpxm9fkcm736xtoncuohr3'
const other = nanoAddress(new Uint8Array(32).fill(7))

const rails = [
  {
    rail: 'Nano',
    get: getPayoutAddress,
    save: savePayoutAddress,
    clear: clearPayoutAddress,
    addresses: [genesis, other],
  },
  {
    rail: 'Base',
    get: getBasePayoutAddress,
    save: saveBasePayoutAddress,
    clear: clearBasePayoutAddress,
    addresses: ['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359'],
  },
] as const
type Rail = (typeof rails)[number]

const read = async ({ get }: Rail, person: Person) => (await person.calls(get, {})).body
const save = ({ save: endpoint }: Rail, person: Person, payoutAddress: unknown) =>
  person.sends(endpoint, { body: { payoutAddress } })

async function refused(rail: Rail, person: Person, payoutAddress: unknown, code?: string): Promise<void> {
  const before = await read(rail, person)
  const { status, body } = await save(rail, person, payoutAddress)
  equal(status, 422, JSON.stringify(payoutAddress))
  equal(body.errors[0].field, 'payoutAddress')
  if (code !== undefined) equal(body.errors[0].code, code, JSON.stringify(payoutAddress))
  deepEqual(await read(rail, person), before)
}

for (const rail of rails) {
  const [first, second] = rail.addresses

  test(`${rail.rail}: none, saved, read back, cleared`, async (t) => {
    const world = await sharedWorld(t)
    const { owner } = await world.creator()
    deepEqual(await read(rail, owner), none)
    const saved = await save(rail, owner, first)
    equal(saved.status, 200)
    equal(saved.body.payoutAddress, first)
    ok(Date.parse(saved.body.addressUpdatedAt))
    equal(saved.body.revision, saved.body.addressUpdatedAt)
    deepEqual(await read(rail, owner), saved.body)
    for (let time = 0; time < 2; time += 1) {
      const cleared = await owner.calls(rail.clear, {})
      deepEqual([cleared.status, cleared.body], [200, none])
      deepEqual(await read(rail, owner), none)
    }
  })

  test(`${rail.rail}: the same address again changes nothing, another one moves the revision on`, async (t) => {
    const world = await sharedWorld(t)
    const { owner } = await world.creator()
    const saved = (await save(rail, owner, first)).body
    await world.advance(60)
    deepEqual((await save(rail, owner, first)).body, saved)
    deepEqual(await read(rail, owner), saved)
    const changed = (await save(rail, owner, second)).body
    ok(Date.parse(changed.addressUpdatedAt) >= Date.parse(saved.addressUpdatedAt) + 60_000)
  })

  test(`${rail.rail}: the revision grows with every change, however fast they come`, async (t) => {
    const world = await sharedWorld(t)
    const { owner } = await world.creator()
    const now = world.services.clock.now()
    // A clock that stands still, as two changes in one millisecond see it.
    t.mock.method(world.services.clock, 'now', () => now)
    const revisions: string[] = []
    for (let time = 0; time < 4; time += 1)
      revisions.push((await save(rail, owner, rail.addresses[time % 2])).body.revision)
    t.mock.restoreAll()
    deepEqual(revisions, [...new Set(revisions)].sort())
  })

  test(`${rail.rail}: of changes at the same time, one stands whole`, async (t) => {
    const world = await sharedWorld(t)
    const { owner } = await world.creator()
    const replies = await Promise.all([first, second, first, second].map((address) => save(rail, owner, address)))
    deepEqual([...new Set(replies.map(({ status }) => status))], [200])
    const saved = await read(rail, owner)
    ok(replies.some(({ body }) => body.payoutAddress === saved.payoutAddress && body.revision === saved.revision))
  })

  test(`${rail.rail}: what is no address is refused, and the saved one stays`, async (t) => {
    const world = await sharedWorld(t)
    const { owner } = await world.creator()
    await save(rail, owner, first)
    for (const wrong of ['', 'nano', `${first}1`, first.slice(0, -1), 'x'.repeat(101)])
      await refused(rail, owner, wrong)
    for (const wrong of [null, 1, [first], { address: first }]) await refused(rail, owner, wrong)
    const missing = await owner.sends(rail.save, { body: {} })
    deepEqual([missing.status, missing.body.errors[0].field], [422, 'payoutAddress'])
    const extra = await owner.sends(rail.save, { body: { payoutAddress: first, rail: 'nano' } })
    deepEqual([extra.status, extra.body.errors[0].field], [422, 'rail'])
  })

  test(`${rail.rail}: a Publishing key can neither read nor change it, and nobody can either`, async (t) => {
    const world = await sharedWorld(t)
    const { owner, publisher } = await world.creator()
    const saved = (await save(rail, owner, first)).body
    for (const person of [publisher, world.stranger()]) {
      equal((await person.calls(rail.get, {})).status, 401)
      equal((await save(rail, person, second)).status, 401)
      equal((await person.calls(rail.clear, {})).status, 401)
    }
    deepEqual(await read(rail, owner), saved)
  })

  test(`${rail.rail}: an address is its owner's alone`, async (t) => {
    const world = await sharedWorld(t)
    const ada = await world.reader()
    const eve = await world.reader()
    const saved = (await save(rail, ada.owner, first)).body
    deepEqual(await read(rail, eve.owner), none)
    await eve.owner.calls(rail.clear, {})
    await save(rail, eve.owner, second)
    deepEqual(await read(rail, ada.owner), saved)
    equal((await save(rail, eve.owner, first)).status, 200)
  })
}

test('the rails do not touch each other', async (t) => {
  const world = await sharedWorld(t)
  const { owner } = await world.creator()
  const [nano, base] = rails
  await save(nano, owner, genesis)
  const saved = (await save(base, owner, base.addresses[0])).body
  await owner.calls(clearPayoutAddress, {})
  deepEqual(await read(nano, owner), none)
  deepEqual(await read(base, owner), saved)
})

test('Nano: the old spelling is saved as today’s, and is the same address', async (t) => {
  const world = await sharedWorld(t)
  const { owner } = await world.creator()
  const [nano] = rails
  const saved = await save(nano, owner, ` ${genesis.replace('nano_', 'xrb_')} `)
  deepEqual([saved.status, saved.body.payoutAddress], [200, genesis])
  await world.advance(60)
  deepEqual((await save(nano, owner, genesis)).body, saved.body)
})

test('Nano: checksum, prefix, length and case are checked', async (t) => {
  const world = await sharedWorld(t)
  const { owner } = await world.creator()
  const [nano] = rails
  const wrong = [genesis.replace(/3$/, '1'), genesis.replace('3t6', '3t7'), genesis.toUpperCase(), genesis.slice(5)]
  wrong.push(genesis.replace('nano_', 'ban_'), genesis.replace('nano_', 'nano-'), rails[1].addresses[0])
  for (const address of wrong) await refused(nano, owner, address, 'invalid_address')
})

test('Base: one case is accepted and saved with its checksum, mixed case must have the right one', async (t) => {
  const world = await sharedWorld(t)
  const { owner } = await world.creator()
  const [, base] = rails
  const [address] = base.addresses
  const saved = (await save(base, owner, address.toLowerCase())).body
  equal(saved.payoutAddress, address)
  deepEqual((await save(base, owner, `0x${address.slice(2).toUpperCase()}`)).body, saved)
  deepEqual((await save(base, owner, address)).body, saved)
  const wrong = [address.replace('5aA', '5aa'), address.slice(2), address.replace('0x', '0X'), genesis, 'vitalik.eth']
  for (const text of wrong) await refused(base, owner, text, 'invalid_address')
})

test('Base: the zero address and the token contract are refused in any spelling', async (t) => {
  const usdc = '0x52908400098527886E0F7030069857D2E4169EE7'
  const world = await createWorld(t, { settings: { USDC_ADDRESS: usdc.toLowerCase() } })
  const { owner } = await world.creator()
  const [, base] = rails
  for (const address of [`0x${'0'.repeat(40)}`, usdc, usdc.toLowerCase()])
    await refused(base, owner, address, 'not_allowed')
})
