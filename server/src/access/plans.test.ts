import { equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { authorIn, publishes } from '../discovery/published.fixture.ts'
import { rowsRead } from '../test/rows-read.ts'
import { reading } from './may-read.ts'

const many = 5_000

test('who may read is asked of a few rows, however many bought the Post, and with whichever plan', async (t) => {
  const { world, author } = await authorIn(t)
  const { id: postId } = await publishes(author)
  const { accountId } = await world.reader()
  await world.inSession(async (client) => {
    const address = `0x${'ab'.repeat(20)}`
    await client.query("INSERT INTO wallets (account_id, kind, address, linked_at) VALUES ($1, 'evm', $2, now())", [
      ...[accountId, address],
    ])
    // Most Posts have one buyer, this one has many: what is usual is no guide. Those others need not exist.
    await client.query('SET session_replication_role = replica')
    const sold = `INSERT INTO wallet_entitlements SELECT 'eip155:8453', 'wallet' || n, coalesce($1::uuid, gen_random_uuid()), 'x402', now()
      FROM generate_series(1, $2::int) n`
    await client.query(sold, [postId, many])
    await client.query(sold, [null, 10 * many])
    await client.query('ANALYZE')
    // As the service's own, which was planned for any Post.
    await client.query('SET plan_cache_mode = force_generic_plan')
    await client.query(`PREPARE planned_for_any (uuid, uuid, text, text, uuid) AS ${reading.text}`)
    const text = `EXECUTE planned_for_any ('${postId}', '${accountId}', NULL, NULL, NULL)`
    equal((await client.query(text)).rows[0].wallet_granted_at, null)
    const read = await rowsRead(client, { name: 'generic', text }, [])
    ok(read < 20, `${read} rows`)
  })
})
