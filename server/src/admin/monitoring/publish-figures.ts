import { wholeUnits } from '@pennypost/contract/money'
import type { AdminServices } from '../services.ts'
import { type Backlog, type MoneyUnderWay, payoutRoles, payoutStates, readServiceFigures } from './service-figures.ts'

// Figures from the database as metrics. Every process exports the same ones, so alert rules use the maximum.

/** How long figures are cached. Several scrapers share one read. */
const keptMs = 10_000
// After this time the scrape continues without them.
const usualPatienceMs = 2_000

type Parts = Pick<AdminServices, 'metrics' | 'pool' | 'clock' | 'config'>

export function publishFigures({ metrics, pool, clock, config }: Parts, patienceMs = usualPatienceMs): void {
  const { gauge } = metrics
  const isThere = gauge('figures_up', 'Whether the figures of the database could be read: 1 or 0.')
  const deadJobs = gauge('jobs_dead', 'Jobs that used up their attempts.')
  const waitingJobs = gauge('jobs_waiting', 'Jobs that are due and not started, up to 10,000 of each name.', ['name'])
  const runningJobs = gauge('jobs_running', 'Jobs that a worker has started.', ['name'])
  const jobLag = gauge('jobs_lag_seconds', 'For how long the oldest due job of this name has waited.', ['name'])
  const payouts = gauge('payouts_open', 'Nano payouts and refunds that are not confirmed.', ['state', 'role'])
  const payoutAge = gauge('payouts_oldest_age_seconds', 'The age of the oldest of them; 0: none.', ['state', 'role'])
  const payoutSum = gauge('payouts_open_xno', 'Their sum in XNO.', ['state', 'role'])
  const underWay = gauge('money_under_way', 'Payments that are not final, by kind.', ['kind'])
  const underWayAge = gauge('money_under_way_age_seconds', 'The age of the oldest of them; 0: none.', ['kind'])
  const pendingOrders = gauge('orders_pending', 'Orders that wait for their payment.')
  const dueChecks = gauge('nano_checks_due', 'Nano addresses whose next check is due.')
  const checkLag = gauge(
    'nano_check_lag_seconds',
    'For how long the longest overdue address has waited; 0: none is due.',
  )
  const waiting = gauge('deliveries_waiting', 'Emails, pushes and webhook requests that wait.', ['channel'])
  const waitingAge = gauge('deliveries_oldest_age_seconds', 'The age of the oldest of them; 0: none.', ['channel'])
  const reviews = gauge('reviews_open', 'What waits for an administrator: reports and holds.', ['kind'])
  const gas = gauge('gas_spent_today_eth', 'ETH spent on gas since midnight UTC, by whether it brought a sale.', [
    'outcome',
  ])
  const budget = gauge('gas_budget_eth', 'ETH that may be spent on gas in a day.')
  const backup = gauge('last_backup_timestamp_seconds', 'When the last `pennypost backup` was taken; 0: never.')
  const backupFailure = gauge('last_backup_failure_timestamp_seconds', 'When the last backup failed; 0: it succeeded.')
  const audit = gauge('last_audit_timestamp_seconds', 'When the last `pennypost audit` ended; 0: never.')
  const findings = gauge('last_audit_findings', 'How many findings it had.')
  const migrations = gauge('migrations_applied', 'How many migrations the database has.')
  budget.set(Number(config.gasBudgetWei) / 1e18)
  const interval = gauge('backup_interval_seconds', 'How often the service makes a backup automatically; 0: never.')
  interval.set((config.backup.everyMs ?? 0) / 1000)

  const labelled = [waitingJobs, runningJobs, jobLag, payouts, payoutAge, payoutSum, underWay, underWayAge, waiting]
  const others = [waitingAge, reviews, gas]
  const plain = [deadJobs, pendingOrders, dueChecks, checkLag, backup, backupFailure, audit, findings, migrations]

  const ageOf = ({ oldestAt }: Backlog, now: Date): number =>
    oldestAt === null ? 0 : Math.max(0, (now.getTime() - oldestAt.getTime()) / 1000)

  async function update(): Promise<void> {
    const now = clock.now()
    const figures = await readServiceFigures(pool, now)
    for (const each of [...labelled, ...others]) each.reset()
    deadJobs.set(figures.queues.reduce((sum, { dead }) => sum + dead.count, 0))
    for (const { job: name, waiting: due, running } of figures.queues) {
      waitingJobs.set({ name }, due.count)
      runningJobs.set({ name }, running)
      jobLag.set({ name }, ageOf(due, now))
    }
    for (const state of payoutStates)
      for (const role of payoutRoles) {
        const owed = figures.payouts(state, role)
        payouts.set({ state, role }, owed.count)
        payoutAge.set({ state, role }, ageOf(owed, now))
        payoutSum.set({ state, role }, wholeUnits('XNO', owed.amount))
      }
    const kinds: readonly (readonly [string, Backlog | MoneyUnderWay])[] = [
      ['x402-nano', figures.settling('XNO')],
      ['x402-usdc', figures.settling('USDC')],
      ['part-payments', figures.unspentArrivals],
      ['nano-blocks', figures.unconfirmedBlocks],
    ]
    for (const [kind, backlog] of kinds) {
      underWay.set({ kind }, backlog.count)
      underWayAge.set({ kind }, ageOf(backlog, now))
    }
    pendingOrders.set(figures.pendingOrders)
    dueChecks.set(figures.addressChecks.count)
    checkLag.set(ageOf(figures.addressChecks, now))
    for (const [channel, backlog] of [
      ['email', figures.emails],
      ['push', figures.pushes],
      ['webhook', figures.webhooks],
    ] as const) {
      waiting.set({ channel }, backlog.count)
      waitingAge.set({ channel }, ageOf(backlog, now))
    }
    reviews.set({ kind: 'reports' }, figures.openReports.count)
    reviews.set({ kind: 'holds' }, figures.openHolds.count)
    gas.set({ outcome: 'sold' }, Number(figures.gasToday.sold) / 1e18)
    gas.set({ outcome: 'wasted' }, Number(figures.gasToday.wasted) / 1e18)
    backup.set((figures.lastBackupAt?.getTime() ?? 0) / 1000)
    backupFailure.set((figures.backupFailedAt?.getTime() ?? 0) / 1000)
    audit.set((figures.lastAudit?.at.getTime() ?? 0) / 1000)
    findings.set(figures.lastAudit?.findings ?? 0)
    migrations.set(figures.migrations)
    isThere.set(1)
  }

  /** Removes figures that are no longer known. An old figure would look like a current one. */
  function forget(): void {
    isThere.set(0)
    for (const each of [...labelled, ...others]) each.reset()
    for (const each of plain) each.set(Number.NaN)
  }

  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | undefined
  metrics.onCollect(async () => {
    if (performance.now() - readAt >= keptMs)
      reading ??= update()
        .catch(forget)
        .finally(() => {
          readAt = performance.now()
          reading = undefined
        })
    if (!reading) return
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        forget()
        resolve()
      }, patienceMs)
    })
    await Promise.race([reading, late])
    clearTimeout(timer)
  })
}
