import { sql } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import { derivationOf, type RunName, readNumber } from '../../rails/nano/custody/addresses.ts'
import type { PaymentServices } from '../services.ts'

/** One of our own addresses that holds money and is missing from the database. */
export interface Stray {
  readonly derivation: string
  readonly address: string
  readonly raw: bigint
}

type Parts = Pick<PaymentServices, 'db' | 'addresses' | 'nano'>

const maxBatch = 100

/** A run, and its first number that the database does not know. */
interface RunStart {
  readonly run: RunName
  readonly from: number
}

/** Checks the addresses of a run on the chain, from its first unknown number until `gap` in a row were never used. */
export async function* scanRun(
  { db, addresses: own, nano }: Parts,
  { run, from }: RunStart,
  gap: number,
): AsyncGenerator<Stray> {
  const batchSize = Math.min(gap, maxBatch)
  for (let number = from, last = from - 1; number <= last + gap; number += batchSize) {
    const derivations = Array.from({ length: batchSize }, (_, offset) => derivationOf(run, number + offset))
    const addresses = await own.addressesOf(derivations.map((derivation) => ({ id: '0', derivation })))
    const [balances, frontiers, known] = await Promise.all([
      nano.client.balancesOfMany(addresses),
      nano.client.frontiersOfMany(addresses),
      listKnown(db, addresses),
    ])
    for (const [offset, address] of addresses.entries()) {
      const at = number + offset
      const derivation = derivations[offset]!
      const { balance, receivable } = balances.get(address)!
      const raw = balance + receivable
      if (raw > 0n || frontiers.has(address) || known.has(address)) last = at
      if (raw > 0n && !known.has(address)) yield { derivation, address, raw }
    }
  }
}

const listKnown = async (db: Db, addresses: readonly string[]): Promise<Set<string>> =>
  new Set(
    (await db.selectFrom('nano_addresses').select('address').where('address', 'in', addresses).execute()).map(
      ({ address }) => address,
    ),
  )

/** The newest runs in the database, each with the number after its last known one. */
export async function listRuns(db: Db, most: number): Promise<RunStart[]> {
  const runs = await db
    .selectFrom('nano_address_runs')
    .selectAll()
    .orderBy('started', 'desc')
    .orderBy('slot')
    .limit(most)
    .execute()
  const starts: RunStart[] = []
  for (const { started, slot } of runs) {
    const run = { started: Number(started), slot }
    const { rows } = await sql<{ derivation: string }>`
      SELECT derivation FROM nano_addresses WHERE derivation LIKE ${`run:${started}.${slot}:%`}
      ORDER BY length(derivation) DESC, derivation DESC LIMIT 1`.execute(db)
    const last = rows[0] ? readNumber(rows[0].derivation) : -1
    starts.push({ run, from: last + 1 })
  }
  return starts
}

/** How many runs the database has for this second. */
export async function countRuns(db: Db, started: number): Promise<number> {
  const { count } = await db
    .selectFrom('nano_address_runs')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('started', '=', String(started))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** The seconds in which a run may have begun, if its process started in this period. */
export function* secondsBetween(since: Date, until: Date): Generator<number> {
  // A run is named by the second after its process started.
  const last = Math.floor(until.getTime() / 1000) + 1
  for (let second = Math.floor(since.getTime() / 1000); second <= last; second += 1) yield second
}
