import { deepEqual, equal, rejects } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { faucet } from '../../../development/base-chain/chain-contents.ts'
import { movableClock, type ServiceClock } from '../../../platform/clock.ts'
import { createLog } from '../../../platform/log.ts'
import { borrowTestChain, hasAnvil } from '../../../test/base-chain.ts'
import { createFaultyNode, type Fault } from '../../../test/faulty-node.ts'
import { baseChainId } from '../base-chain-id.ts'
import { refusedBroadcast } from './broadcast-outcome.ts'
import { createChainClient } from './chain-client.ts'
import { createRpcEndpoint } from './rpc-endpoint.ts'

const skip = !hasAnvil
const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const log = createLog('silent')

async function setUp(t: TestContext) {
  const clock = await movableClock()
  const chain = await borrowTestChain({ clock, usdc })
  t.after(() => chain.close())
  const faultyNode = await createFaultyNode(t, chain)
  return { clock, chain, faultyNode, client: () => clientOf([faultyNode.rpcUrl], clock) }
}

const clientOf = (urls: readonly string[], clock: ServiceClock) =>
  createChainClient(urls.map((url) => createRpcEndpoint({ url, chainId: baseChainId, clock, log, timeoutMs: 2_000 })))

test('a read that fails once is retried, or goes to another node', { skip }, async (t) => {
  const { chain, clock, faultyNode, client } = await setUp(t)
  for (const fault of ['silent', 'drop', 'drop-after', 'garbage', 'empty', 'busy', 'bad-gateway'] as const) {
    faultyNode.next('eth_getBalance', fault)
    equal((await client().balance(faucet.address)) > 0n, true, fault)
    faultyNode.always('*', fault)
    equal((await clientOf([faultyNode.rpcUrl, chain.rpcUrl], clock).balance(faucet.address)) > 0n, true, fault)
    faultyNode.heal()
  }
})

test('invalid replies are malformed, for every method', { skip }, async (t) => {
  const { faultyNode, client, chain } = await setUp(t)
  const hash = `0x${'ab'.repeat(32)}`
  const minted = await chain.mint(faucet.address, 1n)
  const said =
    (result: unknown): Fault =>
    () => ({ jsonrpc: '2.0', id: 1, result })
  const lies: [string, Fault, () => Promise<unknown>][] = [
    ['eth_getBalance', said('12'), () => client().balance(faucet.address)],
    ['eth_getBalance', said(12), () => client().balance(faucet.address)],
    ['eth_getBalance', said(null), () => client().balance(faucet.address)],
    ['eth_getTransactionCount', said('0xfffffffffff'), () => client().transactionCount(faucet.address, 'latest')],
    ['eth_getCode', said('0x1'), () => client().code(usdc)],
    ['eth_getBlockByNumber', said(null), () => client().newestBlock()],
    ['eth_getBlockByNumber', said({ number: '0x1' }), () => client().newestBlock()],
    ['eth_getTransactionReceipt', said({ transactionHash: hash, status: '0x2' }), () => client().receipt(hash)],
    ['eth_getTransactionByHash', said({ hash: minted }), () => client().knows(hash)],
    ['eth_getTransactionReceipt', (reply) => reply, () => client().receipt(minted.replace('0x', '0X'))],
    [
      'eth_getLogs',
      said([{ address: faucet.address, topics: [], data: '0x', transactionHash: hash, logIndex: '0x0' }]),
      () => client().logs({ address: usdc, topics: [], fromBlock: 0n, toBlock: 1n }),
    ],
  ]
  for (const [method, lie, ask] of lies) {
    faultyNode.always(method, lie)
    await rejects(ask(), (error: Error) => error.name === 'MalformedReply' || error.name === 'ChainRefusal', method)
    faultyNode.heal()
  }
  equal((await client().receipt(minted))!.isSuccess, true)
  equal(await client().receipt(hash), undefined)
})

test('the circuit breaker opens after repeated failures', { skip }, async (t) => {
  const { faultyNode, clock, client } = await setUp(t)
  const one = client()
  faultyNode.always('*', 'drop')
  for (let failed = 0; failed < 2; failed += 1) await rejects(one.balance(faucet.address), { name: 'NodeUnreachable' })
  const before = faultyNode.requests.length
  await rejects(one.balance(faucet.address), { message: /circuit breaker is open/ })
  equal(faultyNode.requests.length, before)
  faultyNode.heal()
  await clock.advance(60_000)
  equal((await one.balance(faucet.address)) > 0n, true)
})

test('broadcast errors of several kinds of nodes are understood', () => {
  const kinds = (messages: string[]) => new Set(messages.map((message) => refusedBroadcast(message).kind))
  deepEqual(kinds(['already known', 'AlreadyKnown', 'transaction already imported']), new Set(['accepted']))
  deepEqual(
    kinds(['nonce too low', 'nonce too low: next nonce 5, tx nonce 3', 'replacement transaction underpriced']),
    new Set(['nonce-used']),
  )
  deepEqual(
    kinds([
      'insufficient funds for gas * price + value',
      'transaction underpriced',
      'max fee per gas less than block base fee',
    ]),
    new Set(['refused']),
  )
  deepEqual(kinds(['txpool is full', 'something new', '']), new Set(['uncertain']))
})
