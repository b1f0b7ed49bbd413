import type pg from 'pg'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import type { AnyJob } from './job.ts'
import { type ClaimedJob, claimJobs, failJob, finishJob } from './job-store.ts'

export interface WorkSettings<Services> {
  readonly jobs: readonly AnyJob<Services>[]
  readonly services: Services
  readonly pool: pg.Pool
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
}

const longestDelayMs = 6 * 3_600_000
const longestCause = 500

/** Doubles with every attempt: two seconds after the first, six hours at the most. */
const retryDelayMs = (attempts: number): number => Math.min(1000 * 2 ** attempts, longestDelayMs)

/** Runs one claimed job and returns how to write down what came of it, which may have to be tried more than once. */
export async function runJob<Services>(
  settings: WorkSettings<Services>,
  claimed: ClaimedJob,
  claimant: number,
): Promise<() => Promise<void>> {
  const { jobs, services, pool, clock, log, metrics } = settings
  const { id, name, attempts, max_attempts: most } = claimed
  try {
    const job = jobs.find((declared) => declared.name === name)
    if (!job) throw new Error('this version does not know the job')
    await job.run(services, job.payload.parse(claimed.payload))
    metrics.jobs.inc({ job: name, outcome: 'done' })
    return () => finishJob(pool, claimed, claimant)
  } catch (error) {
    const cause = (error instanceof Error ? error.message : String(error)).slice(0, longestCause)
    const isDead = attempts >= most
    if (isDead && (await givesUp(settings, claimed))) {
      metrics.jobs.inc({ job: name, outcome: 'given_up' })
      log.warn({ job: name, jobId: id, attempt: attempts, cause }, 'a job used up its attempts and gave up')
      return () => finishJob(pool, claimed, claimant)
    }
    metrics.jobs.inc({ job: name, outcome: isDead ? 'dead' : 'failed' })
    const line = { job: name, jobId: id, attempt: attempts, cause }
    if (isDead) log.error(line, 'a job used up its attempts')
    else log.warn(line, 'a job failed and will be tried again')
    const now = clock.now()
    const retryAt = isDead ? null : new Date(now.getTime() + retryDelayMs(attempts))
    return () => failJob(pool, claimed, claimant, { cause, retryAt, now })
  }
}

/** Whether a job that failed for the last time has come to an end of its own. */
async function givesUp<Services>({ jobs, services, log }: WorkSettings<Services>, { name, payload }: ClaimedJob) {
  const job = jobs.find((declared) => declared.name === name)
  if (!job?.onLastFailure) return false
  try {
    await job.onLastFailure(services, job.payload.parse(payload))
    return true
  } catch (error) {
    log.error({ job: name, cause: error instanceof Error ? error.message : error }, 'a job could not give up')
    return false
  }
}

/** For tests: runs every job that is due, and what they enqueue, until none is left; one at a time, or so many. */
export async function runDueJobs<Services>(settings: WorkSettings<Services>, hands = 1): Promise<void> {
  const claimant = 1
  const workOff = async () => {
    for (let done = 0; ; done += 1) {
      const [claimed] = await claimJobs(settings.pool, claimant, 1, settings.clock.now())
      if (!claimed) return done
      const settle = await runJob(settings, claimed, claimant)
      await settle()
    }
  }
  // Who finds nothing may only have been slower than the others, and what those do may leave something to do.
  for (let isQuiet = false; !isQuiet; ) {
    const done = await Promise.all(Array.from({ length: hands }, workOff))
    isQuiet = hands === 1 || done.every((count) => count === 0)
  }
}
