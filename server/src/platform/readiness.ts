import type pg from 'pg'
import { singleFlight } from './single-flight.ts'

/** A dependency and its health check. It is down if the check throws or does not finish in time. */
export interface Dependency {
  readonly name: string
  /** The service is not ready without a required dependency, and degraded without an optional one. */
  readonly required: boolean
  check(): Promise<void> | void
}

const timeoutMs = 2_000

/** A problem that is explained to anyone who reads the readiness report. Other errors stay in the log. */
export class ReadinessProblem extends Error {
  override name = 'ReadinessProblem'
}

export interface DependencyState {
  readonly name: string
  readonly required: boolean
  readonly isUp: boolean
}

export interface ReadinessReport {
  /** All dependencies, working or not. */
  readonly dependencies: readonly DependencyState[]
  readonly missing: string[]
  readonly degraded: string[]
  /** The problems of some of them, by name. */
  readonly details: Record<string, string>
}

/** Checks all dependencies in parallel. */
export async function checkReadiness(dependencies: readonly Dependency[]): Promise<ReadinessReport> {
  const checked = await Promise.all(
    dependencies.map(async ({ name, required, check }) => ({ name, required, failure: await failureOf(check) })),
  )
  const down = checked.filter(({ failure }) => failure !== undefined)
  const named = (required: boolean) => down.filter((each) => each.required === required).map(({ name }) => name)
  const states = checked.map(({ name, required, failure }) => ({ name, required, isUp: failure === undefined }))
  const explained = down.flatMap(({ name, failure }) =>
    failure instanceof ReadinessProblem ? [[name, failure.message] as const] : [],
  )
  return { dependencies: states, missing: named(true), degraded: named(false), details: Object.fromEntries(explained) }
}

/** Returns undefined if the check succeeds in time. */
async function failureOf(check: Dependency['check']): Promise<Error | undefined> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<Error>((resolve) => {
    timer = setTimeout(() => resolve(new Error('it did not reply in time')), timeoutMs)
  })
  const checking = Promise.resolve()
    .then(() => check())
    .then(
      () => undefined,
      (error: Error) => error,
    )
  try {
    return await Promise.race([checking, timeout])
  } finally {
    clearTimeout(timer)
  }
}

/** Throws unless a dependency is there, for checks that only have to read a value. */
export function requireAvailable(isThere: boolean | undefined): void {
  if (!isThere) throw new Error('not there')
}

export const databaseDependency = (pool: pg.Pool): Dependency => ({
  name: 'database',
  required: true,
  check: async () => void (await pool.query('SELECT 1')),
})

/**
 * Lets concurrent callers share one check. Anyone may call the endpoint, as often as they like and however busy the service
 * is, so a crowd of callers must not take all connections of the database.
 */
export function sharedReadiness(dependencies: readonly Dependency[]): () => Promise<ReadinessReport> {
  const flight = singleFlight()
  return () => flight.run('readiness', () => checkReadiness(dependencies))
}

/** Limits how often an expensive check runs. In between, the last result is returned. */
export function throttled(milliseconds: number, check: () => Promise<void>): () => Promise<void> {
  let checkedAt = 0
  let result: Promise<void> = Promise.resolve()
  return () => {
    if (Date.now() - checkedAt >= milliseconds) {
      checkedAt = Date.now()
      result = check()
      result.catch(() => {})
    }
    return result
  }
}
