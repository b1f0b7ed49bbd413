import type pg from 'pg'

/** A dependency and how to ask whether it is there; a throw or silence means no. */
export interface Dependency {
  readonly name: string
  /** Without it the service is not ready; without an optional one it is only degraded. */
  readonly required: boolean
  check(): Promise<void> | void
}

const patienceMs = 2_000

/** Asks all dependencies at once. */
export async function checkReadiness(
  dependencies: readonly Dependency[],
): Promise<{ missing: string[]; degraded: string[] }> {
  const away = await Promise.all(
    dependencies.map(async (dependency) => ((await answers(dependency)) ? undefined : dependency)),
  )
  const named = (required: boolean) => away.filter((found) => found?.required === required).map((found) => found!.name)
  return { missing: named(true), degraded: named(false) }
}

async function answers(dependency: Dependency): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const silence = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), patienceMs)
  })
  const check = Promise.resolve()
    .then(() => dependency.check())
    .then(
      () => true,
      () => false,
    )
  try {
    return await Promise.race([check, silence])
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

/** Asks a dependency that is dear to ask, at most so often; in between the last answer holds. */
export function throttled(milliseconds: number, check: () => Promise<void>): () => Promise<void> {
  let askedAt = 0
  let answer: Promise<void> = Promise.resolve()
  return () => {
    if (Date.now() - askedAt >= milliseconds) {
      askedAt = Date.now()
      answer = check()
      answer.catch(() => {})
    }
    return answer
  }
}
