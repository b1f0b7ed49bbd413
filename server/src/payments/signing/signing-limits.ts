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

type ReachableLimit = Limit & { readonly most: bigint }

// Of one hour or day. A signature that is forgotten counts again if it is made again.
const maxKept = 10_000

/**
 * Counts in memory what this process has signed in the current hour or day. The database has the same count, so that a
 * restart does not reset it; but an intruder could change the database, and not this.
 */
export interface OwnCount {
  /** Runs what may sign. What it reserved is given back at the end, unless it called `keep`. */
  during<Result>(sign: (own: CountedInMemory) => Promise<Result>): Promise<Result>
}

export interface CountedInMemory {
  /**
   * Counts an amount, or returns false if that would exceed the limit. Checks and counts without waiting in between, so that
   * concurrent requests cannot all pass the check. An id that was kept before is not counted again.
   */
  reserve(limit: ReachableLimit, since: Date, amount: bigint, id?: string): boolean
  /** Whether this was signed before, in the current or the previous hour or day. */
  hasKept(counted: Counted, id: string): boolean
  /**
   * What was reserved stays counted, whatever fails later. Call it right before the key is used: an intruder can read the
   * signature in the transaction that stores it, and then make that transaction fail.
   */
  keep(): void
}

/** The totals that were signed in one hour or day. */
interface Window {
  readonly counted: Counted
  readonly since: number
  amount: bigint
  readonly kept: Set<string>
}

export function createOwnCount(): OwnCount {
  let windows: readonly Window[] = []
  const windowAt = (counted: Counted, since: number): Window => {
    const known = windows.find((each) => each.counted === counted && each.since === since)
    if (known) return known
    const opened = { counted, since, amount: 0n, kept: new Set<string>() }
    // A request that began before the hour was over may end after it, and what it signs may have to be signed again.
    const earliest = since - lengthMs[counted]
    windows = [...windows.filter((each) => each.counted !== counted || each.since >= earliest), opened]
    return opened
  }
  const hasKept = (counted: Counted, id: string): boolean =>
    windows.some((each) => each.counted === counted && each.kept.has(id))
  return {
    async during(sign) {
      const reserved: { readonly window: Window; readonly amount: bigint; readonly id: string | undefined }[] = []
      try {
        return await sign({
          hasKept,
          reserve({ counted, most }, since, amount, id) {
            if (id !== undefined && hasKept(counted, id)) return true
            const window = windowAt(counted, since.getTime())
            if (window.amount + amount > most) return false
            window.amount += amount
            reserved.push({ window, amount, id })
            return true
          },
          keep() {
            for (const { window, id } of reserved.splice(0)) if (id !== undefined) remember(window.kept, id)
          },
        })
      } finally {
        for (const { window, amount } of reserved) window.amount -= amount
      }
    },
  }
}

/** Adds an id. A set keeps the order in which it was filled, so its first is the oldest. */
function remember(kept: Set<string>, id: string): void {
  const [oldest] = kept
  if (kept.size >= maxKept) kept.delete(oldest!)
  kept.add(id)
}

/** The transaction that signs, and what its process has signed before. */
export interface Counting {
  readonly tx: Tx
  readonly own: CountedInMemory
  readonly now: Date
}

/**
 * Whether this amount is within the limit of the current hour or day. If so, it is counted in memory, and other signatures
 * wait until this transaction ends. The id is of what can be paid only once, however often it is signed.
 */
export async function reserve(
  { tx, own, now }: Counting,
  { counted, most }: Limit,
  amount: bigint,
  id?: string,
): Promise<boolean> {
  if (most === undefined) return true
  const since = startOf(counted, now)
  if (!own.reserve({ counted, most }, since, amount, id)) return false
  await sql`INSERT INTO signed_amounts (counted, since, amount) VALUES (${counted}, ${since}, 0)
    ON CONFLICT DO NOTHING`.execute(tx)
  const { rows } = await sql<{ amount: string }>`
    SELECT amount FROM signed_amounts WHERE counted = ${counted} AND since = ${since} FOR UPDATE`.execute(tx)
  return BigInt(rows[0]!.amount) + amount <= most
}

/** Counts in the database what is signed in this transaction. Call `reserve` before it. */
export async function count(
  { tx, now }: Omit<Counting, 'own'>,
  { counted, most }: Limit,
  amount: bigint,
): Promise<void> {
  if (most === undefined) return
  await sql`UPDATE signed_amounts SET amount = amount + ${String(amount)}::numeric
    WHERE counted = ${counted} AND since = ${startOf(counted, now)}`.execute(tx)
  // An hour that is over is of no use.
  await sql`DELETE FROM signed_amounts WHERE counted = ${counted} AND since < ${startOf(counted, now)}`.execute(tx)
}

const startOf = (counted: Counted, now: Date): Date =>
  new Date(Math.floor(now.getTime() / lengthMs[counted]) * lengthMs[counted])
