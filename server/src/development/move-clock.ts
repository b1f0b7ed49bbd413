import type { moveClock as declaredMove, readClock as declaredRead } from '@pennypost/contract/development-tools'
import type { Handler } from './services.ts'

export const readClock: Handler<typeof declaredRead> = async ({ clock }) => ({
  status: 200,
  body: { now: clock.now().toISOString() },
})

export const moveClock: Handler<typeof declaredMove> = async ({ clock }, { body }) => {
  await clock.advance(body.advanceSeconds * 1000)
  return { status: 200, body: { now: clock.now().toISOString() } }
}
