import { randomInt } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { openListener } from '../database/listener.ts'
import { intervals, type shares, wakeChannel } from './job.ts'
import { jobPlaces } from './job-places.ts'
import {
  claimJobs,
  claimSettings,
  endSilentWorkers,
  listLostClaimants,
  listOtherNames,
  returnJobs,
  returnOrphanedJobs,
  scheduleJob,
  workerLockClass,
} from './job-store.ts'
import { runJob, type WorkSettings } from './run-job.ts'

export interface Worker {
  /** Claims no more jobs, waits for the running ones, and releases those that do not finish in time. */
  stop(timeoutMs: number): Promise<void>
  /** Whether it was able to look for jobs recently. */
  isRunning(): boolean
}

// New jobs wake the worker. Polling finds jobs that were scheduled for later, and those whose wake-up was lost.
const pollMs = 1_000
const sweepMs = 5_000
// How long a slot of a share stays empty after a job. A short pause lets other slots become free, so that one claim fills
// them all.
const pauseMs = 10
// Strangers can cause these by the thousand. Four slots with this pause send at most 40 emails a second, and leave the
// database to those who are reading.
const longPausesMs: Partial<Record<keyof typeof shares, number>> = { notifications: 30, deliveries: 100 }
const closeMs = 500
// Each worker reports this often. One that stays silent for much longer is frozen, or its machine is gone.
const heartbeatMs = 2_000
const silenceMs = 12_000
const namesMs = 60_000

/** Runs jobs until stopped. While the database is unavailable it keeps trying; running jobs are not lost. */
export async function startWorker<Services>(settings: WorkSettings<Services>, databaseUrl: string): Promise<Worker> {
  const { jobs, pool, clock, log } = settings
  const places = jobPlaces(settings.jobsAtOnce)
  const running = new Map<string, { readonly name: string; readonly task: Promise<void> }>()
  const names = jobs.map(({ name }) => name)
  const shareOf = new Map(jobs.map(({ name, share }) => [name, share]))
  let lockless: readonly number[] = []
  let stopping = false
  let lastLook = 0
  let lastSweep = 0
  let lastNames = 0
  let wake: () => void = () => {}
  // Marks the claims of this process. After a lost connection the lock is taken again under the same number, so the jobs
  // that this process runs are still its own.
  const claimant = randomInt(1, 2 ** 31 - 1)
  const listener = openListener(databaseUrl, log, {
    applicationName: 'pennypost worker',
    lock: { classId: workerLockClass, id: claimant },
    settings: claimSettings,
  })
  listener.on(wakeChannel, () => wake())
  const heartbeat = setInterval(() => listener.query({ text: 'SELECT' }).catch(() => {}), heartbeatMs).unref()

  /** Retries until the outcome of a job is stored. The job stays claimed by this process until then. */
  const retryStoring = async (store: () => Promise<void>): Promise<void> => {
    for (let delayMs = 100; ; delayMs = Math.min(delayMs * 2, 5_000)) {
      try {
        return await store()
      } catch (error) {
        if (stopping) return
        log.warn({ cause: causeOf(error) }, 'cannot store the outcome of a job yet')
        await wait(delayMs)
      }
    }
  }

  const sweep = async () => {
    await returnJobs(pool, claimant, [...running.keys()])
    const silent = await endSilentWorkers(pool, silenceMs)
    if (silent > 0) log.warn({ workers: silent }, 'ended the session of a worker that stopped responding')
    // Only those without a lock in two sweeps, seconds apart: a worker that lost its connection is back by then.
    const lost = (await listLostClaimants(pool)).filter((other) => other !== claimant)
    const gone = lost.filter((other) => lockless.includes(other))
    lockless = lost
    const released = gone.length > 0 ? await returnOrphanedJobs(pool, gone, clock.now()) : 0
    if (released > 0) log.warn({ jobs: released }, 'released the jobs of a process that died')
    for (const { name, attempts, every } of jobs) {
      if (!every) continue
      const next = Math.ceil((clock.now().getTime() + 1) / intervals[every]) * intervals[every]
      await scheduleJob(pool, name, attempts, new Date(next))
    }
    if (Date.now() - lastNames >= namesMs) await logUnknownJobs()
    lastSweep = Date.now()
  }

  /** Jobs of a newer version wait for it. If none is running, the operator has to know. */
  const logUnknownJobs = async () => {
    const others = await listOtherNames(pool, names)
    if (others.length > 0) log.warn({ jobs: others }, 'jobs that only another version can run are waiting')
    lastNames = Date.now()
  }

  const look = async (): Promise<number> => {
    await listener.connected()
    if (Date.now() - lastSweep >= sweepMs) await sweep()
    const claimed = await claim()
    for (const job of claimed) {
      const task = runJob(settings, job, claimant)
        .then(retryStoring)
        .finally(async () => {
          const share = shareOf.get(job.name)
          if (share && !stopping) await wait(longPausesMs[share] ?? pauseMs)
          running.delete(job.id)
          wake()
        })
      running.set(job.id, { name: job.name, task })
    }
    lastLook = Date.now()
    return claimed.length
  }

  const claim = () => {
    const busy = [...running.values()].map(({ name }) => name)
    const freeIn = (share: keyof typeof shares) =>
      places.ofShare(share) - busy.filter((name) => shareOf.get(name) === share).length
    return claimJobs(listener, {
      claimant,
      now: clock.now(),
      jobs: jobs.map((job) => ({
        name: job.name,
        most: places.ofJob(job) - busy.filter((other) => other === job.name).length,
        isLowPriority: job.lowPriority ?? false,
        ...(job.share && { share: { name: job.share, most: freeIn(job.share) } }),
      })),
      most: places.all - running.size,
    })
  }

  const work = async () => {
    while (!stopping) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve
      })
      try {
        if ((await look()) > 0) continue
      } catch (error) {
        log.warn({ cause: causeOf(error) }, 'cannot reach the job queue')
      }
      await Promise.race([woken, wait(pollMs)])
    }
  }

  await look()
  const working = work()
  return {
    isRunning: () => !stopping && Date.now() - lastLook < 10 * pollMs,
    async stop(timeoutMs) {
      stopping = true
      wake()
      clearInterval(heartbeat)
      await Promise.race([Promise.all([working, ...[...running.values()].map(({ task }) => task)]), wait(timeoutMs)])
      if (running.size > 0) await Promise.race([returnJobs(pool, claimant, []).catch(() => {}), wait(closeMs)])
      await Promise.race([listener.close(), wait(closeMs)])
    },
  }
}

const causeOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
