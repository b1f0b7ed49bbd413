import { type DestinationStream, type Logger, pino } from 'pino'

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error' | 'isLevelEnabled'>

/**
 * Writes structured log lines to standard output. Each call chooses its fields (an operation's name, never its URL; an
 * error's message, never a request's headers), so no secret has to be filtered out afterwards.
 */
export const createLog = (level: string, { fields, traceId }: LogOptions = {}): Logger => {
  output ??= pino.destination({ dest: 1, sync: false, minLength: 4096, periodicFlush: 500 })
  return pino(
    { level, base: fields ?? null, timestamp: isoTime, ...(traceId && { mixin: () => traceOf(traceId) }) },
    output,
  )
}

export interface LogOptions {
  /** Fields of every line, such as the name of this process. */
  readonly fields?: Readonly<Record<string, string>>
  /** Finds the trace that a line belongs to. */
  readonly traceId?: (() => string | undefined) | undefined
}

const traceOf = (find: () => string | undefined): { traceId?: string } => {
  const traceId = find()
  return traceId === undefined ? {} : { traceId }
}

// Lines are buffered: one write for each would cost more than the rest of the logging. The process has one buffer: each has
// a timer that never ends, and tests create hundreds of logs.
let output: DestinationStream | undefined

// Formatted once per millisecond: a busy service logs many lines in one.
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
