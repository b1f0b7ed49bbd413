import { deepEqual, equal, notEqual, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { getAccess } from '@pennypost/contract/access'
import {
  claimCheckout,
  createCheckout,
  createTipCheckout,
  getCheckout,
  recoverCheckout,
  settleCheckout,
} from '@pennypost/contract/checkout'
import { getMe } from '@pennypost/contract/me'
import { getPost, updatePost } from '@pennypost/contract/posts'
import { withdrawPost } from '@pennypost/contract/publishing'
import { cancelPurchase, getPurchase, listPurchases } from '@pennypost/contract/purchases'
import { refreshSession } from '@pennypost/contract/sessions'
import { signInByWallet, signingWallet } from '../../accounts/wallets/wallets.fixture.ts'
import { isClean, type Market, openMarket, price, sells, xno } from '../../payments/market.fixture.ts'
import { receiveArrivals } from '../../payments/receive-arrivals.ts'
import { nextAddress, Person } from '../../test/person.ts'
import { sendsFrom, startsNano } from './nano-checkout.fixture.ts'

const as = ({ world }: Market, session: { accessToken: string }) =>
  new Person(world, nextAddress(), session.accessToken)

const outcome = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]

const access = (person: Person, postId: string) => person.calls(getAccess, { params: { postId } })

test('a guest gets an exact price, an address and a credential; paid, the credential gets a session that reads', async (t) => {
  const market = await openMarket(t)
  const { world, postId, wallet, pays, checkAddresses } = market
  const checkout = await startsNano(market)
  const { body, id, address, params } = checkout
  deepEqual(body, {
    checkout: {
      id,
      kind: 'purchase',
      status: 'open',
      postId,
      quote: { amountRaw: String(price), amount: '0.25', asset: 'XNO', network: 'nano:mainnet' },
      receivedRaw: '0',
      refundedRaw: '0',
      expiresAt: (body as unknown as { checkout: { expiresAt: string } }).checkout.expiresAt,
    },
    payment: {
      address,
      amountRaw: String(price),
      uri: `nano:${address}?amount=${price}&label=Pennypost&message=On%20engines`,
    },
    checkoutCredential: body.checkoutCredential,
    statusUrl: `${world.origin}/api/v1/checkout/sessions/${id}`,
    replayed: false,
  })
  ok(body.checkoutCredential.startsWith('svccc_'))
  deepEqual(await checkout.reads(), { checkout: body.checkout, receipt: null, session: null })
  const accounts = async () => (await world.services.pool.query('SELECT FROM accounts')).rowCount
  const before = await accounts()
  const hash = await pays(address, price)
  await checkAddresses()
  equal(await accounts(), before! + 1, 'the account is made with the sale')
  const paid = await checkout.reads()
  deepEqual([paid.checkout.status, paid.checkout.receivedRaw], ['paid', String(price)])
  const { success, transaction, network, payer } = paid.receipt
  deepEqual([success, transaction, network, payer], [true, hash, 'nano:mainnet', wallet.address])
  const guest = as(market, paid.session)
  const me = (await guest.calls(getMe, {})).body
  equal(me.id, paid.session.user.id)
  const read = await access(guest, postId)
  deepEqual(
    [read.status, read.body.access, read.body.entitlement.source, read.body.paidContentMarkdown],
    [200, 'purchased', 'checkout', 'the-secret-part'],
  )
  deepEqual(
    (await guest.calls(listPurchases, {})).body.data.map((each: { id: string }) => each.id),
    [id],
  )
  // The guest's own session reads the checkout too, and needs no other.
  const own = await guest.calls(getCheckout, { params })
  deepEqual([own.status, own.body.checkout.status, own.body.session], [200, 'paid', null])
  await isClean(market)
})

test('nobody else can read, recover or claim a checkout, and one in Nano is not settled', async (t) => {
  const market = await openMarket(t)
  const { world, buyer } = market
  const { params, holder, body } = await startsNano(market)
  const other = await startsNano(market)
  for (const person of [other.holder, buyer.owner])
    deepEqual(outcome(await person.calls(getCheckout, { params })), [404, 'checkout-not-found'])
  for (const person of [world.stranger(), new Person(world, nextAddress(), 'svccc_x')])
    equal((await person.calls(getCheckout, { params })).status, 401)
  equal((await buyer.owner.calls(recoverCheckout, { params })).status, 401)
  deepEqual(outcome(await other.holder.calls(recoverCheckout, { params })), [404, 'checkout-not-found'])
  deepEqual(outcome(await holder.calls(settleCheckout, { params })), [409, 'checkout-in-nano'])
  const claims = (checkoutCredential: string) =>
    buyer.owner.calls(claimCheckout, { params, body: { checkoutCredential } })
  deepEqual(outcome(await claims(other.body.checkoutCredential)), [404, 'checkout-not-found'])
  deepEqual(outcome(await claims(body.checkoutCredential)), [409, 'checkout-unpaid'])
  // The credential alone is no session.
  equal((await holder.calls(getMe, {})).status, 401)
  equal((await access(holder, market.postId)).status, 401)
})

test('parts add up; what is over the price goes back to its sender', async (t) => {
  const market = await openMarket(t)
  const { wallet, pays, checkAddresses, network } = market
  const checkout = await startsNano(market)
  const { balance: before } = (await network.client.accountInfo(wallet.address))!
  await pays(checkout.address, price / 2n)
  await checkAddresses()
  const part = await checkout.reads()
  deepEqual([part.checkout.status, part.checkout.receivedRaw, part.session], ['open', String(price / 2n), null])
  await pays(checkout.address, price)
  await checkAddresses()
  const paid = await checkout.reads()
  deepEqual(
    [paid.checkout.status, paid.checkout.receivedRaw, paid.checkout.refundedRaw],
    ['paid', String(price + price / 2n), String(price / 2n)],
  )
  // A second payment buys nothing.
  await pays(checkout.address, price)
  await checkAddresses()
  equal((await checkout.reads()).checkout.refundedRaw, String(price + price / 2n))
  await wallet.receives()
  equal((await network.client.accountInfo(wallet.address))!.balance, before - price)
  await isClean(market)
})

test('money that is not enough goes back an hour after the checkout expired', async (t) => {
  const market = await openMarket(t)
  const { pays, later } = market
  const checkout = await startsNano(market)
  await pays(checkout.address, price / 2n)
  await later(3_601)
  deepEqual((await checkout.reads()).checkout.status, 'expired')
  await later(3_601)
  const { checkout: over, session } = await checkout.reads()
  deepEqual([over.status, over.refundedRaw, session], ['expired', String(price / 2n), null])
  equal((await market.world.services.pool.query('SELECT FROM accounts WHERE is_anonymous')).rowCount, 0)
  await isClean(market)
})

test('late money buys for a day at the quoted price, and no longer; never if the post costs more by then', async (t) => {
  const market = await openMarket(t)
  const { creator, pays, later } = market
  const another = await sells(creator)
  const [late, tooLate, risen] = [
    await startsNano(market),
    await startsNano(market),
    await startsNano(market, { postId: another }),
  ]
  const { body: post } = await creator.publisher.calls(getPost, { params: { postId: another } })
  const raised = await creator.publisher.calls(updatePost, {
    params: { postId: another },
    headers: { 'x-post-revision': post.updatedAt },
    body: { priceAtomic: String(2n * price) },
  })
  equal(raised.status, 200, JSON.stringify(raised.body))
  await later(7_200)
  await pays(late.address, price)
  await pays(risen.address, price)
  await later(1)
  const bought = await late.reads()
  equal(bought.checkout.status, 'paid')
  equal((await access(as(market, bought.session), market.postId)).status, 200)
  deepEqual(
    [(await risen.reads()).checkout.status, (await risen.reads()).checkout.refundedRaw],
    ['expired', String(price)],
  )
  await later(24 * 3_600)
  await pays(tooLate.address, price)
  await later(1)
  const returned = await tooLate.reads()
  deepEqual(
    [returned.checkout.status, returned.checkout.refundedRaw, returned.session],
    ['expired', String(price), null],
  )
  await isClean(market)
})

test('a quote holds its price and outlives a withdrawal', async (t) => {
  const market = await openMarket(t)
  const { creator, postId, pays, checkAddresses } = market
  const checkout = await startsNano(market)
  await creator.publisher.calls(withdrawPost, { params: { postId } })
  await pays(checkout.address, price)
  await checkAddresses()
  equal((await access(as(market, (await checkout.reads()).session), postId)).status, 200)
  await isClean(market)
})

test('the wallet that paid is entitled as well: signing in with it opens the guest account', async (t) => {
  const market = await openMarket(t)
  const { world, wallet, postId, pays, checkAddresses } = market
  const checkout = await startsNano(market)
  // In two parts: together they are the whole price.
  await pays(checkout.address, price / 4n)
  await pays(checkout.address, price - price / 4n)
  await checkAddresses()
  const { session } = await checkout.reads()
  const signedIn = await signInByWallet(world, signingWallet(wallet.secretKey))
  deepEqual([signedIn.accountId, signedIn.created], [session.user.id, false])
  equal((await access(signedIn.person, postId)).status, 200)
  // The account has a login now, so that the credential opens it no longer.
  const read = await checkout.reads()
  deepEqual([read.checkout.status, read.session], ['paid', null])
  await isClean(market)
})

test('a stranger who adds a part to the payment of a guest gets nothing for it', async (t) => {
  const market = await openMarket(t)
  const { world, wallet, postId, pays, checkAddresses, network } = market
  const thief = await network.fundedWallet(10n * xno)
  const grants = async () =>
    (await world.services.pool.query('SELECT wallet FROM wallet_entitlements ORDER BY wallet')).rows.map(
      (row) => row.wallet,
    )
  // The price comes from two wallets: only the holder of the credential has it.
  const shared = await startsNano(market)
  await pays(shared.address, price - price / 100n)
  await sendsFrom(market, thief, shared.address, price / 100n)
  await checkAddresses()
  const { session, receipt } = await shared.reads()
  equal((await access(as(market, session), postId)).status, 200)
  equal(receipt.success, true)
  deepEqual(await grants(), [])
  const created = await signInByWallet(world, signingWallet(thief.secretKey))
  deepEqual([created.created, (await access(created.person, postId)).status], [true, 402])
  // A stranger's part comes first, then the whole price.
  const whole = await startsNano(market)
  await sendsFrom(market, thief, whole.address, price / 100n)
  await checkAddresses()
  await pays(whole.address, price)
  await checkAddresses()
  deepEqual(await grants(), [wallet.address])
  await isClean(market)
})

test('a wallet buys a post twice where two guests ask for it: each gets what was paid for', async (t) => {
  const market = await openMarket(t)
  const { postId, pays, checkAddresses } = market
  const [one, two] = [await startsNano(market), await startsNano(market)]
  await pays(one.address, price)
  await pays(two.address, price)
  await checkAddresses()
  const [first, second] = [await one.reads(), await two.reads()]
  notEqual(first.session.user.id, second.session.user.id)
  for (const { session } of [first, second]) equal((await access(as(market, session), postId)).status, 200)
  await isClean(market)
})

test('a wallet that many people share is not entitled, and signs nobody in', async (t) => {
  const { network } = await openMarket(t)
  const exchange = await network.fundedWallet(10n * xno)
  const market = await openMarket(t, { isolation: 'own', settings: { NANO_SHARED_WALLETS: exchange.address } })
  const checkout = await startsNano(market)
  await sendsFrom(market, exchange, checkout.address, price)
  await market.checkAddresses()
  equal((await access(as(market, (await checkout.reads()).session), market.postId)).status, 200)
  const { pool } = market.world.services
  for (const table of ['wallet_entitlements', 'guest_wallets'])
    equal((await pool.query(`SELECT FROM ${table}`)).rowCount, 0, table)
  await isClean(market)
})

test('two payments that arrive at the same moment make one account, one sale and one refund', async (t) => {
  const market = await openMarket(t)
  const { world, pays, checkAddresses } = market
  const checkout = await startsNano(market)
  await pays(checkout.address, price)
  await pays(checkout.address, price)
  // Every process that watches may find them, while the guest asks.
  await Promise.all([
    ...Array.from({ length: 4 }, () => receiveArrivals(world.services, checkout.address, undefined)),
    ...Array.from({ length: 4 }, () => checkout.reads()),
  ])
  await checkAddresses()
  const { checkout: paid, session } = await checkout.reads()
  deepEqual([paid.status, paid.refundedRaw], ['paid', String(price)])
  const { rows } = await world.services.pool.query('SELECT id FROM accounts WHERE is_anonymous')
  deepEqual(rows, [{ id: session.user.id }])
  await isClean(market)
})

test('a paid checkout gives one session for a minute however often it is read, and a new one to who lost it', async (t) => {
  const market = await openMarket(t)
  const { world, pays, checkAddresses } = market
  const checkout = await startsNano(market)
  await pays(checkout.address, price)
  await checkAddresses()
  const { session } = await checkout.reads()
  deepEqual((await checkout.reads()).session, session)
  // Once it is used, its first tokens are worth nothing to others.
  const { refreshToken } = session
  equal((await world.stranger().calls(refreshSession, { body: { refreshToken } })).status, 200)
  const next = (await checkout.reads()).session
  notEqual(next.refreshToken, refreshToken)
  await world.advance(61)
  notEqual((await checkout.reads()).session.refreshToken, next.refreshToken)
  const recovered = await checkout.holder.calls(recoverCheckout, { params: checkout.params })
  equal(recovered.status, 200)
  notEqual(recovered.body.session.refreshToken, next.refreshToken)
  equal(recovered.body.session.user.id, session.user.id)
  // No credential and no token is in the database.
  const { rows } = await world.services.pool.query('SELECT scope || key || body::text AS text FROM idempotent_replies')
  ok(rows.every(({ text }) => !text.includes('svccc_')))
})

test('a guest purchase in Nano moves once to an account', async (t) => {
  const market = await openMarket(t)
  const { world, buyer, postId, pays, checkAddresses } = market
  const checkout = await startsNano(market)
  await pays(checkout.address, price)
  await checkAddresses()
  const { session } = await checkout.reads()
  const guest = as(market, session)
  const { params } = checkout
  const body = { checkoutCredential: checkout.body.checkoutCredential }
  deepEqual(outcome(await guest.calls(claimCheckout, { params, body })), [403, 'guest-cannot-claim'])
  const claimed = await buyer.owner.calls(claimCheckout, { params, body })
  deepEqual([claimed.status, claimed.body.checkout.status, claimed.body.session], [200, 'paid', null])
  equal((await buyer.owner.calls(claimCheckout, { params, body })).status, 200)
  const other = await world.reader()
  deepEqual(outcome(await other.owner.calls(claimCheckout, { params, body })), [409, 'checkout-claimed'])
  equal((await access(buyer.owner, postId)).status, 200)
  equal((await access(guest, postId)).status, 402)
  equal((await checkout.reads()).session, null)
  equal((await buyer.owner.calls(getPurchase, { params: { purchaseId: checkout.id } })).status, 200)
  equal((await guest.calls(getPurchase, { params: { purchaseId: checkout.id } })).status, 404)
  equal((await buyer.owner.calls(listPurchases, {})).body.total, 1)
  await isClean(market)
})

test('with an owner session a checkout in Nano is a purchase of the account', async (t) => {
  const market = await openMarket(t)
  const { buyer, creator, postId, world, pays, checkAddresses } = market
  const starts = (person: Person, body: object = { postId, asset: 'XNO' }) =>
    person.sends(createCheckout, { body, idempotencyKey: randomUUID() })
  deepEqual(outcome(await starts(creator.owner)), [409, 'own-post'])
  const cancelled = await startsNano(market, { person: buyer.owner })
  await buyer.owner.calls(cancelPurchase, { params: { purchaseId: cancelled.id } })
  equal((await cancelled.reads()).checkout.status, 'cancelled')
  const checkout = await startsNano(market, { person: buyer.owner })
  await pays(checkout.address, price)
  await checkAddresses()
  const read = await buyer.owner.calls(getCheckout, { params: checkout.params })
  deepEqual([read.body.checkout.status, read.body.session], ['paid', null])
  equal((await checkout.reads()).session, null, 'the credential opens no account that was there before')
  equal((await access(buyer.owner, postId)).body.entitlement.source, 'purchase')
  deepEqual(outcome(await starts(buyer.owner)), [409, 'already-purchased'])
  equal((await world.services.pool.query('SELECT FROM accounts WHERE is_anonymous')).rowCount, 0)
  await isClean(market)
})

test('what is not for sale in Nano has no checkout', async (t) => {
  const market = await openMarket(t)
  const { creator, world } = market
  const guest = world.stranger()
  const starts = (postId: string) =>
    guest.calls(createCheckout, { body: { postId, asset: 'XNO' }, idempotencyKey: randomUUID() })
  deepEqual(outcome(await starts(randomUUID())), [404, 'post-not-found'])
  const free = await sells(creator, {
    enablePaywall: false,
    paidContentMarkdown: '',
    priceAtomic: null,
    priceCurrency: null,
  })
  deepEqual(outcome(await starts(free)), [409, 'post-is-free'])
  await world.services.pool.query('DELETE FROM receiving_addresses')
  deepEqual(outcome(await starts(market.postId)), [409, 'not-sold-in-nano'])
  const wrong = { body: { postId: market.postId, asset: 'EUR' }, idempotencyKey: randomUUID() }
  deepEqual(outcome(await guest.sends(createCheckout, wrong)), [422, 'validation'])
})

test('a key starts one checkout; one that others could guess returns neither credential nor address', async (t) => {
  const market = await openMarket(t)
  const { world, postId } = market
  const guest = world.stranger()
  const starts = (key: string, person = guest, asset: 'XNO' | 'USDC' = 'XNO') =>
    person.calls(createCheckout, { body: { postId, asset }, idempotencyKey: key })
  const long = randomUUID()
  const first = await starts(long)
  // The phone is on another network by now.
  const again = await starts(long, world.stranger())
  deepEqual([first.status, again.status, again.body.replayed], [201, 200, true])
  const { replayed: _, ...told } = first.body
  const { replayed: __, ...toldAgain } = again.body
  deepEqual(toldAgain, told)
  deepEqual(outcome(await starts(long, guest, 'USDC')), [409, 'idempotency-conflict'])
  const short = await starts('1')
  const guessed = await starts('1')
  deepEqual(
    [guessed.status, guessed.body.checkout.id, guessed.body.checkoutCredential, guessed.body.payment],
    [200, short.body.checkout.id, null, null],
  )
  const elsewhere = await starts('1', world.stranger())
  deepEqual([elsewhere.status, elsewhere.body.checkout.id === short.body.checkout.id], [201, false])
})

test('guests start few orders from one address in an hour; replays, USDC and accounts do not count', async (t) => {
  const market = await openMarket(t, { isolation: 'own', settings: { LIMITS: 'guest-orders=2/3600' } })
  const { world, postId, buyer } = market
  const guest = world.stranger()
  const starts = (person: Person, idempotencyKey: string = randomUUID()) =>
    person.calls(createCheckout, { body: { postId, asset: 'XNO' }, idempotencyKey })
  const key = randomUUID()
  deepEqual(
    [(await starts(guest, key)).status, (await starts(guest, key)).status, (await starts(guest)).status],
    [201, 200, 201],
  )
  const refused = await starts(guest)
  deepEqual(outcome(refused), [429, 'rate-limited'])
  ok(Number(refused.headers.get('retry-after')) > 0)
  equal((await starts(guest, key)).status, 200)
  equal((await starts(world.stranger())).status, 201)
  const member = new Person(world, guest.address, buyer.owner.token)
  equal((await starts(member)).status, 201)
  const { rows } = await world.services.pool.query('SELECT count(*)::int AS count FROM orders')
  deepEqual(rows, [{ count: 4 }], 'what was refused left no order')
})

test('all guests together have a limited number of open orders; a paid or expired one makes room', async (t) => {
  const market = await openMarket(t, { isolation: 'own', settings: { OPEN_GUEST_ORDERS: '2' } })
  const { world, postId, buyer, pays, checkAddresses } = market
  const starts = (person = world.stranger()) =>
    person.calls(createCheckout, { body: { postId, asset: 'XNO' }, idempotencyKey: randomUUID() })
  const [first] = [await startsNano(market), await startsNano(market)]
  const refused = await starts()
  deepEqual([...outcome(refused), refused.headers.get('retry-after')], [503, 'guest-checkout-busy', '60'])
  const tip = { body: { postId, amountRaw: String(xno) }, idempotencyKey: randomUUID() }
  deepEqual(outcome(await world.stranger().sends(createTipCheckout, tip)), [503, 'guest-checkout-busy'])
  equal((await starts(buyer.owner)).status, 201)
  await pays(first.address, price)
  await checkAddresses()
  equal((await starts()).status, 201)
  equal((await starts()).status, 503)
  await market.passes(3_601)
  equal((await starts()).status, 201)
})
