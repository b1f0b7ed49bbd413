import type { Asset } from '@pennypost/contract/money'
import { sql } from 'kysely'
import type { Tx } from '../../platform/database/database.ts'

declare module '../../platform/database/tables.ts' {
  interface Tables {
    signed_amounts: { counted: Counted; since: Date; amount: string }
  }
}

/** What is counted: amounts by the hour, and by the day what the gas of transactions may cost at most (in wei). */
type Counted = Asset | 'gas'

const lengthMs: Readonly<Record<Counted, number>> = { XNO: 3_600_000, USDC: 3_600_000, gas: 86_400_000 }

interface Limit {
  readonly counted: Counted
  /** Undefined: there is none, and nothing is counted. */
  readonly most: bigint | undefined
}

/**
 * Counts in memory what this process has signed in the current hour or day. The database has the same count, so that a
 * restart does not reset it; but an intruder could change the database, and not this.
 */
export interface OwnCount {
  /** Runs what may sign. If it fails, what was counted meanwhile in memory counts no longer. */
  during<Result>(sign: (own: CountedInMemory) => Promise<Result>): Promise<Result>
}

export interface CountedInMemory {
  amountOf(counted: Counted, since: Date): bigint
  add(counted: Counted, since: Date, amount: bigint): void
}

export function createOwnCount(): OwnCount {
  const sums = new Map<Counted, { readonly since: number; readonly amount: bigint }>()
  const amountOf = (counted: Counted, since: Date): bigint => {
    const known = sums.get(counted)
    return known?.since === since.getTime() ? known.amount : 0n
  }
  const add = (counted: Counted, since: Date, amount: bigint): void =>
    void sums.set(counted, { since: since.getTime(), amount: amountOf(counted, since) + amount })
  return {
    async during(sign) {
      const added: [Counted, Date, bigint][] = []
      try {
        return await sign({
          amountOf,
          add(...counted) {
            added.push(counted)
            add(...counted)
          },
        })
      } catch (error) {
        for (const [counted, since, amount] of added)
          if (amountOf(counted, since) >= amount) add(counted, since, -amount)
        throw error
      }
    },
  }
}

/** The transaction that signs, and what its process has signed before. */
export interface Counting {
  readonly tx: Tx
  readonly own: CountedInMemory
  readonly now: Date
}

/** Whether this amount is within the limit of the current hour or day. If so, other signatures wait until this transaction ends. */
export async function isWithin({ tx, own, now }: Counting, { counted, most }: Limit, amount: bigint): Promise<boolean> {
  if (most === undefined) return true
  const since = startOf(counted, now)
  await sql`INSERT INTO signed_amounts (counted, since, amount) VALUES (${counted}, ${since}, 0)
    ON CONFLICT DO NOTHING`.execute(tx)
  const { rows } = await sql<{ amount: string }>`
    SELECT amount FROM signed_amounts WHERE counted = ${counted} AND since = ${since} FOR UPDATE`.execute(tx)
  const [stored, here] = [BigInt(rows[0]!.amount), own.amountOf(counted, since)]
  return stored + amount <= most && here + amount <= most
}

/** Counts what is signed in this transaction. Call `isWithin` before it. */
export async function count({ tx, own, now }: Counting, { counted, most }: Limit, amount: bigint): Promise<void> {
  if (most === undefined) return
  own.add(counted, startOf(counted, now), amount)
  await sql`UPDATE signed_amounts SET amount = amount + ${String(amount)}::numeric
    WHERE counted = ${counted} AND since = ${startOf(counted, now)}`.execute(tx)
  // An hour that is over is of no use.
  await sql`DELETE FROM signed_amounts WHERE counted = ${counted} AND since < ${startOf(counted, now)}`.execute(tx)
}

const startOf = (counted: Counted, now: Date): Date =>
  new Date(Math.floor(now.getTime() / lengthMs[counted]) * lengthMs[counted])
