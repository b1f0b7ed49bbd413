import { equal, rejects } from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { encodeFunctionData, parseAbi, serializeErc6492Signature } from 'viem/utils'
import { tokenOf } from '../../rails/base/open-base.ts'
import type { SettlerAccount, SettlerTransaction } from '../../rails/base/payment/settler-account.ts'
import { transferCall } from '../../rails/base/payment/usdc-token.ts'
import type { ChainClient } from '../../rails/base/rpc/chain-client.ts'
import type { Hex } from '../../rails/base/rpc/chain-replies.ts'
import { SignatureWaits } from '../../rails/signer/signer.ts'
import { createBaseWallet } from '../../test/base-wallet.ts'
import { openMarket } from '../market.fixture.ts'
import { guardedAccount, TransactionRefused } from './authorize-transaction.ts'

const hexOf = (bytes: number): Hex => `0x${randomBytes(bytes).toString('hex')}`
// What it signs does not matter here, only whether it is asked.
const account: SettlerAccount = { address: async () => '0x', sign: async () => '0xabcd' }
const noCode = { code: async () => '0x' } as unknown as ChainClient

async function openSettling(t: TestContext) {
  const { world, creator, postId } = await openMarket(t, { isolation: 'own', isBlind: true })
  const { services } = world
  const { clock, config, db, pool } = services
  const token = tokenOf(config)
  const payTo = createBaseWallet().address
  const rules = { config, clock, db, token, gasOfDay: 10n * config.gasBudgetWei }
  const factories = config.base!.walletFactories
  const callOf = async (change: object = {}, signature: Hex = hexOf(65)): Promise<SettlerTransaction> => {
    const from = createBaseWallet().address
    const nonce = hexOf(32)
    const signed = { from, to: payTo, value: 100_000n, validAfter: 0n, validBefore: 9_999_999_999n, nonce, signature }
    await pool.query(
      `INSERT INTO x402_payments (id, purpose, post_id, payee_id, network, asset, payer, nonce, amount, pay_to, offer_hash, proof, created_at, valid_before)
        VALUES ($1, 'access', $2, $3, 'eip155:8453', $4, $5, $6, 100000, $7, $8, '{}', $9, 9999999999)`,
      [randomUUID(), postId, creator.accountId, config.usdcAddress, from, nonce, payTo, randomBytes(32), clock.now()],
    )
    const { to, data } = await transferCall({ ...signed, ...change }, token, noCode, [...factories, payTo])
    return { to, data, gas: 195_000n, nonce: 0, maxFeePerGas: 30_000_000n, maxPriorityFeePerGas: 10_000_000n }
  }
  /** An account that signs this much USDC in an hour. */
  const limited = (perHour: bigint) => {
    const signer = { ...config.signer, perHour: { XNO: undefined, USDC: perHour as never } }
    return guardedAccount({ ...rules, config: { ...config, signer } }, account)
  }
  return { world, payTo, rules, callOf, limited }
}

test('the settling account signs only calls that present a stored payment, within its limits', async (t) => {
  const { world, payTo, rules, callOf, limited } = await openSettling(t)
  const { clock, config } = rules
  const factories = config.base!.walletFactories
  const guarded = guardedAccount(rules, account)
  equal(await guarded.sign(await callOf()), '0xabcd')
  const deploying = (address: string) =>
    serializeErc6492Signature({ address: address as Hex, data: '0x12', signature: hexOf(65) })
  equal(await guarded.sign(await callOf({}, deploying(factories[0]!))), '0xabcd')

  const honest = await callOf()
  const thief = createBaseWallet().address
  const steals = encodeFunctionData({
    abi: parseAbi(['function transfer(address to, uint256 value)']),
    args: [thief, 1n],
  })
  const wrong: [string, SettlerTransaction][] = [
    ['another contract', { ...honest, to: thief }],
    ['another call', { ...honest, data: steals }],
    ['no call', { ...honest, data: '0x' }],
    ['a payment that nobody stored', await callOf({ nonce: hexOf(32) })],
    ['another amount', await callOf({ value: 100_001n })],
    ['another recipient', await callOf({ to: thief })],
    ['another payer', await callOf({ from: thief })],
    ['a factory that is not listed', await callOf({}, deploying(payTo))],
    ['too much gas', { ...honest, gas: 1_600_000n }],
    ['too high a fee', { ...honest, maxFeePerGas: config.gasBudgetWei }],
  ]
  for (const [what, transaction] of wrong) await rejects(guarded.sign(transaction), TransactionRefused, what)

  // Two payments in an hour, and again two in the next.
  for (let hour = 0; hour < 2; hour += 1) {
    const msLeft = 3_600_000 - (clock.now().getTime() % 3_600_000)
    await world.advance(msLeft / 1000 + 1)
    // Each time by a new process.
    for (let payment = 0; payment < 2; payment += 1) await limited(200_000n).sign(await callOf())
    await rejects(limited(200_000n).sign(await callOf()), SignatureWaits)
  }
  const poor = guardedAccount({ ...rules, gasOfDay: 1n }, account)
  await rejects(poor.sign(await callOf()), /gas of a day/)
})

test('a payment that is signed again after a lost reply counts once', async (t) => {
  const { callOf, limited } = await openSettling(t)
  const guarded = limited(200_000n)
  const lost = await callOf()
  for (const nonce of [0, 0, 1]) await guarded.sign({ ...lost, nonce })
  await guarded.sign(await callOf())
  await rejects(guarded.sign(await callOf()), SignatureWaits)
})

test('no more than the amount of an hour is signed at a time, if an intruder lets all see an unused counter', async (t) => {
  const { world, callOf, limited } = await openSettling(t)
  const { pool } = world.services
  // Each has a row of its own, and they count together.
  await pool.query(`
    ALTER TABLE signed_amounts DROP CONSTRAINT signed_amounts_pkey;
    CREATE FUNCTION pause() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.5); RETURN NEW; END $$;
    CREATE TRIGGER pause BEFORE UPDATE ON signed_amounts
      FOR EACH ROW WHEN (NEW.counted = 'gas') EXECUTE FUNCTION pause()`)
  const calls = await Promise.all([1, 2, 3, 4].map(() => callOf()))
  const guarded = limited(200_000n)
  const signed = await Promise.allSettled(calls.map((call) => guarded.sign(call)))
  equal(signed.filter(({ status }) => status === 'fulfilled').length, 2)
})
