import { after, type TestContext } from 'node:test'

/** Where to register how something is closed that was opened for a test, or for several. */
export type Scope = Pick<TestContext, 'after'>

interface Shared {
  readonly value: Promise<unknown>
  readonly closers: (() => unknown)[]
  readonly isReusable: () => Promise<boolean>
}

const opened = new Map<string, Shared>()
// Replaced by a new one under the same key, and closed at the end of the file.
const replaced: Shared[] = []

/**
 * Opens something once for all tests of a file, when the first test asks for this key. At the end of the file it is
 * closed, unless it makes itself as good as new: then the next file in this process uses it too.
 */
export function openOnce<T>(
  key: string,
  open: (scope: Scope) => Promise<T>,
  renew: (value: T) => Promise<boolean> = async () => false,
): Promise<T> {
  const found = opened.get(key)
  if (found) return found.value as Promise<T>
  const closers: (() => unknown)[] = []
  const value = open({ after: (close) => void closers.push(close as () => unknown) })
  opened.set(key, { value, closers, isReusable: async () => renew(await value) })
  return value
}

/** The next test that asks for this key gets a new one. */
export function replaceShared(key: string): void {
  const found = opened.get(key)
  if (found) replaced.push(found)
  opened.delete(key)
}

// Each world has connections to the database.
const maxReused = 4

/** At the end of a file: closes what the next file cannot use. Throws if anything fails to close. */
export async function closeUsed(): Promise<void> {
  await close(replaced.splice(0))
  for (const [key, shared] of [...opened].reverse()) {
    const isReusable = opened.size <= maxReused && (await shared.isReusable().catch(() => false))
    if (isReusable) continue
    opened.delete(key)
    await close([shared])
  }
}

/** At the end of a process: closes everything. */
export async function closeShared(): Promise<void> {
  const all = [...replaced.splice(0), ...[...opened.values()].reverse()]
  opened.clear()
  await close(all)
}

async function close(all: readonly Shared[]): Promise<void> {
  const failures: unknown[] = []
  for (const act of all.flatMap(({ closers }) => closers)) {
    try {
      await act()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures.length === 1 ? failures[0] : new AggregateError(failures)
}

// For a single file run with `node --test`.
after(closeShared)
