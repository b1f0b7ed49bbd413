import { type Logger, pino } from 'pino'

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error' | 'isLevelEnabled'>

/**
 * Structured lines on standard output. What is logged is chosen field by field where it is written (a route's template,
 * never its URL; a cause's message, never a request's headers), so that no secret has to be filtered out afterwards.
 */
export const createLog = (level: string): Logger => {
  // Lines are gathered for a moment: a write for each would cost a request more than the rest of its logging.
  const output = pino.destination({ dest: 1, sync: false, minLength: 4096, periodicFlush: 500 })
  return pino({ level, base: null, timestamp: isoTime }, output)
}

// Written out once a millisecond, in which a busy service logs many lines.
let lastTime = 0
let lastText = ''
const isoTime = (): string => {
  const now = Date.now()
  if (now !== lastTime) {
    lastTime = now
    lastText = `,"time":"${new Date(now).toISOString()}"`
  }
  return lastText
}
