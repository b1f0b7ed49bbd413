import { deepEqual, equal, rejects } from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type TestContext, test } from 'node:test'
import { hashBlock, linkTo } from '@pennypost/nano/block'
import { type Clock, movableClock, systemClock } from '../../../platform/clock.ts'
import { type NanoNetworkUnderTest, openNanoNetwork, testLog } from '../../../test/nano-network.ts'
import { complete } from '../../../test/nano-wallet.ts'
import { createNodeDouble, type Fault, type NodeDouble } from '../../../test/node-double.ts'
import { createNodeClient } from './node-client.ts'
import { createRpcEndpoint } from './rpc-endpoint.ts'

const xno = 10n ** 30n

const clientOf = (urls: readonly string[], clock: Clock = systemClock()) =>
  createNodeClient(urls.map((url) => createRpcEndpoint({ url, clock, log: testLog, timeoutMs: 2_000 })))

async function setUp(t: TestContext) {
  const network = await openNanoNetwork(t)
  const double = await createNodeDouble(t, network)
  return { network, double, client: clientOf([double.rpcUrl]) }
}

async function somePayment(network: NanoNetworkUnderTest) {
  const ada = await network.fundedWallet(xno)
  return ada.next({ balance: 0n, link: linkTo(network.wallet().address) })
}

/** An address where nobody listens. */
async function closedAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return `http://127.0.0.1:${port}`
}

test('a read that fails once is asked again', async (t) => {
  const { network, double, client } = await setUp(t)
  for (const fault of ['silent', 'drop', 'drop-after', 'garbage', 'empty', 'bad-gateway'] as const) {
    double.next('account_info', fault)
    equal((await client.accountInfo(network.faucet.address))!.representative, network.faucet.address, String(fault))
  }
})

test('a node that lies is told apart from one that is away', async (t) => {
  const { network, double } = await setUp(t)
  const hash = await network.faucet.send(network.wallet().address, 5n)
  const other = await network.faucet.send(network.wallet().address, 5n)
  await network.untilConfirmed(other)
  const [known, another] = await Promise.all(
    [hash, other].map((each) => network.ask({ action: 'block_info', hash: each, json_block: 'true' })),
  )
  const destination = known.contents.link_as_account
  // A client of its own each: one that lied three times would be left alone.
  const client = () => clientOf([double.rpcUrl])
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
      (answer) => ({ ...answer, work: '0000000000000000' }),
      () => client().generateWork(hash, 2n ** 64n - 2n ** 54n),
    ],
    ['account_history', () => ({ history: [{}] }), () => client().accountHistory(network.faucet.address, { count: 1 })],
    ['version', () => [], () => client().verify()],
  ]
  for (const [action, lie, ask] of lies) {
    double.always(action, lie)
    await rejects(ask(), { name: 'NodeNonsense' }, action)
    double.heal()
  }
  double.always('*', 'drop')
  await rejects(client().accountInfo(network.faucet.address), { name: 'NodeUnreachable' })
  double.heal()
  double.always('*', 'busy')
  await rejects(client().accountInfo(network.faucet.address), { name: 'NodeRefusal', message: 'Work queue is full' })
})

test('several blocks are asked for at once; those that do not exist are left out', async (t) => {
  const { network, client } = await setUp(t)
  const hash = await network.faucet.send(network.wallet().address, 5n)
  const found = await client.blocksInfo([hash, 'AB'.repeat(32)])
  deepEqual([...found.keys()], [hash])
  equal(found.get(hash)!.amount, 5n)
  deepEqual(await client.blocksInfo([]), new Map())
  deepEqual(await client.accountHistory(network.wallet().address, { count: 3 }), { entries: [], next: undefined })
})

test('a published block that got no answer is uncertain, never failed', async (t) => {
  const { network, double, client } = await setUp(t)
  for (const [fault, isThere] of [
    ['silent', false],
    ['drop', false],
    ['silent-after', true],
    ['drop-after', true],
    ['garbage', false],
    ['bad-gateway', false],
    ['busy', false],
    [(answer: object) => ({ ...answer, hash: 'AB'.repeat(32) }), true],
  ] as const) {
    const block = await somePayment(network)
    double.next('process', fault)
    const fresh = clientOf([double.rpcUrl])
    equal((await fresh.process(block)).kind, 'uncertain', String(fault))
    equal((await network.client.blockInfo(hashBlock(block))) !== undefined, isThere, String(fault))
    // The same block again is harmless, and settles it.
    equal((await client.process(block)).kind, isThere ? 'old' : 'accepted', String(fault))
  }
})

test('old, fork, gap and refused are told apart', async (t) => {
  const { network, double, client } = await setUp(t)
  const ada = await network.fundedWallet(xno)
  const eve = network.wallet()
  const first = await ada.next({ balance: xno / 2n, link: linkTo(eve.address) })
  const rival = await ada.next({ balance: 1n, link: linkTo(eve.address) })
  const hash = hashBlock(first)
  double.next('process', 'twice')
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

test('two blocks that arrive in the wrong order: the second meets a gap, and is taken when it comes again', async (t) => {
  const { network, double, client } = await setUp(t)
  const ada = await network.fundedWallet(xno)
  const first = await ada.next({ balance: xno / 2n, link: linkTo(network.wallet().address) })
  const second = await complete(network, ada.secretKey, { ...first, previous: hashBlock(first), balance: '0' })
  double.next('process', 'late')
  const late = client.process(first)
  deepEqual(await client.process(second), { kind: 'gap', hash: hashBlock(second), of: 'previous' })
  equal((await late).kind, 'accepted')
  equal((await client.process(second)).kind, 'accepted')
})

test('another node answers for one that is away, and a no after a doubt stays a doubt', async (t) => {
  const network = await openNanoNetwork(t)
  const [one, two] = [await createNodeDouble(t, network), await createNodeDouble(t, network)]
  const client = () => clientOf([one.rpcUrl, two.rpcUrl])
  one.always('*', 'silent')
  equal((await client().accountInfo(network.faucet.address))!.representative, network.faucet.address)
  const block = await somePayment(network)
  equal((await client().process(block)).kind, 'accepted')
  one.heal()

  // The first took it and said nothing; the second has it already.
  const next = await somePayment(network)
  one.always('process', 'drop-after')
  equal((await client().process(next)).kind, 'old')
  // The first may have taken it; that the second knows a rival proves nothing.
  two.always('process', () => ({ error: 'Fork' }))
  const third = await somePayment(network)
  equal((await client().process(third)).kind, 'uncertain')
  // Of a node that could not even be reached there is no doubt.
  const refusing = clientOf([await closedAddress(), two.rpcUrl])
  equal((await refusing.process(third)).kind, 'fork')
})

test('a node that fails again and again is not called for a while, then tried with one call at a time', async (t) => {
  const network = await openNanoNetwork(t)
  const double: NodeDouble = await createNodeDouble(t, network)
  const clock = await movableClock()
  const client = clientOf([double.rpcUrl], clock)
  const ask = () => client.accountInfo(network.faucet.address)
  double.always('*', 'drop')
  for (let failed = 0; failed < 2; failed += 1) await rejects(ask(), { name: 'NodeUnreachable' })
  const before = double.heard.length
  await rejects(ask(), { name: 'NodeUnreachable', message: /circuit breaker is open/ })
  equal(double.heard.length, before)

  await clock.advance(3_000)
  await Promise.allSettled([ask(), ask(), ask()])
  equal(double.heard.length, before + 1)
  double.heal()
  await rejects(ask(), { message: /circuit breaker is open/ })
  await clock.advance(60_000)
  equal((await ask())!.representative, network.faucet.address)
  await Promise.all([ask(), ask(), ask()])
})

test('credentials in an address are sent as a header, and not followed elsewhere', async (t) => {
  const seen: (string | undefined)[] = []
  const server = createServer((request, response) => {
    seen.push(request.headers.authorization)
    response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end()
  }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  await rejects(clientOf([`http://ada:s%40fe@127.0.0.1:${port}/rpc`]).verify(), { name: 'NodeUnreachable' })
  equal(seen[0], `Basic ${Buffer.from('ada:s@fe').toString('base64')}`)
})
