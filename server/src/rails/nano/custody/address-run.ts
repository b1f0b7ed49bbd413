import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '../../../platform/clock.ts'
import type { Db } from '../../../platform/database/database.ts'

declare module '../../../platform/database/tables.ts' {
  interface Tables {
    nano_address_runs: { started: string; slot: number }
  }
}

/**
 * The run of this process, from which the keys of its addresses are derived. It is counted in memory, so that no database,
 * whatever it has forgotten, can make us give out an address twice. A run is named by the second it began in: after
 * everything but the seed is lost, the runs of a period can be tried one by one.
 */
export interface AddressRun {
  /** The text that the next address's key is derived from. */
  next(): Promise<string>
}

/** One of several processes that start within a second. */
export interface RunName {
  readonly started: number
  readonly slot: number
}

export const derivationOf = ({ started, slot }: RunName, number: number): string => `run:${started}.${slot}:${number}`

export const readNumber = (derivation: string): number => Number(derivation.slice(derivation.lastIndexOf(':') + 1))

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
    if (numInsertedOrUpdatedRows !== 1n) continue
    let number = 0
    return {
      async next() {
        await begun
        return derivationOf({ started, slot }, number++)
      },
    }
  }
}
