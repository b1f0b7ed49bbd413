import { networkOf } from '@pennypost/contract/money'
import type pg from 'pg'

// What waits, runs and is owed in the whole service. Metrics, the administrators' overview and `pennypost doctor` show it.

export interface Backlog {
  readonly count: number
  /** Since when the oldest one waits. Null if none does. */
  readonly oldestAt: Date | null
}

export interface MoneyUnderWay extends Backlog {
  /** In raw for XNO, in atomic units for USDC. */
  readonly amount: string
}

export interface Queue {
  readonly job: string
  /** Due, and not started. */
  readonly waiting: Backlog
  readonly running: number
  readonly dead: Backlog
}

export const payoutRoles = ['creator', 'house', 'refund'] as const
export type PayoutRole = (typeof payoutRoles)[number]
export const payoutStates = ['waiting', 'blocked'] as const
export const assets = ['XNO', 'USDC'] as const

export interface ServiceFigures {
  readonly queues: readonly Queue[]
  payouts(state: (typeof payoutStates)[number], role: PayoutRole): MoneyUnderWay
  /** Payments that were presented through x402 and are not final. */
  settling(asset: (typeof assets)[number]): MoneyUnderWay
  /** Parts of a price that arrived, for orders that wait for the rest. */
  readonly unspentArrivals: MoneyUnderWay
  /** Blocks that we signed and the network has not confirmed. */
  readonly unconfirmedBlocks: Backlog
  readonly pendingOrders: number
  /** Addresses whose next check is due. */
  readonly addressChecks: Backlog
  readonly webhooks: Backlog
  readonly emails: Backlog
  readonly pushes: Backlog
  readonly openReports: Backlog
  readonly openHolds: Backlog
  /** The gas of today (UTC), in wei. */
  readonly gasToday: { readonly sold: string; readonly wasted: string }
  readonly lastBackupAt: Date | null
  /** Null if the last backup succeeded. */
  readonly backupFailedAt: Date | null
  readonly lastAudit: { readonly at: Date; readonly findings: number } | undefined
  /** How many migrations are applied. */
  readonly migrations: number
}

interface Row {
  readonly figure: string
  readonly label: string
  readonly count: number
  readonly oldest_at: Date | null
  readonly amount: string
}

/** Counting stops here, so that a backlog of millions costs no more than this. */
export const maxCounted = 10_000

// Each part reads an index of what is not done, and stops at `maxCounted`. A job that must run first has the time
// -infinity, which does not count as an age. Names of jobs are read one by one from the index: there are as many as jobs in
// the code.
const statement = `
  WITH RECURSIVE names (name) AS (
    (SELECT name FROM jobs WHERE claimed_by IS NULL AND dead_at IS NULL ORDER BY name LIMIT 1)
    UNION ALL
    SELECT (SELECT jobs.name FROM jobs WHERE claimed_by IS NULL AND dead_at IS NULL AND jobs.name > names.name
      ORDER BY jobs.name LIMIT 1)
    FROM names WHERE names.name IS NOT NULL)
  SELECT 'waiting-jobs' AS figure, names.name AS label, due.count, due.oldest_at, '0' AS amount
  FROM names CROSS JOIN LATERAL (
    SELECT count(*)::int AS count, min(run_at) FILTER (WHERE run_at > '-infinity') AS oldest_at FROM (
      SELECT run_at FROM jobs WHERE jobs.name = names.name AND claimed_by IS NULL AND dead_at IS NULL AND run_at <= $1
      ORDER BY run_at LIMIT ${maxCounted}) first) due
  WHERE due.count > 0
  UNION ALL SELECT 'running-jobs', name, count(*)::int, NULL, '0' FROM jobs WHERE claimed_by IS NOT NULL GROUP BY name
  UNION ALL SELECT 'dead-jobs', name, count(*)::int, min(dead_at), '0' FROM (
    SELECT name, dead_at FROM jobs WHERE dead_at IS NOT NULL ORDER BY dead_at LIMIT ${maxCounted}) dead GROUP BY name
  UNION ALL SELECT 'payouts', state || ' ' || role, count(*)::int, min(created_at), sum(amount)::text FROM (
    (SELECT state, role, created_at, amount FROM payouts WHERE state = 'waiting' AND role <> 'house'
      ORDER BY created_at LIMIT ${maxCounted})
    UNION ALL
    (SELECT state, role, created_at, amount FROM payouts WHERE state = 'waiting' AND role = 'house'
      ORDER BY created_at LIMIT ${maxCounted})
    UNION ALL
    (SELECT state, role, created_at, amount FROM payouts WHERE state = 'blocked' ORDER BY created_at LIMIT ${maxCounted})
    ) owed GROUP BY state, role
  UNION ALL SELECT 'settling', network, count(*)::int, min(created_at), sum(amount)::text FROM (
    SELECT network, created_at, amount FROM x402_payments WHERE state = 'settling' ORDER BY created_at
    LIMIT ${maxCounted}) payments GROUP BY network
  UNION ALL SELECT 'unspent-arrivals', '', count(*)::int, min(seen_at), coalesce(sum(amount), 0)::text FROM (
    SELECT hash FROM order_arrivals WHERE spent_at IS NULL LIMIT ${maxCounted}) parts JOIN nano_arrivals USING (hash)
  UNION ALL SELECT 'unconfirmed-blocks', '', count(*)::int, min(signed_at), '0' FROM (
    SELECT signed_at FROM nano_blocks WHERE confirmed_at IS NULL AND refused_at IS NULL LIMIT ${maxCounted}) blocks
  UNION ALL SELECT 'pending-orders', '', count(*)::int, NULL, '0' FROM (
    SELECT FROM orders WHERE state = 'pending' LIMIT ${maxCounted}) pending
  UNION ALL SELECT 'address-checks', '', count(*)::int, min(next_check_at), '0' FROM (
    SELECT next_check_at FROM nano_addresses WHERE next_check_at <= $1 ORDER BY next_check_at LIMIT ${maxCounted}) due
  UNION ALL SELECT 'webhooks', '', count(*)::int, min(created_at), '0' FROM (
    SELECT created_at FROM webhook_deliveries WHERE state = 'waiting' LIMIT ${maxCounted}) deliveries
  UNION ALL SELECT 'deliveries', channel, count(*)::int, min(created_at), '0' FROM (
    SELECT channel, created_at FROM notification_deliveries WHERE state = 'waiting' LIMIT ${maxCounted}) deliveries
    GROUP BY channel
  UNION ALL SELECT 'reports', '', count(*)::int, min(created_at), '0' FROM reports WHERE state = 'open'
  UNION ALL SELECT 'holds', '', count(*)::int, min(placed_at), '0' FROM incident_holds WHERE cleared_at IS NULL
  UNION ALL SELECT 'gas-sold', '', 0, NULL, sold_wei::text FROM gas_days WHERE day = $2
  UNION ALL SELECT 'gas-wasted', '', 0, NULL, wasted_wei::text FROM gas_days WHERE day = $2
  UNION ALL SELECT 'backup', '', 1, taken_at, '0' FROM last_backup
  UNION ALL SELECT 'backup-failure', '', 1, failed_at, '0' FROM last_backup_failure
  UNION ALL (SELECT 'audit', '', findings, finished_at, '0' FROM audit_runs ORDER BY id DESC LIMIT 1)
  UNION ALL SELECT 'migrations', '', count(*)::int, NULL, '0' FROM migrations`

/** Throws if the database is unavailable, or busy for more than two seconds. */
export async function readServiceFigures(pool: pg.Pool, now: Date): Promise<ServiceFigures> {
  const rows = await readRows(pool, now)
  const found = new Map(rows.map((row) => [`${row.figure} ${row.label}`, row]))
  const backlog = (figure: string, label = ''): Backlog => {
    const row = found.get(`${figure} ${label}`)
    return { count: row?.count ?? 0, oldestAt: row?.oldest_at ?? null }
  }
  const money = (figure: string, label = ''): MoneyUnderWay => ({
    ...backlog(figure, label),
    amount: found.get(`${figure} ${label}`)?.amount ?? '0',
  })
  const names = new Set(rows.filter(({ figure }) => figure.endsWith('-jobs')).map(({ label }) => label))
  const audit = found.get('audit ')
  return {
    queues: [...names].sort().map((job) => ({
      job,
      waiting: backlog('waiting-jobs', job),
      running: backlog('running-jobs', job).count,
      dead: backlog('dead-jobs', job),
    })),
    payouts: (state, role) => money('payouts', `${state} ${role}`),
    settling: (asset) => money('settling', networkOf[asset]),
    unspentArrivals: money('unspent-arrivals'),
    unconfirmedBlocks: backlog('unconfirmed-blocks'),
    pendingOrders: backlog('pending-orders').count,
    addressChecks: backlog('address-checks'),
    webhooks: backlog('webhooks'),
    emails: backlog('deliveries', 'email'),
    pushes: backlog('deliveries', 'push'),
    openReports: backlog('reports'),
    openHolds: backlog('holds'),
    gasToday: { sold: money('gas-sold').amount, wasted: money('gas-wasted').amount },
    lastBackupAt: backlog('backup').oldestAt,
    backupFailedAt: backlog('backup-failure').oldestAt,
    lastAudit: audit && { at: audit.oldest_at!, findings: audit.count },
    migrations: backlog('migrations').count,
  }
}

/** For this transaction only, so that it works through a pooler too. Compiling the statement took longer than running it. */
const settings = 'BEGIN READ ONLY; SET LOCAL jit = off; SET LOCAL statement_timeout = 2000'

async function readRows(pool: pg.Pool, now: Date): Promise<Row[]> {
  const client = await pool.connect()
  try {
    await client.query(settings)
    const { rows } = await client.query<Row>(statement, [now, now.toISOString().slice(0, 10)])
    await client.query('COMMIT')
    client.release()
    return rows
  } catch (error) {
    // The transaction ends with the connection.
    client.release(true)
    throw error
  }
}

/** Merges backlogs into one. */
export function together(all: readonly Backlog[]): Backlog {
  const times = all.flatMap(({ oldestAt }) => oldestAt ?? [])
  return {
    count: all.reduce((sum, { count }) => sum + count, 0),
    oldestAt: times.length === 0 ? null : new Date(Math.min(...times.map((at) => at.getTime()))),
  }
}

/** Adds up money under way. */
export const moneyTogether = (all: readonly MoneyUnderWay[]): MoneyUnderWay => ({
  ...together(all),
  amount: String(all.reduce((sum, { amount }) => sum + BigInt(amount), 0n)),
})
