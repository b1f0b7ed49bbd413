import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import {
  changeAccountEmail,
  getAccountEmail,
  removeAccountEmail,
  verifyAccountEmail,
} from '@pennypost/contract/account-email'
import { issueKey } from '@pennypost/contract/keys'
import { getMe } from '@pennypost/contract/me'
import { createPost } from '@pennypost/contract/posts'
import { savePayoutAddress, updateProfile } from '@pennypost/contract/profiles'
import { publishPost } from '@pennypost/contract/publishing'
import { logIn, verifyLogin } from '@pennypost/contract/sessions'
import { linkWallet, listWallets, unlinkWallet } from '@pennypost/contract/wallets'
import { nextAddress, Person } from '../../test/person.ts'
import { sharedWorld, type World } from '../../test/world.ts'
import { challengeFor, links, type SigningWallet, signInByWallet, signingWallet } from './wallets.fixture.ts'

const unlink = (owner: Person, address: string, kind: 'nano' | 'evm' = 'nano') =>
  owner.calls(unlinkWallet, { body: { kind, address } })

const addressesOf = async (owner: Person): Promise<string[]> =>
  (await owner.calls(listWallets, {})).body.wallets.map(({ address }: { address: string }) => address)

/** Adds a confirmed email to the account. */
async function confirms(world: World, owner: Person, email: string) {
  equal((await owner.calls(changeAccountEmail, { body: { email } })).status, 200)
  await world.runJobs()
  const [mail] = await world.mailTo(email)
  return owner.calls(verifyAccountEmail, { body: { code: mail!.code! } })
}

test('an account with an email links wallets, and each of them signs in to it', async (t) => {
  const world = await sharedWorld(t)
  const { owner, accountId } = await world.reader()
  deepEqual((await owner.calls(listWallets, {})).body, { wallets: [] })
  const first = signingWallet()
  const second = signingWallet()
  const linked = await links(owner, first)
  equal(linked.status, 200)
  const [{ kind, address, linkedAt }] = linked.body.wallets
  deepEqual([kind, address], ['nano', first.address])
  ok(!Number.isNaN(Date.parse(linkedAt)))
  await links(owner, second)
  deepEqual(await addressesOf(owner), [first.address, second.address])
  deepEqual((await owner.calls(getMe, {})).body.walletAddresses, (await owner.calls(listWallets, {})).body.wallets)
  for (const wallet of [first, second]) {
    const signIn = await signInByWallet(world, wallet)
    deepEqual([signIn.accountId, signIn.created], [accountId, false])
  }
  // Linking it again changes nothing.
  deepEqual((await links(owner, first)).body.wallets[0], linked.body.wallets[0])
})

test('a wallet signs in to one account: linking it to a second is refused', async (t) => {
  const world = await sharedWorld(t)
  const wallet = signingWallet()
  const { accountId } = await signInByWallet(world, wallet)
  const { owner } = await world.reader()
  const reply = await links(owner, wallet)
  deepEqual([reply.status, reply.body.code], [409, 'wallet-in-use'])
  deepEqual(await addressesOf(owner), [])
  equal((await signInByWallet(world, wallet)).accountId, accountId)
})

test('when ten accounts link one wallet in parallel, one of them gets it', async (t) => {
  const world = await sharedWorld(t)
  const wallet = signingWallet()
  const others = await Promise.all(Array.from({ length: 10 }, () => signInByWallet(world, signingWallet())))
  const replies = await Promise.all(others.map(({ person }) => links(person, wallet)))
  equal(replies.filter(({ status }) => status === 200).length, 1)
  equal(replies.filter(({ body }) => body.code === 'wallet-in-use').length, 9)
})

test('an account has at most twenty wallets', async (t) => {
  const world = await sharedWorld(t)
  const { owner, accountId } = await world.reader()
  const linked_at = world.services.clock.now()
  const rows = Array.from({ length: 19 }, () => ({ kind: 'nano' as const, address: signingWallet().address }))
  await world.services.db
    .insertInto('wallets')
    .values(rows.map((row) => ({ ...row, account_id: accountId, linked_at })))
    .execute()
  const replies = await Promise.all(Array.from({ length: 3 }, () => links(owner, signingWallet())))
  deepEqual(replies.map(({ status }) => status).sort(), [200, 409, 409])
  equal((await addressesOf(owner)).length, 20)
})

test('a wallet can be unlinked in any spelling, unless it is the last way to sign in', async (t) => {
  const world = await sharedWorld(t)
  const first = signingWallet()
  const second = signingWallet()
  const { person: owner, accountId } = await signInByWallet(world, first)
  const last = await unlink(owner, first.address)
  deepEqual([last.status, last.body.code], [409, 'last-login'])
  deepEqual(await addressesOf(owner), [first.address])
  await links(owner, second)
  const reply = await unlink(owner, first.address.replace('nano_', 'xrb_').toUpperCase())
  deepEqual([reply.status, reply.body.wallets.length], [200, 1])
  equal((await unlink(owner, second.address)).body.code, 'last-login')
  // The wallet no longer signs in to this account. Its sessions continue, and it can create a new account.
  equal((await owner.calls(getMe, {})).status, 200)
  const fresh = await signInByWallet(world, first)
  ok(fresh.created && fresh.accountId !== accountId)
  equal((await signInByWallet(world, second)).accountId, accountId)
})

test("someone else's wallet is not found", async (t) => {
  const world = await sharedWorld(t)
  const { owner } = await world.reader()
  const foreign = signingWallet()
  await signInByWallet(world, foreign)
  await links(owner, signingWallet())
  const replies = [
    await unlink(owner, foreign.address),
    await unlink(owner, signingWallet().address),
    await unlink(owner, 'nonsense'),
    await unlink(owner, `0x${'0'.repeat(39)}1`, 'evm'),
    await unlink(owner, (await addressesOf(owner))[0]!, 'evm'),
  ]
  for (const { status, body } of replies) deepEqual([status, body.code], [404, 'wallet-not-found'])
  equal((await owner.sends(unlinkWallet, { body: { kind: 'paper', address: foreign.address } })).status, 422)
})

test('when the last two ways to sign in are removed in parallel, one stays', async (t) => {
  const world = await sharedWorld(t)
  for (let round = 0; round < 5; round += 1) {
    const wallets = [signingWallet(), signingWallet()]
    const { person: owner } = await signInByWallet(world, wallets[0]!)
    await links(owner, wallets[1]!)
    const replies = await Promise.all(wallets.map(({ address }) => unlink(owner, address)))
    deepEqual(replies.map(({ status }) => status).sort(), [200, 409])
    const { owner: reader } = await world.reader()
    const wallet = signingWallet()
    await links(reader, wallet)
    const both = await Promise.all([unlink(reader, wallet.address), reader.calls(removeAccountEmail, {})])
    deepEqual(both.map(({ status }) => status).sort(), [200, 409])
  }
})

test('the email can be removed if a wallet remains, and is the last way to sign in if none does', async (t) => {
  const world = await sharedWorld(t)
  const { owner, accountId, email } = await world.reader()
  equal((await owner.calls(removeAccountEmail, {})).status, 409)
  const wallet = signingWallet()
  await links(owner, wallet)
  deepEqual((await owner.calls(removeAccountEmail, {})).body, { status: 'none', email: null, pendingEmail: null })
  equal((await signInByWallet(world, wallet)).accountId, accountId)
  equal((await unlink(owner, wallet.address)).body.code, 'last-login')
  // The mailbox no longer signs in to this account.
  await world.advance(61)
  await world.stranger().calls(logIn, { body: { email } })
  await world.runJobs()
  equal((await world.stranger().calls(verifyLogin, { body: { email, code: '000000' } })).status, 401)
})

test('an account created by wallet adds an email, signs in with it, and may then unlink the wallet', async (t) => {
  const world = await sharedWorld(t)
  const wallet = signingWallet()
  const { person: owner, accountId } = await signInByWallet(world, wallet)
  deepEqual((await owner.calls(getAccountEmail, {})).body, { status: 'none', email: null, pendingEmail: null })
  const verified = await confirms(world, owner, 'wallet-owner@example.com')
  deepEqual(verified.body, { status: 'verified', email: 'wallet-owner@example.com', session: null })
  await world.advance(61)
  const person = new Person(world, nextAddress())
  await person.calls(logIn, { body: { email: 'wallet-owner@example.com' } })
  await world.runJobs()
  const code = (await world.mailTo('wallet-owner@example.com'))[0]!.code!
  const signIn = await person.calls(verifyLogin, { body: { email: 'wallet-owner@example.com', code } })
  equal(signIn.body.session.user.id, accountId)
  deepEqual((await unlink(owner, wallet.address)).body, { wallets: [] })
})

test('an account created by wallet publishes once it has a name, a handle and a receiving address', async (t) => {
  const world = await sharedWorld(t)
  const wallet = signingWallet()
  const { person: owner } = await signInByWallet(world, wallet)
  const publisher = world.stranger()
  publisher.token = (await owner.calls(issueKey, { body: {} })).body.key
  const post = await publisher.calls(createPost, {
    body: {
      title: 'Signed',
      freeContentMarkdown: 'Text.',
      category: 'other',
      language: 'en',
      creationMethod: 'human',
      creationAttested: true,
    },
  })
  equal(post.status, 201)
  const publish = () => publisher.calls(publishPost, { params: { postId: post.body.id } })
  await owner.calls(savePayoutAddress, { body: { payoutAddress: wallet.address } })
  const early = await publish()
  deepEqual([early.status, early.body.code], [422, 'profile-incomplete'])
  deepEqual(early.body.errors.map(({ field }: { field: string }) => field).sort(), ['handle', 'name'])
  equal((await publisher.calls(updateProfile, { body: { name: 'Wilma', handle: 'wilma_wallet' } })).status, 200)
  equal((await publish()).status, 200)
  await world.runJobs()
})

test('a guest who links a wallet is no longer a guest', async (t) => {
  const world = await sharedWorld(t)
  const { owner, accountId } = await world.reader()
  const accounts = world.services.db.updateTable('accounts').where('id', '=', accountId)
  await accounts.set({ is_anonymous: true, email: null, email_confirmed_at: null }).execute()
  equal((await links(owner, signingWallet())).status, 200)
  const row = await world.services.db
    .selectFrom('accounts')
    .select('is_anonymous')
    .where('id', '=', accountId)
    .execute()
  deepEqual(row, [{ is_anonymous: false }])
})

test('a proof of unknown shape is invalid, and a publishing key cannot link a wallet', async (t) => {
  const world = await sharedWorld(t)
  const { owner, publisher } = await world.creator()
  const wallet: SigningWallet = signingWallet()
  const { challengeId, message, pollSecret } = await challengeFor(owner, wallet.address)
  const signature = wallet.signs(message)
  for (const body of [
    {},
    { challengeId },
    { challengeId, account: wallet.address },
    { challengeId, account: wallet.address, signature, pollSecret },
    { challengeId: 'x', account: wallet.address, signature },
  ])
    equal((await owner.sends(linkWallet, { body })).status, 422, JSON.stringify(body))
  equal((await publisher.sends(linkWallet, { body: { challengeId, account: wallet.address, signature } })).status, 401)
  equal((await publisher.calls(listWallets, {})).status, 401)
})

test('no secret is stored: not the poll secret, not the tokens, not the signature', async (t) => {
  const world = await sharedWorld(t)
  const wallet = signingWallet()
  const { pair } = await signInByWallet(world, wallet)
  const { pollSecret, message } = await challengeFor(world.stranger(), wallet.address)
  const { rows } = await world.services.pool.query(
    `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'`,
  )
  const tables = rows.map(({ table_name }) => world.services.pool.query(`SELECT * FROM ${table_name}`))
  const dump = JSON.stringify((await Promise.all(tables)).map((table) => table.rows))
  ok(dump.includes(wallet.address))
  for (const secret of [
    pollSecret,
    pair.accessToken,
    pair.refreshToken,
    wallet.signs(message),
    pollSecret.slice(6, 40),
  ])
    ok(!dump.includes(secret), secret.slice(0, 8))
})
