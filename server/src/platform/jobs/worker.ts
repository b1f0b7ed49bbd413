import { randomInt } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { openListener } from '../database/listener.ts'
import { intervals, wakeChannel } from './job.ts'
import {
  claimJobs,
  listLostClaimants,
  returnJobs,
  returnOrphanedJobs,
  scheduleJob,
  type Which,
  workerLockClass,
} from './job-store.ts'
import { runJob, type WorkSettings } from './run-job.ts'

export interface Worker {
  /** Claims no more jobs, waits for the running ones, and releases those that do not finish in time. */
  stop(timeoutMs: number): Promise<void>
  /** Whether it was able to look for jobs recently. */
  isRunning(): boolean
}

const concurrency = 8
// New jobs wake the worker. Polling finds jobs that were scheduled for later, and those whose wake-up was lost.
const pollMs = 1_000
const sweepMs = 5_000
const closeMs = 500

/** Runs jobs until stopped. While the database is unavailable it keeps trying; running jobs are not lost. */
export async function startWorker<Services>(settings: WorkSettings<Services>, databaseUrl: string): Promise<Worker> {
  const { jobs, pool, clock, log } = settings
  const running = new Map<string, { readonly name: string; readonly task: Promise<void> }>()
  let lockless: readonly number[] = []
  let stopping = false
  let lastLook = 0
  let lastSweep = 0
  let wake: () => void = () => {}
  // What this process's claims are marked with. After a lost connection the lock is taken again under the same number:
  // the jobs that this process runs are still its own.
  const claimant = randomInt(1, 2 ** 31 - 1)
  const listener = openListener(databaseUrl, log, {
    applicationName: 'pennypost worker',
    lock: { classId: workerLockClass, id: claimant },
  })
  listener.on(wakeChannel, () => wake())

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
    lastSweep = Date.now()
  }

  const look = async (): Promise<number> => {
    await listener.connected()
    if (Date.now() - lastSweep >= sweepMs) await sweep()
    const limited = jobs.filter(({ concurrency: atMost }) => atMost !== undefined)
    let count = 0
    for (const { name, concurrency: atMost } of limited) {
      const free = atMost! - [...running.values()].filter((other) => other.name === name).length
      count += await take(free, { only: name })
    }
    count += await take(concurrency, { except: limited.map(({ name }) => name) })
    lastLook = Date.now()
    return count
  }

  const take = async (wanted: number, which: Which): Promise<number> => {
    const most = Math.min(wanted, concurrency - running.size)
    const claimed = most > 0 ? await claimJobs(pool, claimant, most, clock.now(), which) : []
    for (const job of claimed) {
      const task = runJob(settings, job, claimant)
        .then(retryStoring)
        .finally(() => {
          running.delete(job.id)
          wake()
        })
      running.set(job.id, { name: job.name, task })
    }
    return claimed.length
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
      await Promise.race([Promise.all([working, ...[...running.values()].map(({ task }) => task)]), wait(timeoutMs)])
      if (running.size > 0) await Promise.race([returnJobs(pool, claimant, []).catch(() => {}), wait(closeMs)])
      await Promise.race([listener.close(), wait(closeMs)])
    },
  }
}

const causeOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
