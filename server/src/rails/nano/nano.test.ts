import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { readNanoLedger, sendFromNanoFaucet } from '@pennypost/contract/development-tools'
import { workThresholds } from '@pennypost/nano/work'
import { genesisAccount } from '../../development/nano-ledger/genesis.ts'
import { createFaultyNode } from '../../test/faulty-node.ts'
import { openNanoNetwork } from '../../test/nano-network.ts'
import { createNanoWallet, fundedNanoWallet } from '../../test/nano-wallet.ts'
import { createWorld } from '../../test/world.ts'

test('in development anyone can read the ledger’s URLs and get money from the faucet', async (t) => {
  const world = await createWorld(t)
  const anyone = world.stranger()
  const { status, body } = await anyone.calls(readNanoLedger, {})
  equal(status, 200)
  match(body.rpcUrl, /^http:\/\/127\.0\.0\.1:\d+$/)
  match(body.wsUrl, /^ws:\/\/127\.0\.0\.1:\d+$/)
  equal(body.network, 'dev')
  equal(body.faucet.address, genesisAccount)
  ok(workThresholds[world.services.nano.network])

  const wallet = createNanoWallet(world.services.nano)
  const sent = await anyone.calls(sendFromNanoFaucet, {
    body: { to: wallet.address.replace('nano_', 'xrb_'), amountRaw: '25' },
  })
  equal(sent.status, 200)
  const asked = {
    method: 'POST',
    body: JSON.stringify({ action: 'block_info', hash: sent.body.hash, json_block: true }),
  }
  const info = (await (await fetch(body.rpcUrl, asked)).json()) as Record<string, unknown>
  equal(info.amount, '25')
  while ((await wallet.receives()) === 0n);
  equal((await world.services.nano.client.accountInfo(wallet.address))!.balance, 25n)
})

test('a wallet is funded with work from the configured work server', async (t) => {
  const network = await openNanoNetwork(t)
  const faultyNode = await createFaultyNode(t, network)
  const world = await createWorld(t, { settings: { NANO_WORK_URL: faultyNode.rpcUrl } })
  const { nano, nanoFaucet: faucet } = world.services
  const wallet = await fundedNanoWallet({ ...nano, faucet: faucet! }, 7n)
  equal((await nano.client.accountInfo(wallet.address))!.confirmedBalance, 7n)
  deepEqual(new Set(faultyNode.requests), new Set(['work_generate']))
})

test('the faucet refuses invalid addresses and amounts', async (t) => {
  const world = await createWorld(t)
  const anyone = world.stranger()
  const to = genesisAccount
  const status = async (body: object) => (await anyone.sends(sendFromNanoFaucet, { body })).status
  equal(await status({ to: 'nano_1', amountRaw: '1' }), 422)
  equal(await status({ to: `${to.slice(0, -1)}1`, amountRaw: '1' }), 422)
  for (const amountRaw of ['0', '-1', '1.5', '01', '', 1])
    equal(await status({ to, amountRaw }), 422, String(amountRaw))
  const tooMuch = await anyone.calls(sendFromNanoFaucet, { body: { to, amountRaw: '9'.repeat(39) } })
  equal(tooMuch.status, 409)
  match(tooMuch.body.type, /faucet-empty$/)
})

test('with a configured node the service has no faucet', async (t) => {
  const world = await createWorld(t, { settings: { NANO_RPC_URL: 'http://127.0.0.1:7076' } })
  const anyone = world.stranger()
  equal((await anyone.calls(readNanoLedger, {})).status, 404)
  const send = { body: { to: genesisAccount, amountRaw: '1' } }
  const refused = await anyone.calls(sendFromNanoFaucet, send)
  equal(refused.status, 404)
  match(refused.body.type, /no-development-ledger$/)
  equal(world.services.nano.network, 'live')
})
