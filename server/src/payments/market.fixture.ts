import { deepEqual, equal } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import { createPost } from '@pennypost/contract/posts'
import { savePayoutAddress } from '@pennypost/contract/profiles'
import { publishPost } from '@pennypost/contract/publishing'
import { createPurchase, getPurchase, type Purchase } from '@pennypost/contract/purchases'
import { logIn, verifyLogin } from '@pennypost/contract/sessions'
import { tipPost } from '@pennypost/contract/tips'
import type { AddressWatcher } from '../rails/nano/node/address-watcher.ts'
import { type NanoNetworkUnderTest, openNanoNetwork } from '../test/nano-network.ts'
import { createNanoWallet, type NanoWallet } from '../test/nano-wallet.ts'
import type { Creator, Reader } from '../test/people.ts'
import { openOnce } from '../test/shared.ts'
import { type OpenWorldOptions, openWorld, type World } from '../test/world.ts'
import { auditBooks } from './audit/audit-books.ts'
import { auditChain } from './audit/audit-chain.ts'
import { watchAddresses } from './receive-arrivals.ts'

export const xno = 10n ** 30n
export const price = xno / 4n

/** A world on a Nano network, with a creator who sells a post, a buyer, and the buyer's wallet. */
export interface Market {
  readonly world: World
  readonly network: NanoNetworkUnderTest
  readonly creator: Creator
  /** Where the creator is paid. */
  readonly earnings: NanoWallet
  readonly postId: string
  readonly buyer: Reader
  readonly wallet: NanoWallet
  /** Sends from the buyer's wallet; waits until it is confirmed. */
  pays(address: string, amountRaw: bigint): Promise<string>
  /** Checks every address once, and runs the jobs that follow. */
  checkAddresses(): Promise<void>
  /** No longer checks the addresses given out so far, for tests that make thousands. */
  ignoreOldAddresses(): Promise<void>
  /** Moves the clock forward and runs the jobs that are due. */
  passes(seconds: number): Promise<void>
  /** Moves the clock forward, then checks every address. */
  later(seconds: number): Promise<void>
}

export interface MarketOptions extends OpenWorldOptions {
  /** By default the one that the tests of the file share. */
  readonly network?: NanoNetworkUnderTest
  /** A proxy between the service and the node. */
  readonly node?: (network: NanoNetworkUnderTest) => Promise<{ rpcUrl: string; wsUrl: string }>
  /** Other processes watch the addresses; this one does not. */
  readonly isBlind?: true
  /** How many jobs run in parallel, by default one. */
  readonly hands?: number
}

export async function openMarket(t: TestContext, options: MarketOptions = {}): Promise<Market> {
  const network = options.network ?? (await openOnce('nano network', openNanoNetwork, async () => true))
  const node = (await options.node?.(network)) ?? network
  let world: World | undefined
  let watcher: AddressWatcher | undefined
  t.after(async () => {
    await watcher?.stop()
    await world?.runJobs()
  })
  const opened = await openWorld(t, {
    // A separate node is part of the settings, so the world cannot be shared.
    isolation: options.node || options.network ? 'own' : 'emptied',
    ...options,
    settings: { NANO_RPC_URL: node.rpcUrl, NANO_WS_URL: node.wsUrl, NANO_NETWORK: 'dev', ...options.settings },
  })
  world = opened
  if (!options.isBlind) watcher = watchAddresses(opened.services)
  const creator = await opened.creator()
  const earnings = createNanoWallet(network)
  await savesAddress(creator, earnings.address)
  const postId = await sells(creator)
  const buyer = await opened.reader()
  const wallet = await network.fundedWallet(1000n * xno)
  let ignoredUpTo = '0'
  const checkAddresses = async () => {
    const { db } = opened.services
    // A websocket event whose check finds nothing yet would postpone the next check.
    await watcher!.hintsFollowed()
    await db
      .updateTable('nano_addresses')
      .set({ next_check_at: new Date(0) })
      .where('id', '>', ignoredUpTo)
      .execute()
    while ((await watcher!.checkDue()) === 100);
    await watcher!.hintsFollowed()
    await opened.runJobs(options.hands)
  }
  const passes = async (seconds: number) => {
    await opened.advance(seconds)
    await signsIn(opened, buyer)
    await opened.runJobs(options.hands)
  }
  return {
    world: opened,
    network,
    creator,
    earnings,
    postId,
    buyer,
    wallet,
    checkAddresses,
    async ignoreOldAddresses() {
      const far = new Date('9999-01-01')
      await opened.services.db.updateTable('nano_addresses').set({ next_check_at: far }).execute()
      const { rows } = await opened.services.pool.query('SELECT coalesce(max(id), 0) AS last FROM nano_addresses')
      ignoredUpTo = rows[0].last
    },
    async pays(address, amountRaw) {
      const hash = await wallet.sends(address, amountRaw)
      await network.untilConfirmed(hash)
      return hash
    },
    passes,
    async later(seconds) {
      await passes(seconds)
      await checkAddresses()
    },
  }
}

/** Signs in again if the access token expires soon. It is valid for an hour, and emails with codes are limited. */
export async function signsIn(world: World, { email, owner }: Reader): Promise<void> {
  const { exp } = JSON.parse(Buffer.from(owner.token!.split('.')[1]!, 'base64url').toString())
  if (exp * 1000 > world.services.clock.now().getTime() + 600_000) return
  await owner.calls(logIn, { body: { email } })
  await world.runJobs()
  // Notifications about money may have been emailed in the meantime.
  const mail = (await world.mailTo(email)).find(({ code }) => code !== null)
  const { body } = await owner.calls(verifyLogin, { body: { email, code: mail!.code! } })
  owner.token = body.accessToken
}

export const savesAddress = (person: Reader, payoutAddress: string) =>
  person.owner.calls(savePayoutAddress, { body: { payoutAddress } })

export async function sells(creator: Creator, input: object = {}): Promise<string> {
  const post = {
    title: 'On engines',
    freeContentMarkdown: 'Free',
    paidContentMarkdown: 'the-secret-part',
    enablePaywall: true,
    priceCurrency: 'XNO',
    priceAtomic: String(price),
    category: 'technology',
    language: 'en',
    creationMethod: 'human',
    creationAttested: true,
    ...input,
  }
  const draft = await creator.publisher.sends(createPost, { body: post })
  equal(draft.status, 201, JSON.stringify(draft.body))
  const { body, status } = await creator.publisher.calls(publishPost, { params: { postId: draft.body.id } })
  equal(status, 200, JSON.stringify(body))
  return body.id
}

export const asksToBuy = (person: Reader, postId: string, idempotencyKey: string = randomUUID()) =>
  person.owner.calls(createPurchase, { body: { postId }, idempotencyKey })

/** A new quote. */
export async function quotes(person: Reader, postId: string): Promise<{ id: string; address: string }> {
  const { status, body } = await asksToBuy(person, postId)
  equal(status, 201, JSON.stringify(body))
  return { id: body.purchase.id, address: body.ephemeral_address.ephemeral_address }
}

export async function tips(person: Reader, postId: string, amountRaw: bigint) {
  const input = { params: { postId }, body: { amountRaw: String(amountRaw) }, idempotencyKey: randomUUID() }
  const { status, body } = await person.owner.calls(tipPost, input)
  equal(status, 201, JSON.stringify(body))
  return { id: body.session.id as string, address: body.session.ephemeral_address.ephemeral_address as string }
}

export async function reads(person: Reader, purchaseId: string): Promise<Purchase> {
  const { status, body } = await person.owner.calls(getPurchase, { params: { purchaseId } })
  equal(status, 200, JSON.stringify(body))
  return body
}

/** The books are right, and the chain says the same. */
export async function isClean({ world, network }: Pick<Market, 'world' | 'network'>): Promise<void> {
  const { db, clock } = world.services
  deepEqual(await auditBooks(db, clock.now()), [])
  const { findings } = await auditChain(db, network.client)
  deepEqual(findings, [])
}
