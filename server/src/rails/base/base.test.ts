import { deepEqual, equal, match, rejects, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { mintTestUsdc, readBaseChain } from '@pennypost/contract/development-tools'
import { amountOf } from '@pennypost/contract/money'
import { readConfig } from '../../config.ts'
import { callAnvil } from '../../development/base-chain/anvil.ts'
import { movableClock } from '../../platform/clock.ts'
import { createLog } from '../../platform/log.ts'
import { createMetrics } from '../../platform/metrics.ts'
import { hasAnvil } from '../../test/base-chain.ts'
import { createBaseWallet, payWith } from '../../test/base-wallet.ts'
import { createWorld } from '../../test/world.ts'
import { baseRail } from './base-rail.ts'
import { openBase } from './open-base.ts'

const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const skip = !hasAnvil

test('in development anyone can read the chain’s URL and mint test USDC', { skip }, async (t) => {
  const world = await createWorld(t)
  const visitor = world.stranger()
  const { status, body } = await visitor.calls(readBaseChain, {})
  equal(status, 200)
  match(body.rpcUrl, /^http:\/\/127\.0\.0\.1:\d+$/)
  equal(body.chainId, 8453)
  equal(body.usdc, usdc)
  equal(await callAnvil(body.rpcUrl, 'eth_chainId', []), '0x2105')

  const { address } = createBaseWallet()
  for (const to of [address, address.toLowerCase()]) {
    const minted = await visitor.calls(mintTestUsdc, { body: { to, amountAtomic: '250000' } })
    equal(minted.status, 200)
    match(minted.body.transaction, /^0x[0-9a-f]{64}$/)
  }
  const balanceOf = { to: usdc, data: `0x70a08231${address.slice(2).padStart(64, '0')}` }
  equal(BigInt(await callAnvil(body.rpcUrl, 'eth_call', [balanceOf, 'latest'])), 500_000n)
})

test('invalid addresses and amounts cannot be minted', { skip }, async (t) => {
  const world = await createWorld(t)
  const visitor = world.stranger()
  const status = async (body: object) => (await visitor.sends(mintTestUsdc, { body })).status
  const to = usdc
  equal(await status({ to: '0x12', amountAtomic: '1' }), 422)
  equal(await status({ to: to.replace('Cb', 'cB').replace('D6', 'd6'), amountAtomic: '1' }), 422)
  equal(await status({ to: `0x${'0'.repeat(40)}`, amountAtomic: '1' }), 422)
  for (const amountAtomic of ['0', '-1', '1.5', '01', '', 1, '9'.repeat(40)])
    equal(await status({ to, amountAtomic }), 422, String(amountAtomic))
  equal(await status({ to, amountAtomic: '9'.repeat(39) }), 200)
})

test('moving the clock moves the chain’s time', { skip }, async (t) => {
  const world = await createWorld(t)
  const chain = await world.services.base!.embeddedChain!()
  const seconds = async () =>
    Number(((await chain.call('eth_getBlockByNumber', 'latest', false)) as { timestamp: string }).timestamp)
  const before = await seconds()
  await world.advance(3600)
  const moved = (await seconds()) - before
  equal(moved >= 3600 && moved < 3620, true, String(moved))
})

test('with a configured node or facilitator the service has no chain to mint on', async (t) => {
  const key = `0x${'11'.repeat(32)}`
  for (const settings of [
    { BASE_RPC_URL: 'http://127.0.0.1:9', BASE_SETTLER_KEY: key },
    { FACILITATOR_URL: 'http://127.0.0.1:9' },
  ]) {
    const world = await createWorld(t, { settings })
    const visitor = world.stranger()
    equal((await visitor.calls(readBaseChain, {})).status, 404)
    const refused = await visitor.calls(mintTestUsdc, { body: { to: usdc, amountAtomic: '1' } })
    equal(refused.status, 404)
    match(refused.body.type, /no-development-chain$/)
  }
})

test('a payment that is not stored is not signed; verdicts and settlements are counted in the metrics', {
  skip,
}, async (t) => {
  const world = await createWorld(t)
  const { base, metrics } = world.services
  const ada = createBaseWallet()
  await (await base!.embeddedChain!()).mint(ada.address, 100_000n)
  const { network, address: asset, name, version } = base!.token
  const requirements = {
    scheme: 'exact',
    network,
    asset,
    amount: '100000',
    payTo: createBaseWallet().address,
    maxTimeoutSeconds: 300,
    extra: { name, version },
  }
  const { payload } = await payWith(ada, requirements)
  const terms = { amount: amountOf('USDC', 100_000n), payTo: requirements.payTo, requirements: requirements as never }
  const checked = await baseRail.check(world.services, payload, terms)
  if (checked.kind !== 'payable') throw new Error(checked.kind)
  const { payer, nonce, proof, validBefore } = checked
  const written = { ...terms, payer, nonce, proof, previous: null, validBefore, gas: undefined, transactions: [] }
  const store = async () => 'stored' as const
  const unstored = await baseRail.settle(world.services, { ...written, seenAtBlock: checked.seenAtBlock!, store })
  deepEqual(unstored, { kind: 'uncertain', transaction: undefined, cause: 'no payment like it is stored' })
  const { payload: unfunded } = await payWith(createBaseWallet(), requirements)
  equal((await baseRail.check(world.services, unfunded, terms)).kind, 'invalid')
  await base!.check()
  const text = await metrics.registry.metrics()
  match(text, /^pennypost_usdc_settlements_total\{outcome="uncertain"\} 1$/m)
  match(text, /^pennypost_usdc_verdicts_total\{outcome="valid"\} 1$/m)
  match(text, /^pennypost_usdc_verdicts_total\{outcome="invalid"\} 1$/m)
})

test('in production the rail is off until it is configured; a mistyped token stops the start', async () => {
  const parts = { clock: await movableClock(), log: createLog('silent'), metrics: createMetrics() }
  const production = {
    NODE_ENV: 'production',
    BASE_URL: 'https://pennypost.example',
    SMTP_URL: 'smtp://mail:25',
    MAIL_FROM: 'post@pennypost.example',
    NANO_RPC_URL: 'http://node:7076',
  }
  equal(await openBase(readConfig(production), parts), undefined)
  const configured = { ...production, BASE_RPC_URL: 'http://127.0.0.1:9', BASE_SETTLER_KEY: `0x${'11'.repeat(32)}` }
  const rail = await openBase(readConfig(configured), parts)
  equal(rail?.embeddedChain, undefined)
  await rejects(rail!.check())
  const mistyped = { ...configured, USDC_ADDRESS: usdc.replace('fCD6', 'FCD6') }
  throws(() => readConfig(mistyped), { name: 'StartError', message: /^USDC_ADDRESS: / })
})
