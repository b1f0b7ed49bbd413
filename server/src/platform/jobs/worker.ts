import { setTimeout as wait } from 'node:timers/promises'
import { intervals } from './job.ts'
import { claimJobs, listLostClaimants, returnJobs, returnOrphanedJobs, scheduleJob, type Which } from './job-store.ts'
import { runJob, type WorkSettings } from './run-job.ts'
import { createWorkerSession } from './worker-session.ts'

export interface Worker {
  /** Takes nothing new, waits for what runs, and gives back what does not finish in time. */
  stop(patienceMs: number): Promise<void>
  /** Whether it looked for jobs lately, and could. */
  isRunning(): boolean
}

const concurrency = 8
// New jobs wake the worker; this finds what was promised for later, and what a lost wake-up left lying.
const pollMs = 1_000
const sweepMs = 5_000
const closeMs = 500

/** Runs jobs until stopped. While the database is away it asks again; nothing it was running is lost. */
export async function startWorker<Services>(settings: WorkSettings<Services>, databaseUrl: string): Promise<Worker> {
  const { jobs, pool, clock, log } = settings
  const running = new Map<string, { readonly name: string; readonly task: Promise<void> }>()
  let missing: readonly number[] = []
  let stopping = false
  let lastLook = 0
  let lastSweep = 0
  let wake: () => void = () => {}
  const session = createWorkerSession(databaseUrl, () => wake())

  /** What came of a job is written down however long that takes: the job is ours until then. */
  const settleFor = async (settle: () => Promise<void>): Promise<void> => {
    for (let delayMs = 100; ; delayMs = Math.min(delayMs * 2, 5_000)) {
      try {
        return await settle()
      } catch (error) {
        if (stopping) return
        log.warn({ cause: causeOf(error) }, 'the outcome of a job could not be stored yet')
        await wait(delayMs)
      }
    }
  }

  const sweep = async () => {
    await returnJobs(pool, session.claimant, [...running.keys()])
    // Lost twice in a row, seconds apart: a session that only broke is back by then.
    const lost = (await listLostClaimants(pool)).filter((claimant) => claimant !== session.claimant)
    const gone = lost.filter((claimant) => missing.includes(claimant))
    missing = lost
    const freed = gone.length > 0 ? await returnOrphanedJobs(pool, gone, clock.now()) : 0
    if (freed > 0) log.warn({ jobs: freed }, 'took over the jobs of a process that died')
    for (const { name, attempts, every } of jobs) {
      if (!every) continue
      const next = Math.ceil((clock.now().getTime() + 1) / intervals[every]) * intervals[every]
      await scheduleJob(pool, name, attempts, new Date(next))
    }
    lastSweep = Date.now()
  }

  const look = async (): Promise<number> => {
    await session.ensure()
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
    const claimed = most > 0 ? await claimJobs(pool, session.claimant, most, clock.now(), which) : []
    for (const job of claimed) {
      const task = runJob(settings, job, session.claimant)
        .then(settleFor)
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
        log.warn({ cause: causeOf(error) }, 'the job queue is out of reach')
      }
      await Promise.race([woken, wait(pollMs)])
    }
  }

  await look()
  const working = work()
  return {
    isRunning: () => !stopping && Date.now() - lastLook < 10 * pollMs,
    async stop(patienceMs) {
      stopping = true
      wake()
      await Promise.race([Promise.all([working, ...[...running.values()].map(({ task }) => task)]), wait(patienceMs)])
      if (running.size > 0) await Promise.race([returnJobs(pool, session.claimant, []).catch(() => {}), wait(closeMs)])
      await Promise.race([session.close(), wait(closeMs)])
    },
  }
}

const causeOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
