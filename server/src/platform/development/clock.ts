import type { moveClock as declaredMove, readClock as declaredRead } from '@pennypost/contract/dev'
import type pg from 'pg'
import type { ServiceClock } from '../clock.ts'
import type { Handler } from '../http/handler.ts'
import { hastenJobs } from '../jobs/job.ts'

interface Needs {
  readonly clock: ServiceClock
  readonly pool: pg.Pool
}

export const readClock: Handler<typeof declaredRead, Needs> = async ({ clock }) => ({
  status: 200,
  body: { now: clock.now().toISOString() },
})

export const moveClock: Handler<typeof declaredMove, Needs> = async ({ clock, pool }, { body }) => {
  await advanceClock(clock, pool, body.advanceSeconds * 1000)
  return { status: 200, body: { now: clock.now().toISOString() } }
}

/** Moves the clock and with it everything that waits for a time. */
export async function advanceClock(clock: ServiceClock, pool: pg.Pool, milliseconds: number): Promise<void> {
  await clock.advance(milliseconds)
  await hastenJobs(pool, milliseconds)
}
