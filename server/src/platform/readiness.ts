import type pg from 'pg'

/** A dependency and its health check. It is down if the check throws or does not finish in time. */
export interface Dependency {
  readonly name: string
  /** The service is not ready without a required dependency, and degraded without an optional one. */
  readonly required: boolean
  check(): Promise<void> | void
}

const timeoutMs = 2_000

/** Checks all dependencies in parallel. */
export async function checkReadiness(
  dependencies: readonly Dependency[],
): Promise<{ missing: string[]; degraded: string[] }> {
  const down = await Promise.all(
    dependencies.map(async (dependency) => ((await isUp(dependency)) ? undefined : dependency)),
  )
  const named = (required: boolean) => down.filter((found) => found?.required === required).map((found) => found!.name)
  return { missing: named(true), degraded: named(false) }
}

async function isUp(dependency: Dependency): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), timeoutMs)
  })
  const check = Promise.resolve()
    .then(() => dependency.check())
    .then(
      () => true,
      () => false,
    )
  try {
    return await Promise.race([check, timeout])
  } finally {
    clearTimeout(timer)
  }
}

/** For a check that only has to look at a value. */
export function assertThere(isThere: boolean | undefined): void {
  if (!isThere) throw new Error('not there')
}

export const databaseDependency = (pool: pg.Pool): Dependency => ({
  name: 'database',
  required: true,
  check: async () => void (await pool.query('SELECT 1')),
})

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
