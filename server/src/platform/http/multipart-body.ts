import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { MultipartFile } from '@fastify/multipart'
import type { MultipartBody, ReceivedFile } from '@pennypost/contract/body'
import { type FieldError, payloadTooLarge, validation } from '@pennypost/contract/errors'
import type { FastifyRequest } from 'fastify'
import type { Pace } from './paced-body.ts'
import { refuse } from './refuse.ts'

const maxFields = 10
const maxFieldBytes = 16_384

const abandonedAfterMs = 3_600_000

/** Creates the folder and deletes what a killed process left in it. Recent files may belong to a running process. */
export async function openTemporaryFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    if (Date.now() - (await stat(path)).mtimeMs > abandonedAfterMs) await rm(path, { recursive: true, force: true })
  }
}

export interface ReceivedForm {
  readonly file: ReceivedFile
  readonly fields: Record<string, string>
  discard(): Promise<void>
}

/** Receives a form with exactly one file into a temporary folder, so that memory use does not depend on its size. */
export async function receiveMultipart(
  request: FastifyRequest,
  form: MultipartBody,
  temporaryFolder: string,
  pace: Pace,
): Promise<ReceivedForm> {
  const folder = await mkdtemp(join(temporaryFolder, 'form-'))
  const discard = () => rm(folder, { recursive: true, force: true })
  try {
    let file: ReceivedFile | undefined
    const fields: Record<string, string> = Object.create(null)
    // The parser would wait forever for a client that has already left.
    if (request.raw.destroyed && request.raw.complete === false) throw new Error('aborted')
    const parts = request.parts({
      limits: {
        files: 1,
        fields: maxFields,
        // Not limited by the parser: beyond that limit it does not listen to errors, and a form that is then cut off would
        // end the process. A part that is neither a file nor a field is skipped, and the body's size limits their number.
        parts: Number.POSITIVE_INFINITY,
        fieldSize: maxFieldBytes,
        fileSize: form.file.maxBytes,
      },
    })
    for await (const part of parts) {
      if (part.type === 'file') {
        if (part.fieldname !== form.file.field) refuseForm(part.fieldname, 'unknown', 'is not a file field here')
        file = await receiveFile(part, join(folder, 'file'), pace)
      } else if (part.fieldname in fields) {
        refuseForm(part.fieldname, 'repeated', 'may appear only once')
      } else if (part.valueTruncated) {
        refuseForm(part.fieldname, 'too_long', 'is too long')
      } else {
        fields[part.fieldname] = String(part.value)
      }
    }
    return { file: file ?? refuseForm(form.file.field, 'required', 'is required'), fields, discard }
  } catch (error) {
    // Reads what is left of the body. Unread, it would block the connection: the next request on it, which behind a proxy
    // is someone else's, would never be answered.
    request.raw.unpipe()
    request.raw.resume()
    await discard()
    throw formError(error)
  }
}

async function receiveFile(part: MultipartFile, path: string, pace: Pace): Promise<ReceivedFile> {
  const hash = createHash('sha256')
  let sizeBytes = 0
  const file = await open(path, 'wx', 0o600)
  const store = new Writable({
    write(chunk: Buffer, _encoding, done) {
      const work = async () => {
        hash.update(chunk)
        sizeBytes += chunk.length
        await file.writeFile(chunk)
      }
      pace(chunk.length, work).then(() => done(), done)
    },
  })
  try {
    await pipeline(part.file, store)
  } finally {
    await file.close()
  }
  if (part.file.truncated) refuse(payloadTooLarge)
  return { path, filename: part.filename, contentType: part.mimetype, sizeBytes, sha256: hash.digest('hex') }
}

const refuseForm = (field: string, code: FieldError['code'], message: string): never =>
  refuse(validation, { errors: [{ field, code, message }] })

// The parser throws these for a form that is too big, has too many parts, is malformed, or was cut off.
function formError(error: unknown): unknown {
  const code = (error as { code?: unknown }).code
  if (code === 'FST_REQ_FILE_TOO_LARGE') return caught(() => refuse(payloadTooLarge))
  if (code === 'FST_FILES_LIMIT') return caught(() => refuseForm('file', 'too_many', 'may appear only once'))
  if (code === 'FST_FIELDS_LIMIT') return caught(() => refuseForm('', 'too_many', 'has too many parts'))
  if (code === 'FST_PROTO_VIOLATION')
    return caught(() => refuseForm('', 'unknown', 'has a field with a forbidden name'))
  const isParserError =
    error instanceof Error &&
    /multipart|unexpected end|boundary|malformed|^aborted$|premature close/i.test(error.message)
  return isParserError ? caught(() => refuseForm('', 'malformed', 'is not a readable form')) : error
}

function caught(act: () => never): unknown {
  try {
    return act()
  } catch (error) {
    return error
  }
}
