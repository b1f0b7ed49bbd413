import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld } from '../../../test/world.ts'
import { beginAddressRun, endAddressRun } from './address-run.ts'

test('a run that gave out nothing is forgotten when its process ends, another is not', async (t) => {
  const { db, clock } = (await createWorld(t)).services
  const [unused, used] = [await beginAddressRun(db, clock), await beginAddressRun(db, clock)]
  used.addresses = 1
  const isKept = async ({ started, slot }: typeof used) =>
    (await db
      .selectFrom('nano_address_runs')
      .select('slot')
      .where('started', '=', String(started))
      .where('slot', '=', slot)
      .executeTakeFirst()) !== undefined
  for (const run of [unused, used]) {
    equal(await isKept(run), true)
    await endAddressRun(db, run)
  }
  equal(await isKept(unused), false)
  equal(await isKept(used), true)
})
