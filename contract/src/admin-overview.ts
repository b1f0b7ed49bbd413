import { z } from 'zod'
import { adminOnly, adminRequired } from './admin-only.ts'
import { endpoint } from './endpoint.ts'
import { AtomicAmount, DateTime } from './schemas.ts'

// What an administrator looks at first: whether everything works, and what waits for a person.

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

const AdminOverview = z
  .object({
    rails: z.object({ nano: RailState, base: RailState }),
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
      nanoWaiting: MoneyUnderWay.meta({ description: 'Payouts and refunds on their way.' }),
      nanoBlocked: MoneyUnderWay.meta({ description: 'Payouts and refunds that need a person.' }),
      usdcSettling: MoneyUnderWay.meta({ description: 'Payments whose outcome is not known yet.' }),
    }),
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
    'Whether rails and dependencies work, what waits and since when, and how many accounts and posts there are.',
  replies: { 200: AdminOverview },
  refusals: [adminRequired],
})
