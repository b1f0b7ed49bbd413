import { z } from 'zod'
import { StartError } from '../data-dir.ts'
import { refuseRepeated } from '../setting-values.ts'
import { type AnyJob, shares } from './job.ts'

/** How many jobs of a share, or of one name, run at the same time in one process, as the operator chose. */
export type JobsAtOnce = ReadonlyMap<string, number>

/** `name=count`, separated by commas. */
export const jobsAtOnce = z.string().transform((text, context): JobsAtOnce => {
  const chosen = text.split(',').map((part) => {
    const [, name = '', count] = /^\s*([a-z0-9-]+)=([1-9]\d{0,2})\s*$/.exec(part) ?? []
    if (count === undefined)
      context.addIssue({ code: 'custom', message: 'must look like webhooks=8,move-nano-address=16' })
    return [name, Number(count)] as const
  })
  refuseRepeated(
    chosen.map(([name]) => name),
    context,
  )
  return new Map(chosen)
})

/** Places outside of all shares, for jobs that must not wait, such as payouts. */
const unshared = 2

export interface JobPlaces {
  /** How many jobs run at the same time in this process. The shares use most of them, never all. */
  readonly all: number
  ofShare(share: keyof typeof shares): number
  /** The most of one job. */
  ofJob(job: Pick<AnyJob<never>, 'name' | 'concurrency'>): number
}

export function jobPlaces(chosen: JobsAtOnce = new Map()): JobPlaces {
  const ofShare = (share: keyof typeof shares) => chosen.get(share) ?? shares[share]
  const names = Object.keys(shares) as (keyof typeof shares)[]
  const shared = names.reduce((sum, share) => sum + ofShare(share), 0)
  // If one job has more places than that, it has them in addition to those of the shares.
  const ofOneJob = [...chosen].flatMap(([name, count]) => (Object.hasOwn(shares, name) ? [] : [count]))
  const all = shared + Math.max(unshared, ...ofOneJob)
  return { all, ofShare, ofJob: ({ name, concurrency }) => chosen.get(name) ?? concurrency ?? all }
}

/** Names of jobs are known only once all rooms are put together. */
export function requireJobNames(chosen: JobsAtOnce, jobs: readonly Pick<AnyJob<never>, 'name'>[]): void {
  for (const name of chosen.keys())
    if (!Object.hasOwn(shares, name) && !jobs.some((job) => job.name === name))
      throw new StartError(`JOBS_AT_ONCE: there is no job or share ${name}`)
}
