import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** The service's clock. Code never asks the system or the database for the time. */
export interface Clock {
  now(): Date
}

/** A clock that can be moved forward, in development. */
export interface ServiceClock extends Clock {
  /** Resolves when every follower has caught up. */
  advance(milliseconds: number): Promise<void>
  /** Calls `follower` after each advance, for parts that keep their own time, such as a chain. Returns how to stop. */
  onAdvance(follower: () => Promise<void>): () => void
}

export const systemClock = (): ServiceClock => ({
  now: () => new Date(),
  advance: () => Promise.reject(new Error('the clock can be moved in development only')),
  onAdvance: () => () => {},
})

/** A clock that development and tests can move forward. If a folder is given, the offset survives restarts. */
export async function movableClock(folder?: string): Promise<ServiceClock> {
  const file = folder && join(folder, 'clock-offset')
  let offsetMs = file ? await readOffset(file) : 0
  let writing: Promise<void> = Promise.resolve()
  const followers = new Set<() => Promise<void>>()
  return {
    now: () => new Date(Date.now() + offsetMs),
    advance(milliseconds) {
      offsetMs += milliseconds
      // One write after the other: two at a time would use the same temporary file.
      writing = writing.then(async () => {
        if (file) await saveOffset(file, offsetMs)
        await Promise.all([...followers].map((follower) => follower()))
      })
      return writing
    },
    onAdvance(follower) {
      followers.add(follower)
      return () => void followers.delete(follower)
    },
  }
}

async function saveOffset(file: string, offsetMs: number): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await writeFile(`${file}.new`, String(offsetMs))
  await rename(`${file}.new`, file)
}

async function readOffset(file: string): Promise<number> {
  const text = await readFile(file, 'utf8').catch(() => '0')
  const offset = Number(text)
  return Number.isFinite(offset) ? offset : 0
}
