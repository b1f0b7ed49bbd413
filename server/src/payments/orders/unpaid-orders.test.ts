import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { createPurchase } from '@pennypost/contract/purchases'
import { openMarket, price, quotes, sells } from '../market.fixture.ts'
import { deleteUnpaidOrders } from './delete-unpaid-orders.job.ts'

const daySeconds = 86_400

test('orders that nobody paid are deleted after a while; paid, partly paid and presented ones stay', async (t) => {
  const market = await openMarket(t, { isolation: 'own' })
  const { world, creator, buyer, postId } = market
  const { db, pool, clock, config } = world.services
  const keep = (keepUnpaidOrdersDays: number | undefined) =>
    deleteUnpaidOrders.run({ ...world.services, config: { ...config, keepUnpaidOrdersDays } }, {})
  const idsOf = async () =>
    (await pool.query('SELECT id FROM orders ORDER BY created_at')).rows.map(({ id }) => id as string)

  const idempotencyKey = 'the-same-key'
  const asks = () => buyer.owner.calls(createPurchase, { body: { postId }, idempotencyKey })
  const forgotten = (await asks()).body.purchase.id as string
  equal((await asks()).body.purchase.id, forgotten)
  const [half, whole, presented] = [
    await quotes(buyer, await sells(creator)),
    await quotes(buyer, await sells(creator)),
    await quotes(buyer, await sells(creator)),
  ]
  // As if a block for it was presented through x402, and no node took it.
  await pool.query(
    `INSERT INTO x402_payments (id, state, failure, purpose, post_id, payee_id, network, asset, payer, nonce, amount, pay_to,
       offer_hash, proof, order_id, created_at)
     SELECT gen_random_uuid(), 'failed', 'refused', 'access', post_id, payee_id, 'nano:mainnet', 'XNO', $2, $3, amount_raw, $2,
       '', '{}', id, created_at FROM orders WHERE id = $1`,
    [presented.id, presented.address, '0'.repeat(64)],
  )
  await market.pays(half.address, price / 2n)
  await market.pays(whole.address, price)
  await market.checkAddresses()
  await keep(90)
  deepEqual(new Set(await idsOf()), new Set([forgotten, half.id, whole.id, presented.id]))

  // Its time is long over. The clock stays, because sessions and nodes would not follow it for months.
  const longAgo = new Date(clock.now().getTime() - 100 * daySeconds * 1000)
  await pool.query('UPDATE orders SET created_at = $1, expires_at = $1', [longAgo])
  const { address } = await db
    .selectFrom('orders')
    .innerJoin('nano_addresses', 'nano_addresses.id', 'orders.address_id')
    .select('nano_addresses.address')
    .where('orders.id', '=', forgotten)
    .executeTakeFirstOrThrow()
  // Nobody has looked there for months.
  await pool.query('UPDATE nano_addresses SET next_check_at = NULL WHERE address = $1', [address])
  await keep(undefined)
  await keep(120)
  // Someone is noting a payment for it.
  await db.transaction().execute(async (tx) => {
    await tx.selectFrom('orders').select('id').where('id', '=', forgotten).forUpdate().execute()
    await keep(90)
  })
  equal((await idsOf()).length, 4)
  await keep(90)
  deepEqual(new Set(await idsOf()), new Set([half.id, whole.id, presented.id]))
  // Money may be there already, and nobody can ask for it by its order any longer.
  const isDue = 'SELECT FROM nano_addresses WHERE address = $1 AND next_check_at IS NOT NULL'
  equal((await pool.query(isDue, [address])).rowCount, 1)

  // The key starts over, and money for the old order goes back.
  const again = await asks()
  equal(again.status, 201)
  await market.pays(address, price)
  await market.checkAddresses()
  const { rows } = await pool.query(
    `SELECT role, state FROM payouts JOIN nano_addresses a ON a.id = payouts.address_id WHERE a.address = $1`,
    [address],
  )
  deepEqual(rows, [{ role: 'refund', state: 'confirmed' }])
})
