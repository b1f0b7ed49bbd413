import { z } from 'zod'
import { adminOnly, adminRequired } from './admin-only.ts'
import { endpoint } from './endpoint.ts'
import { AtomicAmount, DateTime } from './schemas.ts'

// The first page for an administrator: whether everything works, and what waits for a person.

const count = z.number().int()

const Backlog = z
  .object({ count, oldestAt: DateTime.nullable().meta({ description: 'Since when the oldest one waits.' }) })
  .meta({ id: 'Backlog' })
export type Backlog = z.infer<typeof Backlog>

const MoneyUnderWay = Backlog.extend({
  amountAtomic: AtomicAmount.meta({ description: 'The sum, in raw for XNO and in atomic units for USDC.' }),
}).meta({ id: 'MoneyUnderWay' })
export type MoneyUnderWay = z.infer<typeof MoneyUnderWay>

const RailState = z
  .enum(['working', 'degraded', 'off'])
  .meta({ description: '`degraded`: its nodes do not work as they should. `off`: this service does not offer it.' })

const NanoNode = z
  .object({
    node: z.string().meta({ description: 'Its address, without credentials.' }),
    state: z.enum(['ok', 'behind', 'unreachable', 'wrong-network']),
  })
  .meta({ id: 'NanoNodeState' })

const JobQueue = z
  .object({
    job: z.string().meta({ description: 'The name of the job.' }),
    waiting: Backlog.meta({ description: 'Due, and not started. Counted up to 10,000.' }),
    running: count,
    dead: Backlog.meta({ description: 'They stopped retrying.' }),
  })
  .meta({ id: 'JobQueue' })
export type JobQueue = z.infer<typeof JobQueue>

const wei = AtomicAmount.meta({ description: 'In wei: 10^18 are one ETH.' })

const AdminOverview = z
  .object({
    rails: z.object({ nano: RailState, base: RailState }),
    nano: z.object({
      nodes: z.array(NanoNode).meta({ description: 'As the process that replied sees them.' }),
      isWebsocketUp: z
        .boolean()
        .nullable()
        .meta({ description: 'Whether a node reports payments to this process. Null if it watches no addresses.' }),
      dueChecks: Backlog.meta({ description: 'Payment addresses whose next check is due, and since when.' }),
    }),
    gas: z
      .object({
        balanceWei: wei.nullable().meta({ description: 'What the settling key has left. Null if that is not known.' }),
        spentTodayWei: wei,
        budgetWei: wei.meta({ description: 'What may be spent in a day (UTC).' }),
      })
      .meta({ description: 'What USDC payments cost us.' }),
    ratesAt: DateTime.nullable().meta({ description: 'The time of the exchange rates. Null if there are none.' }),
    problems: z
      .array(
        z.object({
          name: z.string(),
          isRequired: z.boolean().meta({ description: 'Whether the service is not ready without it.' }),
          detail: z.string().nullable(),
        }),
      )
      .meta({ description: 'Dependencies that are unavailable, as in `getReadiness`.' }),
    jobs: z.object({
      waiting: Backlog.meta({ description: 'Jobs that are due and not started.' }),
      dead: Backlog.meta({ description: 'Jobs that stopped retrying.' }),
    }),
    money: z.object({
      nanoWaiting: MoneyUnderWay.meta({ description: 'Payouts to authors and refunds on their way.' }),
      nanoCommission: MoneyUnderWay.meta({
        description: 'Commission on its way, or waiting for `COMMISSION_SWEEP_HOUR`.',
      }),
      nanoBlocked: MoneyUnderWay.meta({ description: 'Payouts and refunds that need a person.' }),
      nanoSettling: MoneyUnderWay.meta({ description: 'Payments through x402 that are not confirmed yet.' }),
      nanoParts: MoneyUnderWay.meta({ description: 'Parts of a price, for orders that wait for the rest.' }),
      nanoUnconfirmed: Backlog.meta({ description: 'Blocks that we signed and the network has not confirmed.' }),
      usdcSettling: MoneyUnderWay.meta({ description: 'Payments whose outcome is not known yet.' }),
    }),
    queues: z.array(JobQueue).meta({ description: 'Jobs that wait, run or are dead, by name.' }),
    deliveries: z
      .object({ email: Backlog, push: Backlog, webhook: Backlog })
      .meta({ description: 'Notifications and webhook requests that are not sent yet.' }),
    lastBackupAt: DateTime.nullable().meta({ description: 'Of `pennypost backup`. Null if there was none.' }),
    backupFailedAt: DateTime.nullable().meta({
      description: 'When the last backup failed. Null if it succeeded. `pennypost doctor` has the reason.',
    }),
    lastAudit: z.object({ at: DateTime, findings: count }).nullable().meta({ description: 'Of `pennypost audit`.' }),
    openReports: Backlog,
    openHolds: Backlog,
    accounts: z.object({
      total: count.meta({ description: 'Without guests.' }),
      newThisWeek: count,
      suspended: count,
    }),
    posts: z.object({ published: count, newThisWeek: count, drafts: count }),
  })
  .meta({ id: 'AdminOverview' })
export type AdminOverview = z.infer<typeof AdminOverview>

export const getAdminOverview = endpoint({
  ...adminOnly,
  method: 'GET',
  path: '/api/v1/admin/overview',
  summary: 'Get an overview of the service',
  description:
    'Whether rails and dependencies work, what waits and since when, money in transit and its age, and how many accounts and posts there are.',
  replies: { 200: AdminOverview },
  refusals: [adminRequired],
})
