import { deepEqual, equal } from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { saveBasePayoutAddress } from '@pennypost/contract/profiles'
import type { PaymentRequirements } from '@pennypost/contract/x402'
import { encodeFunctionData } from 'viem/utils'
import { sendFromNewAccount } from '../../development/base-chain/chain-contents.ts'
import { auditBooks } from '../../payments/audit/audit-books.ts'
import { auditUsdc } from '../../payments/audit/audit-usdc.ts'
import { sells } from '../../payments/market.fixture.ts'
import type { EmbeddedChain } from '../../rails/base/embedded-chain.ts'
import { openBase } from '../../rails/base/open-base.ts'
import { tokenAbi } from '../../rails/base/payment/payments.fixture.ts'
import type { Hex } from '../../rails/base/rpc/chain-replies.ts'
import { type BaseWallet, createBaseWallet, payWith } from '../../test/base-wallet.ts'
import { createFaultyNode, type FaultyNode } from '../../test/faulty-node.ts'
import type { Creator } from '../../test/people.ts'
import type { Person } from '../../test/person.ts'
import { type OpenWorldOptions, openWorld, type World } from '../../test/world.ts'
import { presents, quoteFor } from './buying.fixture.ts'

export const usdcPrice = 250_000n

/** A world on a separate chain, with a creator who sells a post for USDC. */
export interface UsdcMarket {
  readonly world: World
  readonly chain: EmbeddedChain
  readonly creator: Creator
  /** Where the creator is paid. */
  readonly payTo: Hex
  readonly postId: string
  /** A new wallet with ten dollars. */
  fundedWallet(amountAtomic?: bigint): Promise<BaseWallet & { readonly privateKey: Hex }>
  balance(address: string): Promise<bigint>
  /** A quote, and a stock client's payment of it. */
  order(person: Person, wallet: BaseWallet, postId?: string): Promise<Order>
  /** What waits is tried again some time later. */
  later(seconds: number): Promise<void>
}

export interface Order {
  readonly accepted: PaymentRequirements
  // biome-ignore lint/suspicious/noExplicitAny: tests take it apart
  readonly payload: any
}

export async function openUsdcMarket(t: TestContext, options: OpenWorldOptions = {}): Promise<UsdcMarket> {
  let opened: World | undefined
  // Before the world is closed: the notifications of sales are sent.
  t.after(() => opened?.runJobs())
  // Stock clients sign with the machine's time. With a clock that another test moved, their payments would have expired.
  const world = await openWorld(t, { isolation: 'unmoved', ...options })
  opened = world
  const creator = await world.creator()
  const payTo = createBaseWallet().address
  await creator.owner.calls(saveBasePayoutAddress, { body: { payoutAddress: payTo } })
  const postId = await sellsForUsdc(creator)
  const chain = await world.services.base!.embeddedChain!()
  return {
    world,
    chain,
    creator,
    payTo,
    postId,
    async fundedWallet(amountAtomic = 10_000_000n) {
      const wallet = createBaseWallet()
      await chain.mint(wallet.address, amountAtomic)
      return wallet
    },
    async balance(address) {
      const data = `0x70a08231${address.slice(2).padStart(64, '0')}`
      return BigInt(String(await chain.call('eth_call', { to: world.services.config.usdcAddress, data }, 'latest')))
    },
    async order(person, wallet, ofPost = postId) {
      const accepted = await quoteFor(person, ofPost, 'eip155:8453')
      return { accepted, payload: (await payWith(wallet, accepted)).payload }
    },
    async later(seconds) {
      await world.advance(seconds)
      await world.runJobs()
    },
  }
}

export const sellsForUsdc = (creator: Creator, input: object = {}): Promise<string> =>
  sells(creator, { priceCurrency: 'USDC', priceAtomic: String(usdcPrice), ...input })

/** Puts a faulty proxy between the service and its chain. */
export async function stranger(
  t: TestContext,
  { world, chain }: UsdcMarket,
  settleTimeoutMs = 2_000,
): Promise<FaultyNode> {
  const faultyNode = await createFaultyNode(t, { rpcUrl: chain.rpcUrl, wsUrl: '' })
  const { base: own, config, clock, log, metrics } = world.services
  t.after(() => Object.assign(world.services, { base: own }))
  metrics.registry.clear()
  const base = await openBase(config, {
    clock,
    log,
    metrics,
    settleTimeoutMs,
    openChain: async () => ({ ...chain, rpcUrl: faultyNode.rpcUrl }),
  })
  Object.assign(world.services, { base })
  return faultyNode
}

export async function buys(market: UsdcMarket, person: Person, wallet: BaseWallet, postId = market.postId) {
  const { accepted, payload } = await market.order(person, wallet, postId)
  const reply = await presents(person, postId, accepted, payload)
  equal(reply.status, 200, JSON.stringify(reply.body))
  return { accepted, payload, reply }
}

/** The auditor finds nothing: neither in the books nor on the chain. */
export async function isClean({ world }: UsdcMarket): Promise<void> {
  const { db, clock, base } = world.services
  const { findings, underWay } = await auditUsdc(db, base, clock.now())
  deepEqual([await auditBooks(db, clock.now()), findings, underWay], [[], [], []])
}

/** A stranger presents an authorization to the token, as anyone may. */
export function submits({ world, chain }: UsdcMarket, payload: Order['payload']) {
  const { authorization: signed, signature } = payload
  const { from, to, value, validAfter, validBefore, nonce } = signed
  const args = [from, to, BigInt(value), BigInt(validAfter), BigInt(validBefore), nonce, signature] as const
  const data = encodeFunctionData({ abi: tokenAbi, functionName: 'transferWithAuthorization', args })
  return sendFromNewAccount(chain.call, { to: world.services.config.usdcAddress, data })
}

/** The smallest price of a post with a ZIP. */
export const usdcZipPost = {
  title: 'With a ZIP',
  freeContentMarkdown: 'Free',
  paidContentMarkdown: 'secret',
  enablePaywall: true,
  priceCurrency: 'USDC',
  priceAtomic: '250000',
  category: 'technology',
  language: 'en',
  creationMethod: 'human',
  creationAttested: true,
} as const
