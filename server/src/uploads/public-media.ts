import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { readRows, type Statement } from '../platform/database/database.ts'
import type { TargetKind } from './operation-store.ts'
import type { UploadServices } from './services.ts'

export interface Media {
  readonly media_key: string
  readonly media_type: string
  readonly media_extension: string
  readonly media_bytes: string
  readonly media_sha256: string
  readonly target_kind: TargetKind
}

/** An image that is cleared, wanted and not held. A replaced image stays public until the newer one is cleared. */
const publicMedia: Statement<Media> = {
  name: 'public-media',
  text: `SELECT media_key, media_type, media_extension, media_bytes, media_sha256, target_kind FROM upload_operations operation
    WHERE id = $1 AND state = 'cleared' AND desired AND media_key IS NOT NULL
      AND NOT EXISTS (SELECT FROM incident_holds hold WHERE hold.operation_id = operation.id AND hold.cleared_at IS NULL)`,
}

/** The sandbox makes sure that a browser shows an image or nothing, whatever the bytes contain. */
export const publicImageHeaders = {
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const findPublicMedia = async (pool: pg.Pool, id: string): Promise<Media | undefined> =>
  uuid.test(id) ? (await readRows(pool, publicMedia, [id]))[0] : undefined

/** Copies a public image, such as `/media/….png`, into a file. Returns false if there is no such image. */
export async function copyPublicImage(
  { pool, files }: Pick<UploadServices, 'pool' | 'files'>,
  mediaPath: string,
  toPath: string,
): Promise<boolean> {
  const id = /^\/media\/([0-9a-f-]{36})\.\w+$/.exec(mediaPath)?.[1]
  const media = id && (await findPublicMedia(pool, id))
  const bytes = media && (await files.read(media.media_key))
  if (!bytes) return false
  await pipeline(bytes, createWriteStream(toPath, { mode: 0o600 }))
  return true
}
