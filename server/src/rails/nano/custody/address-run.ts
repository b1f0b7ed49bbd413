import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '../../../platform/clock.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { AddressRun } from './addresses.ts'

declare module '../../../platform/database/tables.ts' {
  interface Tables {
    nano_address_runs: { started: string; slot: number }
  }
}

/**
 * Begins a run that no other process of this database has. It is named by the next second, and gives out nothing before
 * that: a process that starts afterwards has a later name, even if its database has forgotten this run.
 */
export async function beginAddressRun(db: Db, clock: Clock): Promise<AddressRun> {
  const now = clock.now().getTime()
  const started = Math.floor(now / 1000) + 1
  const begun = wait(started * 1000 - now, undefined, { ref: false })
  for (let slot = 0; ; slot += 1) {
    const { numInsertedOrUpdatedRows } = await db
      .insertInto('nano_address_runs')
      .values({ started: String(started), slot })
      .onConflict((conflict) => conflict.columns(['started', 'slot']).doNothing())
      .executeTakeFirst()
    if (numInsertedOrUpdatedRows === 1n) return { started, slot, begun, addresses: 0 }
  }
}

/** Deletes a run that gave out nothing: a recovery reads the newest runs, which would otherwise be those of short commands. */
export async function endAddressRun(db: Db, { started, slot, addresses }: AddressRun): Promise<void> {
  if (addresses > 0) return
  await db.deleteFrom('nano_address_runs').where('started', '=', String(started)).where('slot', '=', slot).execute()
}
