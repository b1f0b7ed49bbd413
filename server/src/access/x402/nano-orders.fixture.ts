import { linkTo, type StateBlock } from '@pennypost/nano/block'
import { type Market, type MarketOptions, openMarket } from '../../payments/market.fixture.ts'
import { createFaultyNode, type FaultyNode } from '../../test/faulty-node.ts'
import type { Person } from '../../test/person.ts'
import { until } from '../../test/until.ts'
import { quoteFor } from './buying.fixture.ts'

// A payer who pays a quote with Nano.

export async function blockFor(
  market: Pick<Market, 'wallet' | 'network'>,
  payTo: string,
  amount: bigint,
): Promise<StateBlock> {
  const { wallet, network } = market
  const { balance } = (await network.client.accountInfo(wallet.address))!
  return wallet.next({ balance: balance - amount, link: linkTo(payTo) })
}

/** A quote and the block that pays it. */
export async function order(market: Market, person: Person, postId = market.postId) {
  const accepted = await quoteFor(person, postId)
  const block = await blockFor(market, accepted.payTo, BigInt(accepted.amount))
  return { accepted, block, payload: { block } }
}

/** Waits until this much was sent back to the buyer's wallet, and is confirmed. */
export const untilReturned = ({ network, wallet }: Market, amountRaw: bigint) =>
  until('the money is returned', async () =>
    (await network.client.receivable(wallet.address, 1n)).some(({ amount }) => amount === amountRaw),
  )

export const frontierOf = async ({ network, wallet }: Market) =>
  (await network.client.accountInfo(wallet.address))!.frontier

/** A market with a faulty proxy in front of its node. */
export const openBehindFaultyNode = async (t: Parameters<typeof openMarket>[0], options: MarketOptions = {}) => {
  let faultyNode: FaultyNode | undefined
  const market = await openMarket(t, {
    ...options,
    node: async (network) => {
      faultyNode = await createFaultyNode(t, network)
      return faultyNode
    },
  })
  return { market, faultyNode: faultyNode! }
}
