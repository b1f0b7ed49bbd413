import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { imageBytes, inlineImageBytes } from '@pennypost/contract/images'
import { sql } from 'kysely'
import { z } from 'zod'
import { lockAccount } from '../accounts/account-store.ts'
import { faultPoint } from '../platform/fault-point.ts'
import { enqueue } from '../platform/jobs/job.ts'
import { mediaKey, receivedKey } from './object-keys.ts'
import { isKnownObjectStore } from './object-store-identity.ts'
import { changeOperation, findOperation, moveOperation, type Operation } from './operation-store.ts'
import { recordVerdict, type ScreeningOutcome } from './record-verdict.ts'
import type { Lane } from './screening/decoder-messages.ts'
import type { Failed, ImageFormat, ImageVerdict, Unavailable, ZipVerdict } from './screening/verdict.ts'
import type { Job, UploadServices } from './services.ts'

const payload = z.object({ operationId: z.uuid() })
// A file that kills its checker every time fails after this many attempts.
const maxChecks = 8
const maxWaitMs = 600_000

/** Screens an upload's received bytes and records the verdict. Until then nothing of them is public. */
export const screenUpload: Job<typeof payload> = {
  name: 'screen-upload',
  payload,
  queue: ({ operationId }) => `screen:${operationId}`,
  attempts: 20,
  share: 'uploads',
  concurrency: 3,
  run: (services, { operationId }) => checkUpload(services, operationId, 'light'),
}

const largePayload = z.object({ operationId: z.uuid(), accountId: z.uuid(), pixels: z.number().int() })
/** How far apart an account's large files are screened, so that those of other accounts come in between. */
const pixelsPerSecond = 8_000_000

/** The same for a file with many pixels. These have a job of their own, so that others do not wait for them. */
export const screenLargeUpload: Job<typeof largePayload> = {
  name: 'screen-large-upload',
  payload: largePayload,
  queue: ({ operationId }) => `screen:${operationId}`,
  attempts: 20,
  share: 'uploads',
  concurrency: 1,
  run: (services, { operationId }) => checkUpload(services, operationId, 'heavy'),
}

async function checkUpload(services: UploadServices, operationId: string, lane: Lane): Promise<void> {
  const { db, config } = services
  const begun = await moveOperation(db, operationId, 'check')
  if (!begun) return
  if (begun.checks_begun >= maxChecks) return recordVerdict(services, begun, failed('check-interrupted'))
  await changeOperation(db, operationId, { checks_begun: begun.checks_begun + 1 })
  faultPoint('check-begun')
  const folder = join(config.dataDir, 'tmp')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const workplace = await mkdtemp(join(folder, 'screen-'))
  try {
    await screen(services, begun, workplace, lane)
  } finally {
    await rm(workplace, { recursive: true, force: true })
  }
}

/**
 * Moves a large file to the heavy lane. An account is charged for the pixels of its files that wait there: each file is
 * due only when the earlier ones should be done.
 */
async function checkInHeavyLane({ db, clock }: UploadServices, operation: Operation, pixels: number): Promise<void> {
  const { id: operationId, account_id: accountId } = operation
  await db.transaction().execute(async (tx) => {
    const now = clock.now()
    // One at a time for each account, or two files would get the same time.
    await lockAccount(tx, accountId)
    const { rows } = await sql<{ free_at: Date | null }>`
      SELECT max(run_at + (payload ->> 'pixels')::float8 / ${pixelsPerSecond} * interval '1 second') AS free_at
      FROM jobs WHERE name = ${screenLargeUpload.name} AND payload ->> 'accountId' = ${accountId} AND dead_at IS NULL
        AND payload ->> 'operationId' <> ${operationId}`.execute(tx)
    const freeAt = rows[0]?.free_at
    const runAt = freeAt && freeAt > now ? freeAt : now
    await changeOperation(tx, operationId, { checks_begun: operation.checks_begun })
    await enqueue(
      tx,
      clock,
      screenLargeUpload,
      { operationId, accountId, pixels },
      { runAt, key: `screen-large:${operationId}` },
    )
  })
}

const failed = (reason: string): ScreeningOutcome => ({ kind: 'failed', reason })

async function screen(services: UploadServices, operation: Operation, workplace: string, lane: Lane): Promise<void> {
  const path = join(workplace, 'received')
  const fetched = await orUnavailable(services, operation, () => fetchBytes(services, operation, path))
  if (fetched === 'unavailable' || fetched === 'unknown store') return checkLater(services, operation)
  if (!fetched) return recordVerdict(services, operation, { kind: 'lost' })
  faultPoint('check-fetched')
  const { screening } = services
  if (operation.target_kind === 'attachment') {
    const verdict: ZipVerdict = await screening.screenZip({ path }, undefined, lane)
    if (verdict.kind === 'large') return checkInHeavyLane(services, operation, verdict.pixels)
    if (isInconclusive(verdict)) return checkLater(services, operation, verdict)
    await recordVerdict(services, operation, verdict.kind === 'cleared' ? { kind: 'zip', zip: verdict.zip } : verdict)
    return verdict.kind === 'held' ? keepEvidence(services, operation, path) : undefined
  }
  const input = {
    path,
    declaredType: operation.content_type,
    maxBytes: operation.target_kind === 'inline' ? inlineImageBytes : imageBytes,
    outputPath: join(workplace, 'public'),
  }
  const verdict: ImageVerdict = await screening.screenImage(input, undefined, lane)
  if (verdict.kind === 'large') return checkInHeavyLane(services, operation, verdict.pixels)
  if (isInconclusive(verdict)) return checkLater(services, operation, verdict)
  if (verdict.kind !== 'cleared') {
    await recordVerdict(services, operation, verdict)
    return verdict.kind === 'held' ? keepEvidence(services, operation, path) : undefined
  }
  const { image } = verdict
  const media_key = mediaKey(operation.id)
  const stored = await orUnavailable(services, operation, () =>
    services.files.put(media_key, createReadStream(image.path)),
  )
  if (stored === 'unavailable') return checkLater(services, operation)
  faultPoint('public-bytes-stored')
  const media = {
    media_key,
    media_type: `image/${image.format}`,
    media_extension: extensions[image.format],
    media_bytes: image.sizeBytes,
    media_sha256: image.sha256,
  }
  await recordVerdict(services, operation, { kind: 'image', media })
}

/** True if a screener was unavailable, or the decoder was killed or hardly got a processor: that says little about the file. */
const isInconclusive = (verdict: ImageVerdict | ZipVerdict): verdict is Unavailable | Failed =>
  verdict.kind === 'unavailable' || (verdict.kind === 'failed' && verdict.reason === 'interrupted')

const extensions: Record<ImageFormat, string> = { png: 'png', jpeg: 'jpg', webp: 'webp', gif: 'gif' }

/** Treats an object store that fails like an unavailable screener: nothing is cleared, and the check is retried. */
async function orUnavailable<Result>(
  { log }: UploadServices,
  { id }: Operation,
  access: () => Promise<Result>,
): Promise<Result | 'unavailable'> {
  try {
    return await access()
  } catch (error) {
    log.warn({ operationId: id, cause: (error as Error).message }, 'object store did not respond')
    return 'unavailable'
  }
}

/** Copies the received bytes into a file for the decoder. Returns false if they are missing or have changed. */
async function fetchBytes(
  services: UploadServices,
  operation: Operation,
  path: string,
): Promise<boolean | 'unknown store'> {
  const { files } = services
  const stored = operation.received_key === null ? undefined : await files.read(operation.received_key)
  if (!stored) return (await isKnownObjectStore(services)) ? false : 'unknown store'
  const hash = createHash('sha256')
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      done(null, chunk)
    },
  })
  await pipeline(stored, measure, createWriteStream(path, { flags: 'w', mode: 0o600 }))
  return hash.digest('hex') === operation.sha256
}

/** Stores the checked copy of a matched upload, if the upload was cancelled and cleaned up during its check. */
async function keepEvidence({ db, files }: UploadServices, { id }: Operation, path: string): Promise<void> {
  if ((await findOperation(db, id))?.received_key !== null) return
  const received_key = receivedKey(id)
  await files.put(received_key, createReadStream(path))
  await changeOperation(db, id, { received_key })
}

/**
 * Schedules another check with exponential backoff; the operation stays `checking`. An unavailable screener resets the
 * count of attempts. An interrupted decoder does not, so that a file that always kills or stops it fails in the end.
 */
async function checkLater(
  { db, clock }: UploadServices,
  operation: Operation,
  { kind }: Pick<Unavailable | Failed, 'kind'> = { kind: 'unavailable' },
): Promise<void> {
  const absences = operation.screener_absences + 1
  const runAt = new Date(clock.now().getTime() + Math.min(1000 * 2 ** absences, maxWaitMs))
  await db.transaction().execute(async (tx) => {
    await changeOperation(tx, operation.id, {
      screener_absences: absences,
      next_check_at: runAt,
      ...(kind === 'unavailable' && { checks_begun: 0 }),
    })
    await enqueue(tx, clock, screenUpload, { operationId: operation.id }, { runAt, key: `screen:${operation.id}` })
  })
}
