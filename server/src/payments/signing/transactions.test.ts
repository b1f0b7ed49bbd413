import { equal, rejects } from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { test } from 'node:test'
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

test('the settling account signs only calls that present a stored payment, within its limits', async (t) => {
  const { world, creator, postId } = await openMarket(t, { isolation: 'own', isBlind: true })
  const { services } = world
  const { clock, config, db, pool } = services
  const token = tokenOf(config)
  const payTo = createBaseWallet().address
  const gasOfDay = 10n * config.gasBudgetWei
  const rules = { config, clock, db, token, gasOfDay }
  const guarded = guardedAccount(rules, account)
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
  const limited = () =>
    guardedAccount(
      {
        ...rules,
        config: { ...config, signer: { ...config.signer, perHour: { XNO: undefined, USDC: 200_000n as never } } },
      },
      account,
    )
  for (let hour = 0; hour < 2; hour += 1) {
    const msLeft = 3_600_000 - (clock.now().getTime() % 3_600_000)
    await world.advance(msLeft / 1000 + 1)
    for (let payment = 0; payment < 2; payment += 1) await limited().sign(await callOf())
    await rejects(limited().sign(await callOf()), SignatureWaits)
  }
  const poor = guardedAccount({ ...rules, gasOfDay: 1n }, account)
  await rejects(poor.sign(await callOf()), /gas of a day/)
})
