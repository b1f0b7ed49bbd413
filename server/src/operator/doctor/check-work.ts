import { sql } from 'kysely'
import type pg from 'pg'
import {
  type Backlog,
  payoutRoles,
  readServiceFigures,
  type ServiceFigures,
  together,
} from '../../admin/monitoring/service-figures.ts'
import type { Config } from '../../config.ts'
import { sendLowPriorityPayouts } from '../../payments/payouts/payouts.job.ts'
import { movableClock, systemClock } from '../../platform/clock.ts'
import { type Db, openDatabase } from '../../platform/database/database.ts'
import { createLog } from '../../platform/log.ts'
import { type Check, formatAge, type Report } from './check.ts'
import { reportBackup } from './report-backup.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** What waits in the database: jobs and money, and when it was last backed up and audited. */
export const checkWork = (config: Omit<Config, 'tracing'>, url: () => Promise<string | undefined>): Check => ({
  area: 'work',
  timeoutMs: 20_000,
  advice: 'See the findings about the database.',
  async run(report, signal) {
    const address = await url()
    if (address === undefined) return report.skip('the database is not running')
    const { db, pool, close } = openDatabase(address, createLog('silent'), { connections: 2, searchConnections: 2 })
    signal.addEventListener('abort', () => void close().catch(() => {}))
    const isDevelopment = config.environment === 'development'
    const clock = isDevelopment ? await movableClock(config.dataDir) : systemClock()
    if (!(await isCurrent(pool))) return report.skip('the tables of this version are not there yet')
    const now = clock.now()
    const figures = await readServiceFigures(pool, now)
    const { queues, openReports, openHolds } = figures
    // Swept commission waits for hours, as it should: what is owed is reported below.
    const inTime = queues.filter(({ job }) => job !== sendLowPriorityPayouts.name)
    const jobs = {
      waiting: together(inTime.map((each) => each.waiting)),
      dead: together(queues.map((each) => each.dead)),
    }
    reportJobs(report, jobs, now)
    reportMoney(report, figures, now)
    reportWaiting(report, figures, now)
    if (openReports.count + openHolds.count > 0)
      report.warn(`open reports: ${openReports.count}, open holds: ${openHolds.count}`, 'Decide them at /admin.')
    if (!(await hasAdministrator(db)))
      report.warn('there is no administrator', 'Open the link that the start prints, or run pennypost admin add.')
    // The processes that make backups have the settings for them.
    if (config.role !== 'signer') await reportBackup(report, db, config, now)
    await reportAudit(report, db, now)
    await close()
  },
})

async function isCurrent(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query<{ there: boolean }>(
    `SELECT to_regclass('last_backup_failure') IS NOT NULL AS there`,
  )
  return rows[0]!.there
}

const ageOf = ({ oldestAt }: Backlog, now: Date): number => (oldestAt === null ? 0 : now.getTime() - oldestAt.getTime())

function reportJobs(report: Report, { waiting, dead }: { waiting: Backlog; dead: Backlog }, now: Date): void {
  const ageMs = ageOf(waiting, now)
  const detail = `jobs due: ${waiting.count}${waiting.count > 0 ? `, the oldest for ${formatAge(ageMs)}` : ''}`
  if (ageMs > hourMs) report.wrong(detail, 'Is a process with ROLE=worker or all running? See its log.')
  else if (ageMs > hourMs / 6) report.warn(detail, 'See pennypost jobs list. More workers may help.')
  else report.ok(detail)
  if (dead.count > 0)
    report.wrong(
      `dead jobs: ${dead.count}, the oldest for ${formatAge(ageOf(dead, now))}`,
      'See pennypost jobs dead; then pennypost jobs retry, or drop.',
    )
  else report.ok('no job is dead')
}

function reportMoney(report: Report, figures: ServiceFigures, now: Date): void {
  const nanoBlocked = together(payoutRoles.map((role) => figures.payouts('blocked', role)))
  for (const [name, backlog] of [
    [
      'Nano payouts are under way',
      together([figures.payouts('waiting', 'creator'), figures.payouts('waiting', 'refund')]),
    ],
    ['Nano blocks are not confirmed', figures.unconfirmedBlocks],
    ['USDC payments are settling', figures.settling('USDC')],
  ] as const) {
    const ageMs = ageOf(backlog, now)
    const detail = `${backlog.count} ${name}${backlog.count > 0 ? `, the oldest for ${formatAge(ageMs)}` : ''}`
    if (ageMs > hourMs) report.wrong(detail, 'See the findings about nodes, then run pennypost audit.')
    else if (ageMs > hourMs / 6) report.warn(detail, 'See the findings about nodes.')
    else report.ok(detail)
  }
  const commission = figures.payouts('waiting', 'house')
  // A sweep a day sends what is up to a day old, and has an hour or more to do.
  if (ageOf(commission, now) > 30 * hourMs)
    report.warn(
      `commission of ${commission.count} sales was not sent, the oldest for ${formatAge(ageOf(commission, now))}`,
      'See pennypost jobs list, and the findings about nodes. Nothing is lost.',
    )
  if (nanoBlocked.count > 0)
    report.warn(`${nanoBlocked.count} Nano payouts wait for a person`, 'Decide them at /admin/obligations.')
}

/** Address checks and emails that wait. */
function reportWaiting(report: Report, { addressChecks, emails }: ServiceFigures, now: Date): void {
  const lateMs = ageOf(addressChecks, now)
  const checks = `${addressChecks.count} payment addresses are due for a check${addressChecks.count > 0 ? `, the oldest for ${formatAge(lateMs)}` : ''}`
  if (lateMs > hourMs / 6)
    report.wrong(checks, 'Payments are noticed late. Is a worker running, and the Nano node reachable?')
  else if (lateMs > hourMs / 30)
    report.warn(checks, 'Add a worker, or set NANO_WS_URL, so that fewer checks are needed.')
  else report.ok(checks)
  const emailMs = ageOf(emails, now)
  if (emailMs > hourMs)
    report.warn(
      `${emails.count} emails about notifications wait, the oldest for ${formatAge(emailMs)}`,
      'See the finding about mail, and pennypost jobs list.',
    )
}

const hasAdministrator = async (db: Db): Promise<boolean> =>
  (await sql`SELECT FROM accounts WHERE is_admin LIMIT 1`.execute(db)).rows.length > 0

async function reportAudit(report: Report, db: Db, now: Date): Promise<void> {
  const { rows } = await sql<{ finished_at: Date; findings: number }>`
    SELECT finished_at, findings FROM audit_runs ORDER BY id DESC LIMIT 1`.execute(db)
  const [last] = rows
  if (!last) return report.warn('there was no audit yet', 'Run pennypost audit every day.')
  const ageMs = now.getTime() - last.finished_at.getTime()
  if (last.findings > 0)
    report.wrong(`the last audit, ${formatAge(ageMs)} ago, had ${last.findings} findings`, 'Run pennypost audit.')
  else if (ageMs > 3 * dayMs)
    report.warn(`the last audit was ${formatAge(ageMs)} ago`, 'Run pennypost audit every day.')
  else report.ok(`the last audit, ${formatAge(ageMs)} ago, had no findings`)
}
