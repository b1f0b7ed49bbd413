import type { moveClock as declaredMove, readClock as declaredRead } from '@pennypost/contract/dev'
import type { ServiceClock } from '../clock.ts'
import type { Handler } from '../http/handler.ts'

interface Needs {
  readonly clock: ServiceClock
}

export const readClock: Handler<typeof declaredRead, Needs> = async ({ clock }) => ({
  status: 200,
  body: { now: clock.now().toISOString() },
})

export const moveClock: Handler<typeof declaredMove, Needs> = async ({ clock }, { body }) => {
  await clock.advance(body.advanceSeconds * 1000)
  return { status: 200, body: { now: clock.now().toISOString() } }
}
