import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type TestContext, test } from 'node:test'
import { nanoAddress } from '@pennypost/nano/address'
import { hashBlock, linkTo } from '@pennypost/nano/block'
import { genesisHashes } from '@pennypost/nano/genesis'
import { isWorkEnough, workThresholds } from '@pennypost/nano/work'
import { type Clock, movableClock, systemClock } from '../../../platform/clock.ts'
import { createFaultyNode, type Fault, type FaultyNode } from '../../../test/faulty-node.ts'
import { type NanoNetworkUnderTest, openEmptyLedger, openNanoNetwork, testLog } from '../../../test/nano-network.ts'
import { complete } from '../../../test/nano-wallet.ts'
import { until } from '../../../test/until.ts'
import { createNodeClient, type NodeClient } from './node-client.ts'
import { createRpcEndpoint } from './rpc-endpoint.ts'

const xno = 10n ** 30n
const zeroAddress = nanoAddress(new Uint8Array(32))

const clientOf = (urls: readonly string[], clock: Clock = systemClock()) =>
  createNodeClient(
    urls.map((url) => createRpcEndpoint({ url, clock, log: testLog, timeoutMs: 2_000 })),
    clock,
  )

/** A client that checks the network of its nodes, as the service does. */
const devClientOf = (urls: readonly string[], clock: Clock = systemClock()) =>
  createNodeClient(
    urls.map((url) => createRpcEndpoint({ url, network: 'dev', clock, log: testLog, timeoutMs: 2_000 })),
    clock,
  )

const statesOf = async (client: NodeClient) => (await client.checkNodes()).map(({ state }) => state)

async function setUp(t: TestContext) {
  const network = await openNanoNetwork(t)
  const faultyNode = await createFaultyNode(t, network)
  return { network, faultyNode, client: clientOf([faultyNode.rpcUrl]) }
}

async function somePayment(network: NanoNetworkUnderTest) {
  const ada = await network.fundedWallet(xno)
  return ada.next({ balance: 0n, link: linkTo(network.wallet().address) })
}

/** A URL where nothing listens. */
async function closedAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return `http://127.0.0.1:${port}`
}

test('a read that fails once is retried', async (t) => {
  const { network, faultyNode, client } = await setUp(t)
  for (const fault of ['silent', 'drop', 'drop-after', 'garbage', 'empty', 'bad-gateway'] as const) {
    faultyNode.next('account_info', fault)
    equal((await client.accountInfo(network.faucet.address))!.representative, network.faucet.address, String(fault))
  }
})

test('a block whose predecessor was pruned has no amount, and that is no fault of the node', async (t) => {
  const { network, faultyNode } = await setUp(t)
  const hash = await network.faucet.send(network.wallet().address, 5n)
  await network.untilConfirmed(hash)
  const client = clientOf([faultyNode.rpcUrl])
  faultyNode.always('block_info', ({ amount: _, ...info }) => info)
  for (let time = 0; time < 5; time += 1) equal((await client.blockInfo(hash))!.amount, undefined)
  faultyNode.heal()
  equal((await client.blockInfo(hash))!.amount, 5n)
})

test('an amount that one node has pruned is asked of the next one', async (t) => {
  const { network, faultyNode } = await setUp(t)
  const hash = await network.faucet.send(network.wallet().address, 5n)
  await network.untilConfirmed(hash)
  const client = clientOf([faultyNode.rpcUrl, network.rpcUrl])
  faultyNode.always('block_info', ({ amount: _, ...info }) => info)
  faultyNode.always('blocks_info', (reply) => {
    delete reply.blocks[hash].amount
    return reply
  })
  equal((await client.blockInfo(hash))!.amount, 5n)
  equal((await client.blocksInfo([hash])).get(hash)!.amount, 5n)
  ok(faultyNode.requests.includes('block_info') && faultyNode.requests.includes('blocks_info'))
})

test('a malformed reply is distinguished from an unreachable node', async (t) => {
  const { network, faultyNode } = await setUp(t)
  const hash = await network.faucet.send(network.wallet().address, 5n)
  const other = await network.faucet.send(network.wallet().address, 5n)
  await network.untilConfirmed(other)
  const [known, another] = await Promise.all(
    [hash, other].map((each) => network.call({ action: 'block_info', hash: each, json_block: 'true' })),
  )
  const destination = known.contents.link_as_account
  // Any constant would be enough for one hash in a thousand.
  const tooWeak = ['0000000000000000', '0000000000000001', '0000000000000002'].find(
    (work) => !isWorkEnough(hash, work, workThresholds.dev.send),
  )
  // A new client each time: after three false replies the circuit breaker would open.
  const client = () => clientOf([faultyNode.rpcUrl])
  const lies: [string, Fault, () => Promise<unknown>][] = [
    ['block_info', () => another, () => client().blockInfo(hash)],
    ['block_info', (info) => ({ ...info, balance: '1' }), () => client().blockInfo(hash)],
    ['block_info', (info) => ({ ...info, amount: '-5' }), () => client().blockInfo(hash)],
    ['block_info', (info) => ({ ...info, confirmed: 'perhaps' }), () => client().blockInfo(hash)],
    ['block_info', (info) => ({ ...info, contents: { type: 'state' } }), () => client().blockInfo(hash)],
    ['blocks_info', () => ({ blocks: { [hash]: another } }), () => client().blocksInfo([hash])],
    ['blocks_info', () => ({ blocks: '' }), () => client().blocksInfo([hash])],
    ['blocks_info', () => ({ blocks: { [hash]: known, [other]: another } }), () => client().blocksInfo([hash])],
    ['account_info', (info) => ({ ...info, frontier: 'x' }), () => client().accountInfo(network.faucet.address)],
    ['account_info', (info) => ({ ...info, balance: '1e3' }), () => client().accountInfo(network.faucet.address)],
    [
      'receivable',
      () => ({ blocks: { [hash]: { amount: '5', source: 'nano_1' } } }),
      () => client().receivable(destination, 1n),
    ],
    [
      'receivable',
      () => ({ blocks: { [hash]: { amount: '0', source: network.faucet.address } } }),
      () => client().receivable(destination, 1n),
    ],
    ['receivable', () => ({ blocks: [hash] }), () => client().receivable(destination, 1n)],
    [
      'accounts_receivable',
      () => ({ blocks: { [network.faucet.address]: { [hash]: { amount: '5', source: network.faucet.address } } } }),
      () => client().receivableOfMany([{ account: destination, threshold: 1n }]),
    ],
    [
      'accounts_receivable',
      () => ({ blocks: { [destination]: { [hash]: { amount: '4', source: network.faucet.address } } } }),
      () => client().receivableOfMany([{ account: destination, threshold: 5n }]),
    ],
    [
      'accounts_receivable',
      () => ({ blocks: { [destination]: [hash] } }),
      () => client().receivableOfMany([{ account: destination, threshold: 1n }]),
    ],
    [
      'work_generate',
      (reply) => ({ ...reply, work: tooWeak }),
      () => client().generateWork(hash, workThresholds.dev.send),
    ],
    ['account_history', () => ({ history: [{}] }), () => client().accountHistory(network.faucet.address, { count: 1 })],
  ]
  for (const [action, lie, ask] of lies) {
    faultyNode.always(action, lie)
    await rejects(ask(), { name: 'MalformedReply' }, action)
    faultyNode.heal()
  }
  faultyNode.always('*', 'drop')
  await rejects(client().accountInfo(network.faucet.address), { name: 'NodeUnreachable' })
  faultyNode.heal()
  faultyNode.always('*', 'busy')
  await rejects(client().accountInfo(network.faucet.address), { name: 'NodeRefusal', message: 'Work queue is full' })
})

test('several blocks are read in one request; those that do not exist are omitted', async (t) => {
  const { network, client } = await setUp(t)
  const hash = await network.faucet.send(network.wallet().address, 5n)
  const found = await client.blocksInfo([hash, 'AB'.repeat(32)])
  deepEqual([...found.keys()], [hash])
  equal(found.get(hash)!.amount, 5n)
  deepEqual(await client.blocksInfo([]), new Map())
  deepEqual(await client.accountHistory(network.wallet().address, { count: 3 }), { entries: [], next: undefined })
})

test('a published block without a reply is uncertain, never failed', async (t) => {
  const { network, faultyNode, client } = await setUp(t)
  for (const [fault, isThere] of [
    ['silent', false],
    ['drop', false],
    ['silent-after', true],
    ['drop-after', true],
    ['garbage', false],
    ['bad-gateway', false],
    ['busy', false],
    [(reply: object) => ({ ...reply, hash: 'AB'.repeat(32) }), true],
  ] as const) {
    const block = await somePayment(network)
    faultyNode.next('process', fault)
    const fresh = clientOf([faultyNode.rpcUrl])
    equal((await fresh.process(block)).kind, 'uncertain', String(fault))
    equal((await network.client.blockInfo(hashBlock(block))) !== undefined, isThere, String(fault))
    // Publishing the same block again is harmless and makes the outcome certain.
    equal((await client.process(block)).kind, isThere ? 'old' : 'accepted', String(fault))
  }
})

test('old, fork, gap and refused are distinguished', async (t) => {
  const { network, faultyNode, client } = await setUp(t)
  const ada = await network.fundedWallet(xno)
  const eve = network.wallet()
  const first = await ada.next({ balance: xno / 2n, link: linkTo(eve.address) })
  const rival = await ada.next({ balance: 1n, link: linkTo(eve.address) })
  const hash = hashBlock(first)
  faultyNode.next('process', 'twice')
  deepEqual(await client.process(first), { kind: 'old', hash })
  deepEqual(await client.process(first), { kind: 'old', hash })
  deepEqual(await client.process(rival), { kind: 'fork', hash: hashBlock(rival) })
  deepEqual(await client.process({ ...rival, signature: first.signature }), {
    kind: 'refused',
    hash: hashBlock(rival),
    reason: 'Bad signature',
  })
  const second = await ada.next({ balance: 0n, link: linkTo(eve.address) })
  const orphan = await eve.next({ balance: 5n, link: 'AB'.repeat(32) })
  deepEqual(await client.process(orphan), { kind: 'gap', hash: hashBlock(orphan), of: 'source' })
  deepEqual(await client.process(second), { kind: 'accepted', hash: hashBlock(second) })
})

test('of two blocks in the wrong order, the second meets a gap, is kept, and is old when it is published again', async (t) => {
  const { network, faultyNode, client } = await setUp(t)
  const ada = await network.fundedWallet(xno)
  const first = await ada.next({ balance: xno / 2n, link: linkTo(network.wallet().address) })
  const second = await complete(network, ada.secretKey, { ...first, previous: hashBlock(first), balance: '0' })
  faultyNode.next('process', 'late')
  const late = client.process(first)
  deepEqual(await client.process(second), { kind: 'gap', hash: hashBlock(second), of: 'previous' })
  equal((await late).kind, 'accepted')
  // The node kept it, and added it after the first one.
  await until('the second block is there', async () => (await client.blockInfo(hashBlock(second))) !== undefined)
  equal((await client.process(second)).kind, 'old')
})

test('another node takes over for an unreachable one, and a refusal after an uncertain outcome leaves it uncertain', async (t) => {
  const network = await openNanoNetwork(t)
  const [one, two] = [await createFaultyNode(t, network), await createFaultyNode(t, network)]
  const client = () => clientOf([one.rpcUrl, two.rpcUrl])
  one.always('*', 'silent')
  equal((await client().accountInfo(network.faucet.address))!.representative, network.faucet.address)
  const block = await somePayment(network)
  equal((await client().process(block)).kind, 'accepted')
  one.heal()

  // The first node accepted it but did not reply; the second already has it.
  const next = await somePayment(network)
  one.always('process', 'drop-after')
  equal((await client().process(next)).kind, 'old')
  // The first node may have accepted it. That the second knows a rival block proves nothing.
  two.always('process', () => ({ error: 'Fork' }))
  const third = await somePayment(network)
  equal((await client().process(third)).kind, 'uncertain')
  // A node that could not even be reached leaves no uncertainty.
  const refusing = clientOf([await closedAddress(), two.rpcUrl])
  equal((await refusing.process(third)).kind, 'fork')
})

test('the circuit breaker opens after repeated failures, then lets one call at a time through', async (t) => {
  const network = await openNanoNetwork(t)
  const faultyNode: FaultyNode = await createFaultyNode(t, network)
  const clock = await movableClock()
  const client = clientOf([faultyNode.rpcUrl], clock)
  const ask = () => client.accountInfo(network.faucet.address)
  faultyNode.always('*', 'drop')
  for (let failed = 0; failed < 2; failed += 1) await rejects(ask(), { name: 'NodeUnreachable' })
  const before = faultyNode.requests.length
  await rejects(ask(), { name: 'NodeUnreachable', message: /circuit breaker is open/ })
  equal(faultyNode.requests.length, before)

  await clock.advance(3_000)
  await Promise.allSettled([ask(), ask(), ask()])
  equal(faultyNode.requests.length, before + 1)
  faultyNode.heal()
  await rejects(ask(), { message: /circuit breaker is open/ })
  await clock.advance(60_000)
  equal((await ask())!.representative, network.faucet.address)
  await Promise.all([ask(), ask(), ask()])
})

test('credentials in a URL are sent as a header, and redirects are not followed', async (t) => {
  const seen: (string | undefined)[] = []
  const server = createServer((request, response) => {
    seen.push(request.headers.authorization)
    response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end()
  }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  await rejects(clientOf([`http://ada:s%40fe@127.0.0.1:${port}/rpc`]).accountInfo(zeroAddress), {
    name: 'NodeUnreachable',
  })
  equal(seen[0], `Basic ${Buffer.from('ada:s@fe').toString('base64')}`)
})

test('a node of another network is not used, until it is on ours', async (t) => {
  const { network, faultyNode } = await setUp(t)
  const clock = await movableClock()
  const client = devClientOf([faultyNode.rpcUrl], clock)
  const others: [string, Fault][] = [
    ['version', (reply) => ({ ...reply, network: 'live' })],
    ['version', (reply) => ({ ...reply, network_identifier: genesisHashes.live })],
    ['version', ({ network_identifier, ...reply }) => ({ ...reply, network: undefined })],
    ['version', () => ({ error: 'Action is not allowed' })],
  ]
  for (const [action, lie] of others) {
    faultyNode.always(action, lie)
    // Where `version` does not tell, the genesis block does.
    faultyNode.always('block_info', () => ({ error: 'Block not found' }))
    deepEqual(await statesOf(client), ['wrong-network'])
    await rejects(client.accountInfo(network.faucet.address), { name: 'WrongNetwork' })
    faultyNode.heal()
    await clock.advance(10_000)
    equal((await client.accountInfo(network.faucet.address))!.representative, network.faucet.address)
    deepEqual(await statesOf(client), ['ok'])
  }
  // A node that does not say may be of our network.
  faultyNode.always('*', 'busy')
  deepEqual(await statesOf(client), ['unreachable'])
})

test('a node of another network is skipped for one of ours', async (t) => {
  const { network, faultyNode } = await setUp(t)
  faultyNode.always('version', (reply) => ({ ...reply, network: 'beta' }))
  const client = devClientOf([faultyNode.rpcUrl, network.rpcUrl])
  equal((await client.accountInfo(network.faucet.address))!.representative, network.faucet.address)
  const block = await somePayment(network)
  equal((await client.process(block)).kind, 'accepted')
  deepEqual(await statesOf(client), ['wrong-network', 'ok'])
  deepEqual(
    faultyNode.requests.filter((action) => action !== 'version'),
    [],
  )
})

test('a node that is empty does not hide one that knows more', async (t) => {
  const [network, empty] = [await openNanoNetwork(t), await openEmptyLedger(t)]
  const client = devClientOf([empty.rpcUrl, network.rpcUrl])
  const ada = await network.fundedWallet(xno)
  const { address } = network.wallet()
  const hash = await ada.sends(address, 5n)
  await network.untilConfirmed(hash)
  equal((await client.accountInfo(ada.address))?.frontier, hash)
  equal((await client.blockInfo(hash))?.isConfirmed, true)
  equal((await client.blocksInfo([hash])).get(hash)?.isConfirmed, true)
  deepEqual(
    (await client.receivable(address, 1n)).map((found) => found.hash),
    [hash],
  )
  equal((await client.accountHistory(ada.address, { count: 1 })).entries[0]?.hash, hash)
  // What no node knows stays unknown.
  equal(await client.accountInfo(address), undefined)
  equal(await client.blockInfo('AB'.repeat(32)), undefined)
  const next = await ada.next({ balance: 0n, link: linkTo(address) })
  equal((await client.process(next)).kind, 'accepted')
})

test('a node with fewer confirmed blocks is used last, and reported, until it has caught up', async (t) => {
  const network = await openNanoNetwork(t)
  const [one, two] = [await createFaultyNode(t, network), await createFaultyNode(t, network)]
  const clock = await movableClock()
  const client = devClientOf([one.rpcUrl, two.rpcUrl], clock)
  const has = (count: number) => () => ({ count: String(count), unchecked: '0', cemented: String(count) })
  const used = async () => {
    const before = [one.requests.length, two.requests.length]
    await client.receivableOfMany([{ account: network.faucet.address, threshold: 1n }])
    return [one.requests.length > before[0]!, two.requests.length > before[1]!]
  }
  one.always('block_count', has(1_000))
  two.always('block_count', has(1_100))
  // A moment's difference is nothing.
  deepEqual(await statesOf(client), ['ok', 'ok'])
  await clock.advance(61_000)
  one.always('block_count', has(1_099))
  two.always('block_count', has(1_200))
  deepEqual(await statesOf(client), ['behind', 'ok'])
  deepEqual(await used(), [false, true])
  one.always('block_count', has(1_150))
  deepEqual(await statesOf(client), ['ok', 'ok'])
  deepEqual(await used(), [true, false])
  // One that has less than half is behind at once.
  one.always('block_count', has(500))
  deepEqual(await statesOf(client), ['behind', 'ok'])
  const [status] = await client.checkNodes()
  equal(status?.problem?.includes('500 confirmed blocks'), true)
  // It is better than none.
  two.always('*', 'drop')
  deepEqual(await used(), [true, true])
})

test('the name of a node for logs and strangers has neither path nor query, where providers put keys', async () => {
  const client = devClientOf([`${(await closedAddress()).replace('http://', 'http://ada:safe@')}/path/key?token=key`])
  const [status] = await client.checkNodes()
  match(status!.problem!, /^http:\/\/127\.0\.0\.1:\d+ cannot be used: /)
  equal(/key|safe/.test(status!.problem!), false)
})
