import type pg from 'pg'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { traceJob } from '../tracing/tracing.ts'
import type { AnyJob } from './job.ts'
import type { JobsAtOnce } from './job-places.ts'
import { type ClaimedJob, claimJobs, failJob, finishJob } from './job-store.ts'

export interface WorkSettings<Services> {
  readonly jobs: readonly AnyJob<Services>[]
  readonly services: Services
  readonly pool: pg.Pool
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  readonly jobsAtOnce?: JobsAtOnce
}

const maxDelayMs = 6 * 3_600_000
const maxCauseLength = 500

/** Exponential backoff: two seconds after the first attempt, doubling up to six hours. */
const retryDelayMs = (attempts: number): number => Math.min(1000 * 2 ** attempts, maxDelayMs)

/** Runs a claimed job. Returns a function that stores the outcome, because storing may have to be retried. */
export async function runJob<Services>(
  settings: WorkSettings<Services>,
  claimed: ClaimedJob,
  claimant: number,
): Promise<() => Promise<void>> {
  const { jobs, services, pool, clock, log, metrics } = settings
  const { id, name, attempts, max_attempts: most } = claimed
  const startedAt = performance.now()
  const count = (outcome: string) => {
    metrics.jobs.inc({ name, outcome })
    metrics.jobLatency.of(name)(outcome, (performance.now() - startedAt) / 1000)
  }
  try {
    const job = jobs.find((declared) => declared.name === name)!
    await traceJob(name, attempts, async () => job.run(services, job.payload.parse(claimed.payload)))
    count('done')
    return () => finishJob(pool, claimed, claimant)
  } catch (error) {
    // PostgreSQL cannot store NUL, and the message of another server may contain one.
    const message = (error instanceof Error ? error.message : String(error)).replaceAll('\0', '')
    const cause = message.slice(0, maxCauseLength)
    const isDead = attempts >= most
    if (isDead && (await runOnLastFailure(settings, claimed))) {
      count('given_up')
      log.warn({ job: name, jobId: id, attempt: attempts, cause }, 'a job used up its attempts and was ended')
      return () => finishJob(pool, claimed, claimant)
    }
    count(isDead ? 'dead' : 'failed')
    const line = { job: name, jobId: id, attempt: attempts, cause }
    if (isDead) log.error(line, 'a job used up its attempts and is dead')
    else log.warn(line, 'a job failed and will be retried')
    const now = clock.now()
    const retryAt = isDead ? null : new Date(now.getTime() + retryDelayMs(attempts))
    return () => failJob(pool, claimed, claimant, { cause, retryAt, now })
  }
}

/** Whether the job has an `onLastFailure`, and it succeeded. */
async function runOnLastFailure<Services>(
  { jobs, services, log }: WorkSettings<Services>,
  { name, payload }: ClaimedJob,
) {
  const job = jobs.find((declared) => declared.name === name)
  if (!job?.onLastFailure) return false
  try {
    await job.onLastFailure(services, job.payload.parse(payload))
    return true
  } catch (error) {
    log.error(
      { job: name, cause: error instanceof Error ? error.message : error },
      'the last-failure handler of a job failed',
    )
    return false
  }
}

/** For tests: runs all due jobs, and the jobs they add, until none is left. `concurrency` of them run at a time. */
export async function runDueJobs<Services>(settings: WorkSettings<Services>, concurrency = 1): Promise<void> {
  const { pool, clock } = settings
  const claimant = 1
  const jobs = settings.jobs.map(({ name, lowPriority = false }) => ({ name, most: 1, isLowPriority: lowPriority }))
  const drain = async () => {
    for (let done = 0; ; done += 1) {
      const [claimed] = await claimJobs(pool, { claimant, now: clock.now(), jobs, most: 1 })
      if (!claimed) return done
      const storeOutcome = await runJob(settings, claimed, claimant)
      await storeOutcome()
    }
  }
  // A loop that finds nothing may just have been slower than the others, whose jobs may add more.
  for (let isQuiet = false; !isQuiet; ) {
    const done = await Promise.all(Array.from({ length: concurrency }, drain))
    isQuiet = concurrency === 1 || done.every((count) => count === 0)
  }
}
