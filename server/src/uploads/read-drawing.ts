import { createReadStream } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { temporarilyUnavailable } from '@pennypost/contract/errors'
import { refuse } from '../platform/http/refuse.ts'
import { singleFlight } from '../platform/single-flight.ts'
import { readStoredObject } from './read-stored-object.ts'
import type { Drawing } from './screening/decoder-messages.ts'
import type { UploadServices } from './services.ts'

type DrawingParts = Pick<UploadServices, 'config' | 'files' | 'log' | 'screening'>

/** A picture that we draw at the first request for it. */
export interface WantedDrawing {
  readonly objectKey: string
  /** What to draw into `outputPath`. The pictures on it are copied into `folder` first. */
  readonly prepare: (folder: string, outputPath: string) => Promise<Drawing>
  /** What to draw instead if a picture on it cannot be decoded. */
  readonly withoutPictures?: (outputPath: string) => Drawing
  readonly onStored?: () => Promise<void>
}

const flights = singleFlight()
const maxDrawMs = 20_000

/** Reads a drawing from the object store, or draws and stores it. Concurrent requests share one drawing. */
export async function readDrawing(parts: DrawingParts, wanted: WantedDrawing): Promise<Readable | Buffer> {
  const { objectKey } = wanted
  const stored = await readStoredObject(parts, objectKey)
  if (stored) return stored
  // A request during a run gets the next run, which finds the drawing in the store.
  return flights.run(
    objectKey,
    async () => (await readStoredObject(parts, objectKey)) ?? (await drawAndStore(parts, wanted)),
  )
}

async function drawAndStore(parts: DrawingParts, wanted: WantedDrawing): Promise<Buffer> {
  const { config, files, log } = parts
  const tmp = join(config.dataDir, 'tmp')
  await mkdir(tmp, { recursive: true, mode: 0o700 })
  const folder = await mkdtemp(join(tmp, 'draw-'))
  try {
    const outputPath = join(folder, 'drawing')
    await draw(parts, wanted, folder, outputPath)
    const bytes = await readFile(outputPath)
    try {
      await files.put(wanted.objectKey, createReadStream(outputPath))
      await wanted.onStored?.()
    } catch (error) {
      // It is drawn again for the next reader.
      log.warn({ key: wanted.objectKey, cause: (error as Error).message }, 'could not store a drawing')
    }
    return bytes
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function draw(
  { screening, log }: DrawingParts,
  { objectKey, prepare, withoutPictures }: WantedDrawing,
  folder: string,
  outputPath: string,
): Promise<void> {
  const attempts = [
    () => prepare(folder, outputPath),
    ...(withoutPictures ? [async () => withoutPictures(outputPath)] : []),
  ]
  for (const attempt of attempts) {
    const verdict = await screening.draw(await attempt(), AbortSignal.timeout(maxDrawMs)).catch((error: Error) => {
      if (error.name !== 'TimeoutError') throw error
      return { kind: 'failed', reason: 'time-limit' } as const
    })
    if (verdict.kind === 'drawn') return
    log.warn({ key: objectKey, verdict: verdict.kind }, 'could not draw a picture')
    if (verdict.kind === 'unavailable') break
  }
  refuse(temporarilyUnavailable, {}, { retryAfterSeconds: 5 })
}
