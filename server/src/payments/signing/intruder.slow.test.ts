import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { workThresholds } from '@pennypost/nano/work'
import { signNextBlock } from '../../rails/nano/custody/blocks.ts'
import { until } from '../../test/until.ts'
import { type Market, price, sells, xno } from '../market.fixture.ts'
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

/** Orders that are paid, and whose money is received but not sent on yet. Returns the ids of their addresses. */
async function receives(market: Market, orders: number): Promise<string[]> {
  const ids: string[] = []
  for (let order = 0; order < orders; order += 1) {
    const id = await paysQuote(market, price, await sells(market.creator))
    equal((await signNextBlock(market.world.services, id))!.send_id, null)
    ids.push(id)
  }
  return ids
}

const net = (price * 95n) / 100n
const perHour = (raw: bigint) => ({ perHour: { XNO: raw as never, USDC: undefined } })

test('the amount of an hour holds for signatures that were read in a transaction which then failed', async (t) => {
  const market = await openAskedMarket(t)
  const { services } = market.world
  const { pool } = services
  const [first, second] = (await receives(market, 2)) as [string, string]
  const metrics = limits(market, perHour(net))
  const signsNext = (addressId: string) => signNextBlock(services, addressId)
  // A sequence keeps its value when a transaction fails, so it can carry away what it was told.
  await pool.query(`
    CREATE SEQUENCE signatures_read MINVALUE 0 START 0;
    CREATE FUNCTION read_and_fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      PERFORM nextval('signatures_read');
      RAISE 'read and undone';
    END $$;
    CREATE TRIGGER read_and_fail AFTER INSERT ON nano_blocks
      FOR EACH ROW WHEN (NEW.send_id IS NOT NULL) EXECUTE FUNCTION read_and_fail()`)
  await rejects(signsNext(first), /read and undone/)
  await rejects(signsNext(second), /SIGNER_XNO_PER_HOUR/)
  const { rows } = await pool.query(`SELECT nextval('signatures_read')::int AS before`)
  equal(rows[0].before, 1)
  match(await metrics.text(), /nano_signatures_total\{outcome="not-stored"\} 1$/m)
  await pool.query('DROP TRIGGER read_and_fail ON nano_blocks')
  // It is the same block, so it can be paid only once.
  ok((await signsNext(first))!.send_id)
  await rejects(signsNext(second), /SIGNER_XNO_PER_HOUR/)
})

test('what could not be signed, or not be stored, uses up the amount of an hour once at most', async (t) => {
  const market = await openAskedMarket(t)
  const { services } = market.world
  const { pool } = services
  const [first, second, third] = (await receives(market, 3)) as [string, string, string]
  limits(market, perHour(2n * net))
  const signsNext = (addressId: string) => signNextBlock(services, addressId)
  await pool.query(`
    CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no space left'; END $$;
    CREATE TRIGGER fail BEFORE UPDATE ON signed_amounts FOR EACH ROW EXECUTE FUNCTION fail()`)
  for (const addressId of [first, second, third]) await rejects(signsNext(addressId), /no space left/)
  await pool.query(`
    DROP TRIGGER fail ON signed_amounts;
    CREATE CONSTRAINT TRIGGER fail AFTER INSERT ON nano_blocks DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW WHEN (NEW.send_id IS NOT NULL) EXECUTE FUNCTION fail()`)
  await rejects(signsNext(first), /no space left/)
  // Money that arrives in between changes nothing in the block.
  const { address } = (await pool.query('SELECT address FROM nano_addresses WHERE id = $1', [first])).rows[0]
  await market.pays(address, xno)
  await receiveArrivals(services, address, undefined)
  for (const addressId of [first, second, first, second]) await rejects(signsNext(addressId), /no space left/)
  await rejects(signsNext(third), /SIGNER_XNO_PER_HOUR/)
  await pool.query('DROP TRIGGER fail ON nano_blocks')
  for (const addressId of [first, second]) ok((await signsNext(addressId))!.send_id)
  await rejects(signsNext(third), /SIGNER_XNO_PER_HOUR/)
  const { rows } = await pool.query('SELECT amount FROM signed_amounts')
  deepEqual(rows, [{ amount: String(2n * net) }])
})

test('the amount of an hour holds when a request of the hour before is held up until then', async (t) => {
  const market = await openAskedMarket(t)
  const { world } = market
  const { services } = world
  const { clock, nano, pool } = services
  const [held, second, third] = (await receives(market, 3)) as [string, string, string]
  limits(market, perHour(net))
  const msLeft = 3_600_000 - (clock.now().getTime() % 3_600_000)
  const end = Math.round((clock.now().getTime() + msLeft) / 1_000) + 3_600
  // A minute before the end of an hour.
  await world.advance(msLeft / 1_000 + 3_540)
  await pool.query(`
    CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock(54); RETURN NEW; END $$;
    CREATE TRIGGER hold BEFORE INSERT ON signed_amounts
      FOR EACH ROW WHEN (NEW.since < to_timestamp(${end})) EXECUTE FUNCTION hold()`)
  const lacking = await services.signer.signNextBlock(held, undefined)
  ok(lacking.kind === 'lacks-work')
  const work = await nano.work.generate(lacking.root, workThresholds.dev.send)
  const intruder = await pool.connect()
  await intruder.query('SELECT pg_advisory_lock(54)')
  const waiting = services.signer.signNextBlock(held, work)
  await until('the request is held up', async () => {
    const { rows } = await intruder.query(
      `SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = 54 AND NOT granted`,
    )
    return rows.length > 0
  })
  await world.advance(120)
  ok((await signNextBlock(services, second))!.send_id)
  await intruder.query('SELECT pg_advisory_unlock(54)')
  intruder.release()
  equal((await waiting).kind, 'signed')
  await pool.query('DELETE FROM signed_amounts')
  await rejects(signNextBlock(services, third), /SIGNER_XNO_PER_HOUR/)
})
