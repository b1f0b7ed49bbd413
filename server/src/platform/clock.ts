import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The one clock. Domain code never asks the system or the database what time it is. */
export interface Clock {
  now(): Date
}

/** How far the clock runs ahead of the system's; jobs translate their times with it. */
export interface ServiceClock extends Clock {
  readonly offsetMs: number
  advance(milliseconds: number): Promise<void>
}

export const systemClock = (): ServiceClock => ({
  offsetMs: 0,
  now: () => new Date(),
  advance: () => Promise.reject(new Error('the clock moves in development only')),
})

/** A clock that development and tests may move forward. With a folder, the offset survives restarts. */
export async function movableClock(folder?: string): Promise<ServiceClock> {
  const file = folder && join(folder, 'clock-offset')
  let offsetMs = file ? await readOffset(file) : 0
  return {
    get offsetMs() {
      return offsetMs
    },
    now: () => new Date(Date.now() + offsetMs),
    async advance(milliseconds) {
      offsetMs += milliseconds
      if (!file) return
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await writeFile(`${file}.new`, String(offsetMs))
      await rename(`${file}.new`, file)
    },
  }
}

async function readOffset(file: string): Promise<number> {
  const text = await readFile(file, 'utf8').catch(() => '0')
  const offset = Number(text)
  return Number.isFinite(offset) ? offset : 0
}
