import type { AdminOverview, getAdminOverview as declared } from '@pennypost/contract/admin-overview'
import { sql } from 'kysely'
import { requireAdmin } from '../accounts/require-admin.ts'
import type { Db } from '../platform/database/database.ts'
import type { ReadinessReport } from '../platform/readiness.ts'
import {
  type Backlog,
  type MoneyUnderWay,
  moneyTogether,
  type PayoutRole,
  payoutRoles,
  readServiceFigures,
  type ServiceFigures,
  together,
} from './monitoring/service-figures.ts'
import type { AdminServices, Handler } from './services.ts'

const weekMs = 7 * 86_400_000

export const getAdminOverview: Handler<typeof declared> = async (services, { caller }) => {
  requireAdmin(caller)
  const { db, pool, clock, readiness, base } = services
  const now = clock.now()
  const [report, figures, counts] = await Promise.all([
    readiness(),
    readServiceFigures(pool, now),
    readCounts(db, new Date(now.getTime() - weekMs)),
  ])
  const isDown = (name: string) => report.missing.includes(name) || report.degraded.includes(name)
  return {
    status: 200,
    body: {
      rails: {
        nano: isDown('nano') || isDown('nano-network') ? 'degraded' : 'working',
        base: base ? (isDown('base') ? 'degraded' : 'working') : 'off',
      },
      ...(await railDetails(services, figures)),
      problems: problemsIn(report),
      ...backlogsIn(figures),
      ...counts,
    },
  }
}

const problemsIn = ({ missing, degraded, details }: ReadinessReport): AdminOverview['problems'] =>
  [...missing, ...degraded].map((name) => ({
    name,
    isRequired: missing.includes(name),
    detail: details[name] ?? null,
  }))

async function railDetails(
  { nano, base, rates, config }: AdminServices,
  { addressChecks, gasToday }: ServiceFigures,
): Promise<Pick<AdminOverview, 'nano' | 'gas' | 'ratesAt'>> {
  const { monitor, confirmations } = nano
  const balance = await base?.gasWei()
  const known = rates.current()
  const oldestRate = known && Math.min(known.XNO.at.getTime(), known.USDC.at.getTime())
  return {
    nano: {
      nodes: monitor.nodes().map(({ node, state }) => ({ node, state })),
      isWebsocketUp: confirmations.isWanted() ? confirmations.isSubscribed() : null,
      dueChecks: shown(addressChecks),
    },
    gas: {
      balanceWei: balance === undefined ? null : String(balance),
      spentTodayWei: String(BigInt(gasToday.sold) + BigInt(gasToday.wasted)),
      budgetWei: String(config.gasBudgetWei),
    },
    ratesAt: oldestRate === undefined ? null : new Date(oldestRate).toISOString(),
  }
}

const shown = ({ count, oldestAt }: Backlog) => ({ count, oldestAt: oldestAt?.toISOString() ?? null })
const shownMoney = (money: MoneyUnderWay) => ({ ...shown(money), amountAtomic: money.amount })

type Backlogs = Pick<
  AdminOverview,
  | 'jobs'
  | 'queues'
  | 'money'
  | 'deliveries'
  | 'lastBackupAt'
  | 'backupFailedAt'
  | 'lastAudit'
  | 'openReports'
  | 'openHolds'
>

function backlogsIn(figures: ServiceFigures): Backlogs {
  const { queues, lastAudit } = figures
  const owed = (state: 'waiting' | 'blocked', roles: readonly PayoutRole[]) =>
    shownMoney(moneyTogether(roles.map((role) => figures.payouts(state, role))))
  return {
    jobs: {
      waiting: shown(together(queues.map(({ waiting }) => waiting))),
      dead: shown(together(queues.map(({ dead }) => dead))),
    },
    queues: queues.map(({ job, waiting, running, dead }) => ({
      job,
      waiting: shown(waiting),
      running,
      dead: shown(dead),
    })),
    money: {
      nanoWaiting: owed('waiting', ['creator', 'refund']),
      nanoCommission: owed('waiting', ['house']),
      nanoBlocked: owed('blocked', payoutRoles),
      nanoSettling: shownMoney(figures.settling('XNO')),
      nanoParts: shownMoney(figures.unspentArrivals),
      nanoUnconfirmed: shown(figures.unconfirmedBlocks),
      usdcSettling: shownMoney(figures.settling('USDC')),
    },
    deliveries: { email: shown(figures.emails), push: shown(figures.pushes), webhook: shown(figures.webhooks) },
    lastBackupAt: figures.lastBackupAt?.toISOString() ?? null,
    backupFailedAt: figures.backupFailedAt?.toISOString() ?? null,
    lastAudit: lastAudit ? { at: lastAudit.at.toISOString(), findings: lastAudit.findings } : null,
    openReports: shown(figures.openReports),
    openHolds: shown(figures.openHolds),
  }
}

interface CountRow {
  readonly accounts: number
  readonly new_accounts: number
  readonly suspended: number
  readonly published: number
  readonly new_posts: number
  readonly drafts: number
}

async function readCounts(db: Db, weekAgo: Date): Promise<Pick<AdminOverview, 'accounts' | 'posts'>> {
  const { rows } = await sql<CountRow>`
    SELECT account.*, post.* FROM
      (SELECT count(*)::int AS accounts, count(*) FILTER (WHERE created_at > ${weekAgo})::int AS new_accounts,
        count(*) FILTER (WHERE suspended_at IS NOT NULL)::int AS suspended FROM accounts WHERE NOT is_anonymous) account,
      (SELECT count(*) FILTER (WHERE status = 'published')::int AS published,
        count(*) FILTER (WHERE status = 'published' AND published_at > ${weekAgo})::int AS new_posts,
        count(*) FILTER (WHERE status = 'draft')::int AS drafts FROM posts) post`.execute(db)
  const { accounts, new_accounts, suspended, published, new_posts, drafts } = rows[0]!
  return {
    accounts: { total: accounts, newThisWeek: new_accounts, suspended },
    posts: { published, newThisWeek: new_posts, drafts },
  }
}
