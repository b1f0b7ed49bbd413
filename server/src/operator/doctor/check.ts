import type { Redact } from '../redact.ts'

// A check looks at one thing from outside and reports what it sees. It may hang, throw or be lied to: the others go on.

export type CheckState = 'ok' | 'warning' | 'wrong' | 'skipped'

export interface Finding {
  readonly area: string
  readonly state: CheckState
  readonly detail: string
  /** What to do about it. */
  readonly advice?: string
}

export interface Report {
  ok(detail: string): void
  warn(detail: string, advice: string): void
  wrong(detail: string, advice: string): void
  skip(detail: string): void
}

export interface Check {
  readonly area: string
  /** It is given up after this time; what it reported before counts. */
  readonly timeoutMs: number
  /** What to do if it hangs or fails in a way that nobody thought of. */
  readonly advice: string
  run(report: Report, signal: AbortSignal): Promise<void>
}

const maxText = 400
const maxFindings = 200

/** Runs all checks at the same time, none for longer than `maxMs`. Each has at least one finding. */
export async function runChecks(
  checks: readonly Check[],
  redact: Redact,
  maxMs = Number.POSITIVE_INFINITY,
): Promise<Finding[]> {
  const found = await Promise.all(
    checks.map((check) => runCheck({ ...check, timeoutMs: Math.min(check.timeoutMs, maxMs) }, redact)),
  )
  return found.flat()
}

async function runCheck({ area, timeoutMs, advice, run }: Check, redact: Redact): Promise<Finding[]> {
  const findings: Finding[] = []
  let isOver = false
  const add = (state: CheckState, detail: string, what?: string): void => {
    if (isOver || findings.length >= maxFindings) return
    const text = oneLine(redact(detail))
    findings.push({ area, state, detail: text, ...(what !== undefined && { advice: oneLine(redact(what)) }) })
  }
  const report: Report = {
    ok: (detail) => add('ok', detail),
    warn: (detail, what) => add('warning', detail, what),
    wrong: (detail, what) => add('wrong', detail, what),
    skip: (detail) => add('skipped', detail),
  }
  const giveUp = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      add('wrong', `no answer within ${timeoutMs / 1000} seconds`, advice)
      resolve()
    }, timeoutMs)
  })
  const running = Promise.resolve()
    .then(() => run(report, giveUp.signal))
    .catch((error: unknown) => add('wrong', messageOf(error), advice))
  await Promise.race([running, late])
  isOver = true
  clearTimeout(timer)
  giveUp.abort()
  if (findings.length === 0) findings.push({ area, state: 'skipped', detail: 'nothing to check' })
  return findings
}

/** Some errors say what happened only in their cause, or in the first of several. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  if (error instanceof AggregateError && error.errors[0] !== undefined) return messageOf(error.errors[0])
  const code = (error as NodeJS.ErrnoException).code
  const own = error.message || (code ?? error.name)
  const why = cause instanceof Error ? messageOf(cause) : own
  return why === own ? own : `${own}: ${why}`
}

/** What other servers say may be long, and may have control characters. */
const oneLine = (text: string): string => {
  const line = text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').trim()
  return line.length > maxText ? `${line.slice(0, maxText)}…` : line
}

/** The host of a URL. Providers put keys into the path and the query. */
export const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : 'an unreadable URL')

export function formatAge(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000)
  if (minutes < 1) return 'less than a minute'
  if (minutes < 120) return `${minutes} minutes`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} hours` : `${Math.floor(hours / 24)} days`
}
