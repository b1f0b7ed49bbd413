import { type getMedia as declared, mediaNotFound } from '@pennypost/contract/images'
import { readRows, type Statement } from '../platform/database/database.ts'
import { refuse } from '../platform/http/refuse.ts'
import { parseByteRange } from './byte-range.ts'
import { readStoredObject } from './read-stored-object.ts'
import type { Handler } from './services.ts'

interface Media {
  readonly media_key: string
  readonly media_type: string
  readonly media_extension: string
  readonly media_bytes: string
  readonly media_sha256: string
}

/** An image that is cleared, wanted and not held. A replaced image stays public until the newer one is cleared. */
const publicMedia: Statement<Media> = {
  name: 'public-media',
  text: `SELECT media_key, media_type, media_extension, media_bytes, media_sha256 FROM upload_operations operation
    WHERE id = $1 AND state = 'cleared' AND desired AND media_key IS NOT NULL
      AND NOT EXISTS (SELECT FROM incident_holds hold WHERE hold.operation_id = operation.id AND hold.cleared_at IS NULL)`,
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const getMedia: Handler<typeof declared> = async ({ pool, files, log }, { params, headers }) => {
  const [id, extension] = params.file.split('.') as [string, string]
  const [media] = uuid.test(id) ? await readRows(pool, publicMedia, [id]) : []
  if (!media || media.media_extension !== extension) return refuse(mediaNotFound)
  const etag = `"${media.media_sha256.slice(0, 32)}"`
  // The sandbox makes sure that a browser shows an image or nothing, whatever the bytes contain.
  const shared = {
    etag,
    'accept-ranges': 'bytes',
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'cross-origin',
  }
  if (matches(headers['if-none-match'], etag)) return { status: 304, headers: shared }
  const size = Number(media.media_bytes)
  const isCurrent = headers['if-range'] === undefined || headers['if-range'] === etag
  const range = isCurrent ? parseByteRange(headers.range, size) : undefined
  if (range === 'unsatisfiable')
    return { status: 416, headers: { 'content-range': `bytes */${size}`, 'cache-control': 'no-store' } }
  const body = await readStoredObject({ files, log }, media.media_key, range)
  if (!body) {
    log.error({ operationId: id }, 'public image is missing from the object store')
    return refuse(mediaNotFound)
  }
  const shown = { ...shared, 'content-type': media.media_type }
  if (!range) return { status: 200, headers: { ...shown, 'content-length': String(size) }, body }
  const part = {
    'content-length': String(range.end - range.start + 1),
    'content-range': `bytes ${range.start}-${range.end}/${size}`,
  }
  return { status: 206, headers: { ...shown, ...part }, body }
}

const matches = (header: string | undefined, etag: string): boolean =>
  (header ?? '').split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag)
