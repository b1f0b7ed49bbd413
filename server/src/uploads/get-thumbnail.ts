import { join } from 'node:path'
import { type getThumbnail as declared, mediaNotFound } from '@pennypost/contract/images'
import { refuse } from '../platform/http/refuse.ts'
import { mediaPath } from './image-view.ts'
import { thumbnailKey } from './object-keys.ts'
import { copyPublicImage, findPublicMedia, publicImageHeaders } from './public-media.ts'
import { readDrawing } from './read-drawing.ts'
import type { Handler } from './services.ts'

/** Only covers have thumbnails: lists show no other images of posts. */
export const getThumbnail: Handler<typeof declared> = async (services, { params }) => {
  const [id] = params.file.split('.') as [string]
  const media = await findPublicMedia(services.pool, id)
  if (media?.target_kind !== 'og') return refuse(mediaNotFound)
  return {
    status: 200,
    headers: { ...publicImageHeaders, etag: `"${media.media_sha256.slice(0, 32)}"`, 'content-type': 'image/webp' },
    body: () =>
      readDrawing(services, {
        objectKey: thumbnailKey(id),
        async prepare(folder, outputPath) {
          const path = join(folder, 'cover')
          const isThere = await copyPublicImage(services, mediaPath(id, media.media_extension), path)
          return isThere ? { kind: 'thumbnail', path, outputPath } : refuse(mediaNotFound)
        },
      }),
  }
}
