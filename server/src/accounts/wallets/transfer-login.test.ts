import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { getMe } from '@pennypost/contract/me'
import { amountOf } from '@pennypost/contract/money'
import { logOut } from '@pennypost/contract/sessions'
import { claimNanoTransfer, getNanoTransfer, startNanoTransfer } from '@pennypost/contract/transfer-logins'
import { linkWallet } from '@pennypost/contract/wallets'
import { auditBooks } from '../../payments/audit/audit-books.ts'
import { auditChain } from '../../payments/audit/audit-chain.ts'
import { takeArrival } from '../../payments/receive-arrivals.ts'
import { findAddressByText } from '../../rails/nano/custody/addresses.ts'
import type { Person } from '../../test/person.ts'
import { tampered } from '../../test/tampered.ts'
import { emptiedWorld, sharedWorld, type World } from '../../test/world.ts'
import { deleteExpired } from '../delete-expired.job.ts'
import { type Counter, newSecret, openCounter, startsTransfer, xno } from './transfers.fixture.ts'
import { signInByWallet, signingWallet } from './wallets.fixture.ts'

const claim = (person: Person, transferId: string, loginSecret: string) =>
  person.calls(claimNanoTransfer, { params: { transferId }, body: { loginSecret } })

const statusOf = async (world: World, transferId: string): Promise<string> =>
  (await world.stranger().calls(getNanoTransfer, { params: { transferId } })).body.status

/** All that was sent from our addresses, with where it went. */
const sendsOf = async ({ world }: Pick<Counter, 'world'>) =>
  (await world.services.db.selectFrom('nano_sends').selectAll().orderBy('number').execute()).map(
    ({ destination, amount, confirmed_at }) => ({
      destination,
      amount: BigInt(amount),
      confirmed: confirmed_at !== null,
    }),
  )

const links = (who: Person, { transferId, loginSecret }: { transferId: string; loginSecret: string }) =>
  who.calls(linkWallet, { body: { transferId, loginSecret } })

test('the sender of the proof payment signs in and gets the money back', async (t) => {
  const counter = await openCounter(t)
  const { world, wallet, network } = counter
  const person = world.stranger()
  const { transferId, loginSecret, address, amountRaw, uri, expiresAt, statusUrl, notice } =
    await startsTransfer(person)
  equal(uri, `nano:${address}?amount=${amountRaw}&label=Pennypost&message=Proof%20of%20your%20wallet%2C%20sent%20back`)
  equal(statusUrl, `http://pennypost.test/api/v1/auth/nano/transfers/${transferId}`)
  ok(Math.abs(Date.parse(expiresAt) - world.services.clock.now().getTime() - 900_000) < 5000)
  match(notice, /you alone hold, never from an exchange/)
  const pending = await claim(person, transferId, loginSecret)
  deepEqual([pending.status, pending.body], [202, { status: 'pending' }])
  equal(await statusOf(world, transferId), 'pending')

  const before = (await network.client.accountInfo(wallet.address))!.balance
  await counter.pays(wallet, address, BigInt(amountRaw))
  equal(await statusOf(world, transferId), 'received')
  const claimed = await claim(person, transferId, loginSecret)
  deepEqual([claimed.status, claimed.body.session.created], [200, true])
  match(claimed.body.refreshToken, /^svcwr_/)
  equal(await statusOf(world, transferId), 'claimed')
  person.token = claimed.body.accessToken
  const me = (await person.calls(getMe, {})).body
  equal(me.id, claimed.body.session.user.id)
  equal(me.walletAddresses[0].address, wallet.address)
  equal((await person.calls(logOut, {})).body.accessTokenValidUntilExpiry, false)

  deepEqual(await sendsOf(counter), [{ destination: wallet.address, amount: BigInt(amountRaw), confirmed: true }])
  // Looking again changes nothing.
  await counter.checkAddresses()
  equal((await sendsOf(counter)).length, 1)
  equal(await wallet.receives(), BigInt(amountRaw))
  equal((await network.client.accountInfo(wallet.address))!.balance, before)
  // The books know of every raw of it.
  deepEqual(await auditBooks(world.services.db, world.services.clock.now()), [])
  deepEqual((await auditChain(world.services.db, network.client)).findings, [])
})

test('a payment and a signature from one wallet lead to the same account', async (t) => {
  const { world, wallet, pays } = await openCounter(t)
  const { accountId } = await signInByWallet(world, signingWallet(wallet.secretKey))
  const { transferId, loginSecret, address, amountRaw } = await startsTransfer(world.stranger())
  await pays(wallet, address, BigInt(amountRaw))
  const { body } = await claim(world.stranger(), transferId, loginSecret)
  deepEqual(body.session, { user: { id: accountId }, created: false })
})

test('the same request secret returns the same transfer; another secret, or a session, does not', async (t) => {
  const world = await sharedWorld(t)
  const secret = newSecret()
  const first = await startsTransfer(world.stranger(), secret)
  deepEqual(await startsTransfer(world.stranger(), secret), first)
  await world.advance(901)
  deepEqual(await startsTransfer(world.stranger(), secret), first)
  const { owner } = await world.reader()
  const others = [await startsTransfer(world.stranger()), await startsTransfer(owner, secret)]
  for (const other of others) {
    for (const field of ['transferId', 'loginSecret', 'address', 'amountRaw'] as const)
      ok(other[field] !== first[field], field)
  }
  for (const requestSecret of ['', 'x'.repeat(31), 'x'.repeat(257)])
    equal((await world.stranger().calls(startNanoTransfer, { body: { requestSecret } })).status, 422)
})

test('ten identical parallel requests make one transfer', async (t) => {
  const world = await emptiedWorld(t)
  const secret = newSecret()
  const replies = await Promise.all(
    Array.from({ length: 10 }, () => world.stranger().calls(startNanoTransfer, { body: { requestSecret: secret } })),
  )
  equal(new Set(replies.map(({ status, body }) => `${status} ${JSON.stringify(body)}`)).size, 1)
  equal((await world.services.db.selectFrom('nano_addresses').select('id').execute()).length, 1)
  await world.runJobs()
})

test('no two pending transfers have the same amount, and people can type it', async (t) => {
  const world = await sharedWorld(t)
  const amounts = new Set<string>()
  for (let count = 0; count < 60; count += 1) {
    const { amountRaw } = (await world.stranger().calls(startNanoTransfer, { body: { requestSecret: newSecret() } }))
      .body
    equal(BigInt(amountRaw) % 10n ** 24n, 0n, 'six decimals')
    ok(BigInt(amountRaw) >= 10n ** 27n && BigInt(amountRaw) < xno / 20n)
    amounts.add(amountRaw)
  }
  equal(amounts.size, 60)
  await world.runJobs()
})

test('a transfer can be started although every amount is taken', async (t) => {
  const world = await emptiedWorld(t)
  const { pool, clock } = world.services
  const now = clock.now()
  // Without foreign keys, which would be checked for each of 49,000 rows.
  const client = await pool.connect()
  await client.query('BEGIN; SET LOCAL session_replication_role = replica')
  await client.query(
    `WITH taken AS (
       INSERT INTO nano_addresses (id, address, purpose, least_raw, created_at, expires_at, next_check_at)
       SELECT 1000000 + step, 'nano_taken_' || step, 'transfer', 1, $1::timestamptz, $1::timestamptz + interval '1 hour', 'infinity'
       FROM generate_series(1000, 49999) AS step RETURNING id)
     INSERT INTO wallet_transfers (id, request_hash, purpose, address_id, amount_raw, created_at, expires_at)
     SELECT gen_random_uuid(), sha256(id::text::bytea), 'sign_in', id, (id - 1000000) * 1000000000000000000000000::numeric,
       $1::timestamptz, $1::timestamptz + interval '15 minutes' FROM taken`,
    [now],
  )
  await client.query('COMMIT')
  client.release()
  const [one, other] = [await startsTransfer(world.stranger()), await startsTransfer(world.stranger())]
  ok(one.address !== other.address)
  equal(BigInt(one.amountRaw) % 10n ** 24n, 0n)
})

test('a wrong amount, and every further payment, is sent back immediately and proves nothing', async (t) => {
  const counter = await openCounter(t)
  const { world, wallet, network, pays } = counter
  const other = await network.fundedWallet(xno)
  const { transferId, loginSecret, address, amountRaw } = await startsTransfer(world.stranger())
  const amount = BigInt(amountRaw)
  const paid = [amount - 1n, amount + 1n, amount / 2n]
  for (const wrong of paid) await pays(wallet, address, wrong)
  // Two halves are no whole.
  await pays(wallet, address, amount - amount / 2n)
  equal((await claim(world.stranger(), transferId, loginSecret)).status, 202)
  deepEqual(
    (await sendsOf(counter)).map((send) => [send.destination, send.amount, send.confirmed]),
    [...paid, amount - amount / 2n].map((wrong) => [wallet.address, wrong, true]),
  )
  // The right one still signs in; a wallet that pays after it does not sign in.
  await pays(wallet, address, amount)
  await pays(other, address, amount)
  deepEqual((await sendsOf(counter)).at(-1), { destination: other.address, amount, confirmed: true })
  const person = world.stranger()
  person.token = (await claim(person, transferId, loginSecret)).body.accessToken
  equal((await person.calls(getMe, {})).body.walletAddresses[0].address, wallet.address)
})

test('after fifteen minutes a payment signs nobody in and is sent back', async (t) => {
  const counter = await openCounter(t)
  const { world, wallet, pays } = counter
  const late = await startsTransfer(world.stranger())
  const received = await startsTransfer(world.stranger())
  const { owner } = await world.reader()
  const forLink = await startsTransfer(owner)
  await pays(wallet, received.address, BigInt(received.amountRaw))
  await world.advance(900)
  await pays(wallet, late.address, BigInt(late.amountRaw))
  for (const { transferId, loginSecret } of [late, received]) {
    equal(await statusOf(world, transferId), 'expired')
    const reply = await claim(world.stranger(), transferId, loginSecret)
    deepEqual([reply.status, reply.body.code], [410, 'transfer-expired'])
  }
  equal((await links(owner, forLink)).body.code, 'transfer-expired')
  deepEqual(
    (await sendsOf(counter)).map(({ amount, confirmed }) => [amount, confirmed]),
    [received, late].map(({ amountRaw }) => [BigInt(amountRaw), true]),
  )
})

test('a payment from a shared wallet proves nothing and is sent back', async (t) => {
  const counter = await openCounter(t, ({ address }) => ({
    NANO_SHARED_WALLETS: `${signingWallet().address}, ${address.replace('nano_', 'xrb_')}`,
  }))
  const { world, wallet, pays } = counter
  const { transferId, loginSecret, address, amountRaw } = await startsTransfer(world.stranger())
  await pays(wallet, address, BigInt(amountRaw))
  const reply = await claim(world.stranger(), transferId, loginSecret)
  deepEqual([reply.status, reply.body.code], [409, 'shared-wallet'])
  equal((await world.services.db.selectFrom('wallets').select('address').execute()).length, 0)
  deepEqual(await sendsOf(counter), [{ destination: wallet.address, amount: BigInt(amountRaw), confirmed: true }])
  const { owner } = await world.reader()
  const forLink = await startsTransfer(owner)
  await pays(wallet, forLink.address, BigInt(forLink.amountRaw))
  equal((await links(owner, forLink)).body.code, 'shared-wallet')
  // The holder of its key can still sign in with a signature.
  equal((await signInByWallet(world, signingWallet(wallet.secretKey))).created, true)
})

test('only the right login secret claims a transfer, and only once', async (t) => {
  const { world, wallet, pays } = await openCounter(t)
  const mine = await startsTransfer(world.stranger())
  const other = await startsTransfer(world.stranger())
  await pays(wallet, mine.address, BigInt(mine.amountRaw))
  const wrong = ['', mine.transferId, other.loginSecret, tampered(mine.loginSecret), `${mine.loginSecret}A`]
  for (const secret of wrong) {
    const reply = await claim(world.stranger(), mine.transferId, secret)
    deepEqual([reply.status, reply.body.code], [401, 'invalid-proof'], secret)
  }
  equal((await claim(world.stranger(), '0f0f0f0f-0f0f-4f0f-8f0f-0f0f0f0f0f0f', mine.loginSecret)).status, 404)
  const claims = await Promise.all(
    Array.from({ length: 50 }, () => claim(world.stranger(), mine.transferId, mine.loginSecret)),
  )
  equal(claims.filter(({ status }) => status === 200).length, 1)
  equal(claims.filter(({ body }) => body.code === 'transfer-claimed').length, 49)
  equal((await world.services.db.selectFrom('sessions').select('id').execute()).length, 1)
  const unknown = await world
    .stranger()
    .calls(getNanoTransfer, { params: { transferId: '0f0f0f0f-0f0f-4f0f-8f0f-0f0f0f0f0f0f' } })
  deepEqual([unknown.status, unknown.body.code], [404, 'transfer-not-found'])
})

test('a payment links the wallet to the account that started it, and to no other', async (t) => {
  const { world, wallet, pays } = await openCounter(t)
  const { owner, accountId } = await world.reader()
  const { owner: stranger } = await world.reader()
  const forLink = await startsTransfer(owner)
  const forSignIn = await startsTransfer(world.stranger())
  const pending = await links(owner, forLink)
  deepEqual([pending.status, pending.body], [202, { status: 'pending' }])
  for (const { address, amountRaw } of [forLink, forSignIn]) await pays(wallet, address, BigInt(amountRaw))
  equal((await claim(world.stranger(), forLink.transferId, forLink.loginSecret)).body.code, 'invalid-proof')
  equal((await links(stranger, forLink)).body.code, 'invalid-proof')
  equal((await links(owner, forSignIn)).body.code, 'invalid-proof')
  equal((await links(owner, { ...forLink, transferId: '0f0f0f0f-0f0f-4f0f-8f0f-0f0f0f0f0f0f' })).status, 404)
  const linked = await links(owner, forLink)
  deepEqual([linked.status, linked.body.wallets[0].address], [200, wallet.address])
  equal((await links(owner, forLink)).body.code, 'transfer-claimed')
  const signIn = await claim(world.stranger(), forSignIn.transferId, forSignIn.loginSecret)
  deepEqual(signIn.body.session, { user: { id: accountId }, created: false })
})

test('a payment from one of our own addresses proves nothing', async (t) => {
  const world = await sharedWorld(t)
  const { db } = world.services
  const { transferId, address, amountRaw } = await startsTransfer(world.stranger())
  const { address: ours } = await startsTransfer(world.stranger())
  const { id } = (await findAddressByText(db, address))!
  const hash = randomBytes(32).toString('hex').toUpperCase()
  const arrival = { hash, addressId: id, address, amount: amountOf('XNO', amountRaw), source: ours }
  await db.transaction().execute((tx) => takeArrival(world.services, tx, arrival))
  equal(await statusOf(world, transferId), 'pending')
  equal((await db.selectFrom('nano_sends').select('id').execute()).length, 0)
})

test('a deleted transfer still sends its money back', async (t) => {
  const counter = await openCounter(t)
  const { world, wallet, pays } = counter
  const { transferId, address, amountRaw } = await startsTransfer(world.stranger())
  await world.advance(900 + 3601)
  await deleteExpired.run(world.services, {})
  equal((await world.stranger().calls(getNanoTransfer, { params: { transferId } })).status, 404)
  await pays(wallet, address, BigInt(amountRaw))
  deepEqual(await sendsOf(counter), [{ destination: wallet.address, amount: BigInt(amountRaw), confirmed: true }])
})

test('neither secret of a transfer is stored', async (t) => {
  const world = await sharedWorld(t)
  const secret = newSecret()
  const { loginSecret } = await startsTransfer(world.stranger(), secret)
  const { rows } = await world.services.pool.query(
    `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'`,
  )
  const tables = rows.map(({ table_name }) =>
    world.services.pool.query(`SELECT ${table_name}::text FROM ${table_name}`),
  )
  const dump = JSON.stringify((await Promise.all(tables)).map((table) => table.rows))
  ok(dump.includes('wallet_transfers') || dump.length > 2)
  for (const hidden of [secret, Buffer.from(secret).toString('hex'), loginSecret, loginSecret.slice(-32)])
    ok(!dump.includes(hidden))
})

test('transfers are rate-limited per IP address', async (t) => {
  const world = await sharedWorld(t)
  const person = world.stranger()
  const [limit] = startNanoTransfer.limits
  for (let count = 0; count < limit.max; count += 1)
    await world.services.rateLimiter.consume(limit, person.address, world.services.clock.now())
  equal((await person.calls(startNanoTransfer, { body: { requestSecret: newSecret() } })).status, 429)
  equal((await world.stranger().calls(startNanoTransfer, { body: { requestSecret: newSecret() } })).status, 201)
  await world.runJobs()
})
