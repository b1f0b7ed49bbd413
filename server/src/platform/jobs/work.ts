import { EventEmitter } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { Logger, parseCronItems, run, runOnce, type TaskList, type WorkerEvents } from 'graphile-worker'
import type pg from 'pg'
import type { z } from 'zod'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import type { Job } from './job.ts'
import { holdWorkers } from './live-workers.ts'

// biome-ignore lint/suspicious/noExplicitAny: a list of jobs holds payloads of every type; each job checks its own
export type AnyJob<Services> = Job<Services, z.ZodType<any, any>>

const restartDelayMs = 1_000

export interface WorkSettings<Services> {
  readonly jobs: readonly AnyJob<Services>[]
  readonly services: Services
  readonly pool: pg.Pool
  readonly log: Log
  readonly metrics: Metrics
}

export interface Worker {
  /** Finishes what it has begun or hands it back; takes nothing new. */
  stop(): Promise<void>
  /** Whether it still takes jobs. */
  isRunning(): boolean
}

/** Runs jobs until stopped. A runner that gives up, because the database was away for long, is started again. */
export async function startWorker<Services>(settings: WorkSettings<Services>): Promise<Worker> {
  const { log } = settings
  let stopping = false
  let current: RunningWorkers | undefined = await startRunner(settings)
  const keepRunning = async (): Promise<void> => {
    while (!stopping) {
      const cause = await current?.ended
      if (stopping) return
      current = undefined
      log.error({ cause }, 'the job runner stopped; starting it again')
      await wait(restartDelayMs)
      current = await startRunner(settings).catch(() => undefined)
    }
  }
  const keeping = keepRunning()
  return {
    isRunning: () => !stopping && current !== undefined,
    async stop() {
      stopping = true
      await current?.stop()
      await keeping
    },
  }
}

interface RunningWorkers {
  /** Why it ended. */
  readonly ended: Promise<string>
  stop(): Promise<void>
}

async function startRunner<Services>(settings: WorkSettings<Services>): Promise<RunningWorkers> {
  const { pool, log } = settings
  const workerIds: string[] = []
  const events: WorkerEvents = new EventEmitter()
  // Jobs are locked in the name of the pool, not of its workers.
  events.on('pool:create', ({ workerPool }) => workerIds.push(workerPool.id))
  const runner = await run({
    pgPool: pool,
    taskList: taskList(settings),
    parsedCronItems: parseCronItems(
      settings.jobs
        .filter((job) => job.every === 'hour')
        .map((job) => ({ task: job.name, match: '17 * * * *', payload: {} })),
    ),
    concurrency: 8,
    noHandleSignals: true,
    // Wakes by LISTEN; the poll finds what was promised for later.
    pollInterval: 1_000,
    logger: quietLogger(log),
    events,
  })
  const held = await holdWorkers(pool, workerIds, log)
  const ended = runner.promise.then(
    () => 'ended',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
  return {
    ended,
    async stop() {
      await runner.stop().catch(() => {})
      await held.release()
    },
  }
}

/** Runs every job that is due, and what they enqueue, until none is left. */
export async function runDueJobs<Services>(settings: WorkSettings<Services>): Promise<void> {
  await runOnce({
    pgPool: settings.pool,
    taskList: taskList(settings),
    noHandleSignals: true,
    logger: quietLogger(settings.log),
  })
}

function taskList<Services>({ jobs, services, log, metrics }: WorkSettings<Services>): TaskList {
  return Object.fromEntries(
    jobs.map((job) => [
      job.name,
      async (payload: unknown, { job: attempt }) => {
        try {
          await job.run(services, job.payload.parse(payload))
          metrics.jobs.inc({ job: job.name, outcome: 'done' })
        } catch (error) {
          const dead = attempt.attempts >= attempt.max_attempts
          metrics.jobs.inc({ job: job.name, outcome: dead ? 'dead' : 'failed' })
          log[dead ? 'error' : 'warn'](
            {
              job: job.name,
              jobId: attempt.id,
              attempt: attempt.attempts,
              cause: error instanceof Error ? error.message : String(error),
            },
            dead ? 'a job used up its attempts' : 'a job failed and will be tried again',
          )
          throw error
        }
      },
    ]),
  )
}

// The queue's own talk is for its authors; failures are logged above, with the job's name.
const quietLogger = (log: Log) =>
  new Logger(() => (level, message) => (level === 'error' ? log.debug({ message }, 'queue') : undefined))
