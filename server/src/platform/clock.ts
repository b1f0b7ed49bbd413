import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** The one clock. Domain code never asks the system or the database what time it is. */
export interface Clock {
  now(): Date
}

/** A clock that can be moved forward, in development. */
export interface ServiceClock extends Clock {
  /** Resolves when all who follow have followed. */
  advance(milliseconds: number): Promise<void>
  /** Whoever has a time of its own (a chain, say) is told of each advance. Answers how to stop. */
  onAdvance(follower: () => Promise<void>): () => void
}

export const systemClock = (): ServiceClock => ({
  now: () => new Date(),
  advance: () => Promise.reject(new Error('the clock moves in development only')),
  onAdvance: () => () => {},
})

/** A clock that development and tests may move forward. With a folder, the offset survives restarts. */
export async function movableClock(folder?: string): Promise<ServiceClock> {
  const file = folder && join(folder, 'clock-offset')
  let offsetMs = file ? await readOffset(file) : 0
  let writing: Promise<void> = Promise.resolve()
  const followers = new Set<() => Promise<void>>()
  return {
    now: () => new Date(Date.now() + offsetMs),
    advance(milliseconds) {
      offsetMs += milliseconds
      // One write after the other, or two would use the same file aside.
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
