import { equal, ok, rejects } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { signNextBlock } from '../../rails/nano/custody/blocks.ts'
import { price, sells, xno } from '../market.fixture.ts'
import { receiveArrivals } from '../receive-arrivals.ts'
import { limits, openAskedMarket, paysQuote } from './signer.fixture.ts'

// Someone who has a process and its database, and a signer with a list of destinations.

test('money of others is not taken as a refund: not by a larger arrival, a made-up decision, or twice', async (t) => {
  const market = await openAskedMarket(t)
  const { world, network, signs, keyring, earnings } = market
  const { services } = world
  const { pool } = services
  const listed = [earnings.address]
  const thief = await network.fundedWallet(xno)
  const elsewhere = network.wallet().address
  const addressId = await paysQuote(market, price)
  equal((await signs(addressId))!.send_id, null)

  // The thief pays a little to the address where a buyer's money is, and has a right to get that back.
  const { address } = (await pool.query('SELECT address FROM nano_addresses WHERE id = $1', [addressId])).rows[0]
  const little = price / 100n
  const hash = await thief.sends(address, little)
  await network.untilConfirmed(hash)
  await receiveArrivals(services, address, undefined)
  const { id } = (await pool.query('SELECT id FROM payouts WHERE arrival_hash = $1', [hash])).rows[0]
  // The thief's is the next to be signed.
  await pool.query('UPDATE nano_sends SET refused_at = now() WHERE address_id = $1 AND id <> $2', [addressId, id])
  const writes = async (values: { amount: bigint; destination: string; arrived: bigint }) => {
    await pool.query('UPDATE nano_sends SET amount = $2, destination = $3 WHERE id = $1', [
      id,
      String(values.amount),
      values.destination,
    ])
    await pool.query('UPDATE payouts SET amount = $2, destination = $3 WHERE id = $1', [
      id,
      String(values.amount),
      values.destination,
    ])
    await pool.query('UPDATE nano_arrivals SET amount = $2 WHERE hash = $1', [hash, String(values.arrived)])
  }
  const most = price / 2n
  await writes({ amount: most, destination: thief.address, arrived: little })
  await rejects(signs(addressId, keyring, listed), /less arrived than it returns/)
  await writes({ amount: most, destination: thief.address, arrived: price })
  await rejects(signs(addressId, keyring, listed), /chain shows that less arrived/)
  await rejects(signs(addressId), /chain shows that less arrived/)

  // What arrived at another address is not returned from here, and what never arrived is not returned at all.
  await writes({ amount: little, destination: thief.address, arrived: little })
  const returns = (arrival: string) => pool.query('UPDATE payouts SET arrival_hash = $2 WHERE id = $1', [id, arrival])
  const another = await paysQuote(market, price, await sells(market.creator))
  const { rows } = await pool.query('SELECT hash FROM nano_arrivals WHERE address_id = $1', [another])
  await returns(rows[0].hash)
  await rejects(signs(addressId), /nothing arrived that it could return/)
  const forged = 'F'.repeat(64)
  await pool.query(
    'INSERT INTO nano_arrivals (hash, address_id, amount, source, seen_at) VALUES ($1, $2, $3, $4, now())',
    [forged, addressId, String(price), thief.address],
  )
  await returns(forged)
  await rejects(signs(addressId), /no node shows who sent/)
  await returns(hash)
  await pool.query('DELETE FROM nano_arrivals WHERE hash = $1', [forged])

  await writes({ amount: little, destination: elsewhere, arrived: little })
  await rejects(signs(addressId, keyring, listed), /sent by another address/)
  await pool.query(
    `INSERT INTO audit_log (at, act, target_kind, target_id, details)
     VALUES (now(), 'payout.retry', 'payout', $1::text, jsonb_build_object('destination', $2::text))`,
    [id, elsewhere],
  )
  await rejects(signs(addressId, keyring, listed), /not in SIGNER_DESTINATIONS/)

  await writes({ amount: little, destination: thief.address, arrived: little })
  equal((await signs(addressId, keyring, listed))!.send_id, id)
  // The author's follows, so the thief's block is not the last one, which is always compared with its hash.
  await pool.query(
    `UPDATE nano_sends SET refused_at = NULL WHERE id = (SELECT id FROM payouts WHERE address_id = $1 AND role = 'creator')`,
    [addressId],
  )
  ok((await signs(addressId, keyring, listed))!.send_id)
  const again = randomUUID()
  await pool.query('UPDATE payouts SET id = $2 WHERE id = $1', [id, again])
  await pool.query(
    `INSERT INTO nano_sends (id, address_id, destination, amount, created_at)
     SELECT $2, address_id, destination, amount, created_at FROM nano_sends WHERE id = $1`,
    [id, again],
  )
  await rejects(signs(addressId, keyring, listed), /returned already/)

  // The block that returned it can neither be hidden nor changed.
  await pool.query('UPDATE nano_sends SET confirmed_at = now() WHERE id = $1', [id])
  const changes = (change: string) => pool.query(`UPDATE nano_blocks SET ${change} WHERE send_id = $1`, [id])
  await changes('refused_at = now()')
  await rejects(signs(addressId, keyring, listed), /were changed in the database/)
  await changes('refused_at = NULL')
  await rejects(signs(addressId, keyring, listed), /returned already/)
  await changes(`block = jsonb_set(block, '{link}', to_jsonb(repeat('0', 64)))`)
  await rejects(signs(addressId, keyring, listed), /were changed in the database/)
})

test('the amount of an hour holds, whatever is written to its counter', async (t) => {
  const market = await openAskedMarket(t)
  const { services } = market.world
  const first = await paysQuote(market)
  const second = await paysQuote(market, price, await sells(market.creator))
  limits(market, { perHour: { XNO: price as never, USDC: undefined } })
  const signsNext = (addressId: string) => signNextBlock(services, addressId)
  for (const addressId of [first, second]) equal((await signsNext(addressId))!.send_id, null)
  equal((await signsNext(first))!.send_id === null, false)
  await services.pool.query('DELETE FROM signed_amounts')
  await rejects(signsNext(second), /SIGNER_XNO_PER_HOUR/)
})
