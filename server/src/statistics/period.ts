import { invalidRequest } from '@pennypost/contract/errors'
import { maxStatisticsDays } from '@pennypost/contract/statistics'
import { refuse } from '../platform/http/refuse.ts'

const dayMs = 86_400_000
const defaultDays = 30

export const dayOf = (at: Date | number): string => new Date(at).toISOString().slice(0, 10)

/** The first and the last day that statistics are asked for. */
export function periodOf(
  { from, to }: { readonly from?: string | undefined; readonly to?: string | undefined },
  now: Date,
): { from: string; to: string } {
  const last = to ?? dayOf(now)
  const first = from ?? dayOf(Date.parse(last) - (defaultDays - 1) * dayMs)
  const days = (Date.parse(last) - Date.parse(first)) / dayMs + 1
  if (days < 1) refuseFrom('must not be after the last day')
  if (days > maxStatisticsDays) refuseFrom(`must be at most ${maxStatisticsDays - 1} days before the last day`)
  return { from: first, to: last }
}

const refuseFrom = (message: string): never =>
  refuse(invalidRequest, { errors: [{ field: 'from', code: 'out_of_range', message }] })

/** Every day of a period, oldest first. */
export function daysOf({ from, to }: { readonly from: string; readonly to: string }): string[] {
  const length = (Date.parse(to) - Date.parse(from)) / dayMs + 1
  return Array.from({ length }, (_, index) => dayOf(Date.parse(from) + index * dayMs))
}
