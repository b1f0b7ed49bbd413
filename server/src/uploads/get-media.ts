import { type getMedia as declared, mediaNotFound } from '@pennypost/contract/images'
import { refuse } from '../platform/http/refuse.ts'
import { parseByteRange } from './byte-range.ts'
import { findPublicMedia, publicImageHeaders } from './public-media.ts'
import { readStoredObject } from './read-stored-object.ts'
import type { Handler } from './services.ts'

export const getMedia: Handler<typeof declared> = async ({ pool, files, log }, { params, headers }) => {
  const [id, extension] = params.file.split('.') as [string, string]
  const media = await findPublicMedia(pool, id)
  if (!media || media.media_extension !== extension) return refuse(mediaNotFound)
  const etag = `"${media.media_sha256.slice(0, 32)}"`
  const shared = { ...publicImageHeaders, etag, 'accept-ranges': 'bytes' }
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
