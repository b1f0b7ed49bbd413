import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { hashBlock, linkTo, type StateBlock, zeroHash } from '@pennypost/nano/block'
import { isWorkEnough, workValue } from '@pennypost/nano/work'
import { openNanoNetwork, realNode } from '../../test/nano-network.ts'
import { complete } from '../../test/nano-wallet.ts'
import { genesisAccount, genesisHash } from './genesis.ts'

// These tests run on the development ledger or, with NANO_TEST_RPC, on a real node.

const xno = 10n ** 30n
const submit = (block: StateBlock, more = {}) => ({ action: 'process', json_block: 'true', block, ...more })

test('money is sent, becomes receivable, is received, and is sent on', async (t) => {
  const { client, faucet, wallet, call, untilConfirmed } = await openNanoNetwork(t)
  const [buyer, creator, house] = [wallet(), wallet(), wallet()]
  deepEqual(await call({ action: 'account_info', account: buyer.address }), { error: 'Account not found' })

  const hash = await faucet.send(buyer.address, 5n * xno)
  await untilConfirmed(hash)
  deepEqual(await client.receivable(buyer.address, 1n), [{ hash, amount: 5n * xno, source: genesisAccount }])
  deepEqual(await call({ action: 'account_balance', account: buyer.address }), {
    balance: '0',
    pending: String(5n * xno),
    receivable: String(5n * xno),
  })
  deepEqual(await call({ action: 'account_info', account: buyer.address }), { error: 'Account not found' })

  equal(await buyer.receives(), 5n * xno)
  deepEqual(await call({ action: 'receivable', account: buyer.address }), { blocks: '' })
  // Right after each other, without waiting for confirmations.
  const toCreator = await buyer.sends(creator.address, 4n * xno)
  const toHouse = await buyer.sends(house.address, xno)
  await untilConfirmed(toCreator)
  await untilConfirmed(toHouse)
  const account = (await client.accountInfo(buyer.address))!
  equal(account.balance, 0n)
  equal(account.confirmedBalance, 0n)
  equal(account.frontier, toHouse)
  equal(account.confirmedFrontier, toHouse)
  equal(account.blockCount, 3)
  deepEqual(
    (await client.receivable(creator.address, 1n)).map(({ amount }) => amount),
    [4n * xno],
  )

  const sent = (await client.blockInfo(toCreator))!
  equal(sent.amount, 4n * xno)
  equal(sent.balance, xno)
  equal(sent.subtype, 'send')
  equal(sent.account, buyer.address)
  equal(sent.successor, toHouse)
  const { entries } = await client.accountHistory(buyer.address, { count: 10 })
  deepEqual(
    entries.map(({ type, account, amount }) => ({ type, account, amount })),
    [
      { type: 'send', account: house.address, amount: xno },
      { type: 'send', account: creator.address, amount: 4n * xno },
      { type: 'receive', account: genesisAccount, amount: 5n * xno },
    ],
  )
})

test('an invalid block is refused with a real node’s message and changes nothing', async (t) => {
  const network = await openNanoNetwork(t)
  const { call, faucet, untilConfirmed, work } = network
  const ada = await network.fundedWallet(5n * xno)
  const eve = await network.fundedWallet(xno)
  const before = await network.client.accountInfo(ada.address)
  const good = await ada.next({ balance: 4n * xno, link: linkTo(eve.address) })
  const signed = (change: Partial<StateBlock>) => complete({ work }, ada.secretKey, { ...good, ...change })
  const toEve = await faucet.send(eve.address, xno)
  await untilConfirmed(toEve)

  const cases: [string, StateBlock, string][] = [
    [
      'signed by another',
      { ...good, signature: (await complete({ work }, eve.secretKey, { ...good, account: eve.address })).signature },
      'Bad signature',
    ],
    ['changed after signing', { ...good, balance: '1' }, 'Bad signature'],
    ['on an unknown block', await signed({ previous: 'AB'.repeat(32) }), 'Gap previous block'],
    ['a second first block', await signed({ previous: zeroHash }), 'Fork'],
    [
      'receiving an unknown send',
      await signed({ balance: String(6n * xno), link: 'AB'.repeat(32) }),
      'Gap source block',
    ],
    ['receiving what is for another', await signed({ balance: String(6n * xno), link: toEve }), 'Unreceivable'],
    [
      'more money without a send',
      await signed({ balance: String(6n * xno), link: zeroHash }),
      'Balance and amount delta do not match',
    ],
    ['a send of nothing', await signed({ balance: String(5n * xno) }), 'Gap source block'],
    [
      'work of zero',
      { ...good, work: await weakWork(good.previous, 0n, 0xefff_ffff_ffff_ffffn) },
      'Block work is less than threshold',
    ],
    [
      'work of a receive',
      { ...good, work: await weakWork(good.previous, 0xf000_0000_0000_0000n, 0xffbf_ffff_ffff_ffffn) },
      'Block work is insufficient',
    ],
    ['no block', { ...good, account: 'nano_1' }, 'Block is invalid'],
  ]
  for (const [what, block, error] of cases) deepEqual(await call(submit(block)), { error }, what)
  const twoMuch = await complete({ work }, eve.secretKey, {
    ...(await eve.next({ balance: 3n * xno, link: toEve })),
  })
  deepEqual(await call(submit(twoMuch)), { error: 'Balance and amount delta do not match' })
  deepEqual(await network.client.accountInfo(ada.address), before)

  deepEqual(await call(submit(good)), { hash: hashBlock(good) })
  deepEqual(await call(submit(good)), { error: 'Old block' })
  deepEqual(await call(submit(await signed({ balance: String(3n * xno) }))), { error: 'Fork' })
  // With a subtype, a real node reports different errors for the same two blocks.
  deepEqual(await call(submit(good, { subtype: 'send' })), { error: 'Invalid block balance for given subtype' })
  await untilConfirmed(hashBlock(good))
  equal(await eve.receives(), 2n * xno)
  const again = await eve.next({ balance: 4n * xno, link: toEve })
  deepEqual(await call(submit(again)), { error: 'Unreceivable' })
})

/** Work between two thresholds: enough for one kind of block but not for the other. */
async function weakWork(root: string, least: bigint, most: bigint): Promise<string> {
  for (let nonce = 0; ; nonce += 1) {
    const work = nonce.toString(16).padStart(16, '0')
    const value = workValue(root, work)!
    if (value >= least && value <= most) return work
  }
}

test('only the link says who is paid; link_as_account is ignored', async (t) => {
  const network = await openNanoNetwork(t)
  const ada = await network.fundedWallet(xno)
  const [named, paid] = [network.wallet(), network.wallet()]
  const block = await ada.next({ balance: 0n, link: linkTo(paid.address) })
  const { hash } = await network.call(submit({ ...block, link_as_account: named.address } as StateBlock))
  await network.untilConfirmed(hash)
  equal((await network.client.receivable(paid.address, 1n)).length, 1)
  equal((await network.client.receivable(named.address, 1n)).length, 0)
})

test('lower case, the old prefix and a block as text are accepted', async (t) => {
  const network = await openNanoNetwork(t)
  const ada = await network.fundedWallet(xno)
  const shop = network.wallet().address
  const block = await ada.next({ balance: 0n, link: linkTo(shop) })
  const respelled = {
    ...block,
    account: block.account.replace('nano_', 'xrb_'),
    previous: block.previous.toLowerCase(),
    link: block.link.toLowerCase(),
    signature: block.signature.toLowerCase(),
    work: block.work.toUpperCase(),
  }
  deepEqual(await network.call({ action: 'process', block: JSON.stringify(respelled) }), { hash: hashBlock(block) })
  const info = await network.call({ action: 'block_info', hash: hashBlock(block).toLowerCase(), json_block: true })
  equal(info.block_account, ada.address)
  equal(info.contents.link_as_account, shop)
})

test('dust does not hide a payment from our client, although it would from a request without a threshold', async (t) => {
  const network = await openNanoNetwork(t)
  const eve = await network.fundedWallet(xno)
  const shop = network.wallet()
  let last = ''
  for (let sent = 0; sent < 24; sent += 1) last = await eve.sends(shop.address, 1n)
  const payment = await eve.sends(shop.address, xno / 2n)
  await network.untilConfirmed(last)
  await network.untilConfirmed(payment)
  deepEqual(
    (await network.client.receivable(shop.address, 10n ** 24n)).map(({ hash }) => hash),
    [payment],
  )
  equal((await network.client.receivable(shop.address, 1n))[0]!.hash, payment)
  equal((await network.client.receivable(shop.address, 1n)).length, 25)
  const { blocks } = await network.call({ action: 'receivable', account: shop.address, count: '24', sorting: 'true' })
  equal(Object.keys(blocks)[0], payment)
  const plain = await network.call({ action: 'receivable', account: shop.address, count: '5' })
  equal(plain.blocks.length, 5)
})

test('nor in a request for many accounts, where a node counts before it sorts', async (t) => {
  const network = await openNanoNetwork(t)
  const eve = await network.fundedWallet(xno)
  const [shop, quiet, other] = [network.wallet().address, network.wallet().address, network.wallet().address]
  for (let sent = 0; sent < 40; sent += 1) await eve.sends(shop, 1n)
  await network.untilConfirmed(await eve.sends(other, 5n))
  const terms = { threshold: '1', count: '32', source: 'true', sorting: 'true' }
  const careless = () => network.call({ action: 'accounts_receivable', accounts: [shop, quiet, other], ...terms })
  let payment: string
  let amount = xno / 100n
  do {
    amount += 1n
    payment = await eve.sends(shop, amount)
    await network.untilConfirmed(payment)
  } while (payment in (await careless()).blocks[shop])
  const { blocks } = await careless()
  deepEqual(Object.keys(blocks).sort(), [shop, other].sort(), 'where nothing waits, nothing is said')
  equal(Object.keys(blocks[shop]).length, 32)
  deepEqual(Object.values(blocks[other]), [{ amount: '5', source: eve.address }])
  const wanted = [shop, quiet, other].map((account) => ({ account, threshold: 1n }))
  const found = await network.client.receivableOfMany(wanted)
  deepEqual([found.get(shop)![0]!.hash, found.get(shop)![0]!.amount], [payment, amount])
  deepEqual([found.has(quiet), found.get(other)!.length], [false, 1])
  // Each account has its own threshold.
  const strict = await network.client.receivableOfMany(wanted.map((each) => ({ ...each, threshold: amount })))
  deepEqual([...strict.keys()], [shop])
  const mixed = await network.client.receivableOfMany([
    { account: other, threshold: 6n },
    { account: shop, threshold: 1n },
  ])
  deepEqual([...mixed.keys()], [shop])
})

test('accounts without receivables are omitted, and an invalid account fails the whole request', async (t) => {
  const { call, wallet } = await openNanoNetwork(t)
  const accounts = [wallet().address, wallet().address]
  const question = { action: 'accounts_receivable', accounts }
  deepEqual(await call(question), { blocks: '' })
  deepEqual(await call({ ...question, source: 'true', threshold: '1' }), { blocks: '' })
  deepEqual(await call({ ...question, accounts: [...accounts, 'nano_1'] }), { error: 'Bad account number' })
  deepEqual(await call({ action: 'accounts_receivable' }), { error: 'Unable to parse JSON' })
})

test('the RPC refuses unsupported requests like a real node', async (t) => {
  const { call, rpcUrl } = await openNanoNetwork(t)
  equal((await fetch(rpcUrl)).status, 200)
  deepEqual(await (await fetch(rpcUrl)).json(), { error: 'Can only POST requests' })
  deepEqual(await (await fetch(rpcUrl, { method: 'POST', body: '{' })).json(), { error: 'Unable to parse JSON' })
  deepEqual(await call({ action: 'fly' }), { error: 'Unknown command' })
  deepEqual(await call({ action: 'account_info', account: 'nano_1' }), { error: 'Bad account number' })
  deepEqual(await call({ action: 'block_info', hash: 'x' }), { error: 'Invalid block hash' })
  deepEqual(await call({ action: 'block_info', hash: zeroHash }), { error: 'Block not found' })
  deepEqual(await call({ action: 'blocks_info', hashes: [genesisHash, zeroHash] }), { error: 'Block not found' })
  const { blocks, blocks_not_found } = await call({
    action: 'blocks_info',
    hashes: [genesisHash, zeroHash],
    include_not_found: 'true',
  })
  deepEqual(Object.keys(blocks), [genesisHash])
  deepEqual(blocks_not_found, [zeroHash])
  match((await call({ action: 'version' })).network, /dev/)
  equal((await call({ action: 'account_info', account: genesisAccount })).open_block, genesisHash)
})

test('work is generated at the network’s threshold, up to a real node’s limit', async (t) => {
  const { call, client } = await openNanoNetwork(t)
  const { work } = await call({ action: 'work_generate', hash: genesisHash })
  ok(isWorkEnough(genesisHash, work, 0xffc0_0000_0000_0000n))
  const weak = await client.generateWork(genesisHash, 0xf000_0000_0000_0000n)
  ok(isWorkEnough(genesisHash, weak, 0xf000_0000_0000_0000n))
  const harder = { action: 'work_generate', hash: genesisHash, difficulty: 'ffffffffffffffff' }
  deepEqual(await call(harder), { error: 'Difficulty above config limit or below publish threshold' })
})

test('a block without votes is not confirmed and hidden from its receiver', {
  skip: realNode !== undefined,
}, async (t) => {
  const network = await openNanoNetwork(t)
  const ada = await network.fundedWallet(xno)
  const shop = network.wallet()
  network.node!.withholdVotes()
  const hash = await ada.sends(shop.address, xno)
  equal((await network.client.blockInfo(hash))!.isConfirmed, false)
  const account = (await network.client.accountInfo(ada.address))!
  equal(account.balance, 0n)
  equal(account.confirmedBalance, xno)
  equal((await network.client.receivable(shop.address, 1n)).length, 0)
  const hidden = { action: 'receivable', account: shop.address, include_only_confirmed: 'false' }
  deepEqual(await network.call(hidden), { blocks: '' })
  deepEqual(await network.call({ ...hidden, include_active: 'true' }), { blocks: [hash] })
  network.node!.castVotes()
  await network.untilConfirmed(hash)
  equal((await network.client.receivable(shop.address, 1n)).length, 1)
})
