import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { SiteSettings } from '@pennypost/contract/site-settings'
import { oneLine } from '@pennypost/site/clean-text'
import type { PublicPostDetail } from '../discovery/public-post-store.ts'
import { defaultAccentColor } from '../platform/site-settings.ts'
import { linkCardKey } from '../uploads/object-keys.ts'
import { copyPublicImage } from '../uploads/public-media.ts'
import type { WantedDrawing } from '../uploads/read-drawing.ts'
import type { LinkCardText } from '../uploads/screening/drawing/link-card.ts'
import { replaceLinkCard } from './link-card-store.ts'
import type { SiteServices } from './services.ts'

/** Raise it when the drawing changes, so that every card is drawn again under a new URL. */
const drawingVersion = 1

/** The picture that other sites show for a link to a post. */
export interface LinkCard {
  /** Changes with everything on the card, so that caches may store it forever. */
  readonly version: string
  readonly path: string
  readonly mediaType: 'image/png' | 'image/jpeg'
  readonly text: LinkCardText
  /** Paths of hosted images. */
  readonly pictures: Readonly<Record<'cover' | 'avatar' | 'logo', string | null>>
}

type CardPost = Pick<PublicPostDetail, 'id' | 'title' | 'name' | 'handle' | 'og_path' | 'avatar_url'>

export function linkCardOf(post: CardPost, site: SiteSettings): LinkCard {
  const text = {
    title: oneLine(post.title),
    author: oneLine(post.name),
    handle: post.handle,
    site: oneLine(site.name),
    color: site.accentColor ?? defaultAccentColor,
  }
  // A logo on another server is left out: we fetch nothing from other servers.
  const logo = site.logoUrl?.startsWith('/media/') ? site.logoUrl : null
  const pictures = { cover: post.og_path, avatar: post.avatar_url, logo }
  const content = JSON.stringify([drawingVersion, text, pictures])
  const version = createHash('sha256').update(content).digest('hex').slice(0, 16)
  const isPhoto = pictures.cover !== null
  return {
    version,
    path: `/cards/${post.id}-${version}.${isPhoto ? 'jpg' : 'png'}`,
    mediaType: isPhoto ? 'image/jpeg' : 'image/png',
    text,
    pictures,
  }
}

export const linkCardDrawing = (services: SiteServices, postId: string, card: LinkCard): WantedDrawing => ({
  objectKey: linkCardKey(postId, card.version),
  async prepare(folder, outputPath) {
    const pictures: Record<string, string> = {}
    for (const [name, mediaPath] of Object.entries(card.pictures)) {
      const path = join(folder, name)
      if (mediaPath !== null && (await copyPublicImage(services, mediaPath, path))) pictures[name] = path
    }
    return { kind: 'link-card', text: card.text, pictures, mediaType: card.mediaType, outputPath }
  },
  withoutPictures: (outputPath) => ({
    kind: 'link-card',
    text: card.text,
    pictures: {},
    mediaType: card.mediaType,
    outputPath,
  }),
  async onStored() {
    const before = await replaceLinkCard(services.pool, postId, card.version)
    if (before !== undefined && before !== card.version) await services.files.remove(linkCardKey(postId, before))
  },
})
