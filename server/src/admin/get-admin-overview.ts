import type { AdminOverview, getAdminOverview as declared } from '@pennypost/contract/admin-overview'
import { networkOf } from '@pennypost/contract/money'
import { sql } from 'kysely'
import { requireAdmin } from '../accounts/require-admin.ts'
import type { Db } from '../platform/database/database.ts'
import type { ReadinessReport } from '../platform/readiness.ts'
import type { Handler } from './services.ts'

const weekMs = 7 * 86_400_000

export const getAdminOverview: Handler<typeof declared> = async ({ db, clock, readiness, base }, { caller }) => {
  requireAdmin(caller)
  const [report, backlogs, figures] = await Promise.all([
    readiness(),
    readBacklogs(db, clock.now()),
    readFigures(db, new Date(clock.now().getTime() - weekMs)),
  ])
  const isDown = (name: string) => report.missing.includes(name) || report.degraded.includes(name)
  return {
    status: 200,
    body: {
      rails: {
        nano: isDown('nano') || isDown('nano-network') ? 'degraded' : 'working',
        base: base ? (isDown('base') ? 'degraded' : 'working') : 'off',
      },
      problems: problemsIn(report),
      ...backlogs,
      ...figures,
    },
  }
}

const problemsIn = ({ missing, degraded, details }: ReadinessReport): AdminOverview['problems'] =>
  [...missing, ...degraded].map((name) => ({
    name,
    isRequired: missing.includes(name),
    detail: details[name] ?? null,
  }))

interface BacklogRow {
  readonly name: string
  readonly count: number
  readonly oldest_at: Date | null
  readonly amount: string
}

/** Each of these reads a partial index of what is not done, so it costs as much as there is to do. */
export async function readBacklogs(
  db: Db,
  now: Date,
): Promise<Pick<AdminOverview, 'jobs' | 'money' | 'openReports' | 'openHolds'>> {
  // A job that must run first has the time -infinity, which is no age.
  const { rows } = await sql<BacklogRow>`
    SELECT 'waiting-jobs' AS name, count(*)::int, min(run_at) FILTER (WHERE run_at > '-infinity') AS oldest_at, '0' AS amount
      FROM jobs WHERE claimed_by IS NULL AND dead_at IS NULL AND run_at <= ${now}
    UNION ALL SELECT 'dead-jobs', count(*)::int, min(dead_at), '0' FROM jobs WHERE dead_at IS NOT NULL
    UNION ALL SELECT 'nano-' || state, count(*)::int, min(created_at), sum(amount)::text
      FROM payouts WHERE state <> 'confirmed' GROUP BY state
    UNION ALL SELECT 'usdc', count(*)::int, min(created_at), coalesce(sum(amount), 0)::text
      FROM x402_payments WHERE state = 'settling' AND network = ${networkOf.USDC}
    UNION ALL SELECT 'reports', count(*)::int, min(created_at), '0' FROM reports WHERE state = 'open'
    UNION ALL SELECT 'holds', count(*)::int, min(placed_at), '0' FROM incident_holds WHERE cleared_at IS NULL
  `.execute(db)
  const found = new Map(rows.map((row) => [row.name, row]))
  const backlog = (name: string) => ({
    count: found.get(name)?.count ?? 0,
    oldestAt: found.get(name)?.oldest_at?.toISOString() ?? null,
  })
  const money = (name: string) => ({ ...backlog(name), amountAtomic: found.get(name)?.amount ?? '0' })
  return {
    jobs: { waiting: backlog('waiting-jobs'), dead: backlog('dead-jobs') },
    money: {
      nanoWaiting: money('nano-waiting'),
      nanoBlocked: money('nano-blocked'),
      usdcSettling: money('usdc'),
    },
    openReports: backlog('reports'),
    openHolds: backlog('holds'),
  }
}

interface FigureRow {
  readonly accounts: number
  readonly new_accounts: number
  readonly suspended: number
  readonly published: number
  readonly new_posts: number
  readonly drafts: number
}

async function readFigures(db: Db, weekAgo: Date): Promise<Pick<AdminOverview, 'accounts' | 'posts'>> {
  const { rows } = await sql<FigureRow>`
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
