import { after, type TestContext } from 'node:test'

/** Where to register how something is closed that was opened for a test, or for a whole test file. */
export type Scope = Pick<TestContext, 'after'>

const opened = new Map<string, Promise<unknown>>()
const closers: (() => unknown)[] = []
const fileScope: Scope = { after: (close) => void closers.push(close as () => unknown) }

/**
 * Opens something once for all tests of a file, when the first test asks for this key. It is closed after the last test
 * of the file.
 */
export function openOnce<T>(key: string, open: (scope: Scope) => Promise<T>): Promise<T> {
  const found = opened.get(key) ?? open(fileScope)
  opened.set(key, found)
  return found as Promise<T>
}

/** The next test that asks for this key gets a new one. The old one is closed at the end of the file too. */
export const openAnew = (key: string): void => void opened.delete(key)

/** Closes everything that the tests of a file share. Throws if anything fails to close. */
export async function closeShared(): Promise<void> {
  opened.clear()
  const failures: unknown[] = []
  for (const close of closers.splice(0)) {
    try {
      await close()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures.length === 1 ? failures[0] : new AggregateError(failures)
}

// For a single file run with `node --test`.
after(closeShared)
