import type { getOEmbed as declared } from '@pennypost/contract/embeds'
import { postPageNotFound } from '@pennypost/contract/public-pages'
import { Uuid } from '@pennypost/contract/schemas'
import { oneLine } from '@pennypost/site/clean-text'
import { renderToString } from '@pennypost/site/jsx/markup'
import { creatorPath, embedPath } from '@pennypost/site/paths'
import { findPublicPost, findPublicPostBySlug, type PublicPostDetail } from '../discovery/public-post-store.ts'
import { etagOf } from '../platform/http/conditional-request.ts'
import { html } from '../platform/http/page.ts'
import { refuse } from '../platform/http/refuse.ts'
import { linkCardSize } from '../uploads/screening/drawing/sizes.ts'
import { linkCardOf } from './link-card.ts'
import type { Handler, SiteServices } from './services.ts'
import { xml, xmlDocument } from './xml.ts'

const frameSize = { width: 600, height: 280 }
const cacheSeconds = 3600

/** How another site shows a post. The URL is only read, never fetched. */
export const getOEmbed: Handler<typeof declared> = async (services, { query, origin }) => {
  const { url, format, maxwidth, maxheight } = query
  const post = (await findPostOfUrl(services, url)) ?? refuse(postPageNotFound)
  const site = services.site.settings()
  const title = oneLine(post.title)
  const size = { width: Math.min(frameSize.width, maxwidth), height: Math.min(frameSize.height, maxheight) }
  const { width, height } = linkCardSize
  const embedding: Embedding = {
    version: '1.0',
    type: 'rich',
    title,
    author_name: oneLine(post.name),
    author_url: origin + creatorPath(post.handle),
    provider_name: site.name,
    provider_url: origin,
    cache_age: cacheSeconds,
    // A picture that is larger than requested must be left out.
    ...(width <= maxwidth &&
      height <= maxheight && {
        thumbnail_url: origin + linkCardOf(post, site).path,
        thumbnail_width: width,
        thumbnail_height: height,
      }),
    html: frameOf(origin + embedPath(post.id), title, size),
    ...size,
  }
  const isXml = format === 'xml'
  const body = isXml ? xmlOf(embedding) : JSON.stringify(embedding)
  const contentType = isXml ? { 'content-type': 'text/xml; charset=utf-8' } : {}
  return { status: 200, headers: { etag: etagOf(body), ...contentType }, body }
}

const frameOf = (src: string, title: string, { width, height }: typeof frameSize): string =>
  renderToString(
    html`<iframe src="${src}" title="${title}" width="${width}" height="${height}" loading="lazy" frameborder="0" sandbox="allow-popups allow-popups-to-escape-sandbox"></iframe>`,
  )

interface Thumbnail {
  readonly thumbnail_url: string
  readonly thumbnail_width: number
  readonly thumbnail_height: number
}

interface Embedding extends Partial<Thumbnail> {
  readonly version: string
  readonly type: string
  readonly title: string
  readonly author_name: string
  readonly author_url: string
  readonly provider_name: string
  readonly provider_url: string
  readonly cache_age: number
  readonly html: string
  readonly width: number
  readonly height: number
}

const xmlOf = (embedding: Embedding): string =>
  xmlDocument(xml`<oembed>
<version>${embedding.version}</version>
<type>${embedding.type}</type>
<title>${embedding.title}</title>
<author_name>${embedding.author_name}</author_name>
<author_url>${embedding.author_url}</author_url>
<provider_name>${embedding.provider_name}</provider_name>
<provider_url>${embedding.provider_url}</provider_url>
<cache_age>${embedding.cache_age}</cache_age>
${
  embedding.thumbnail_url !== undefined &&
  xml`<thumbnail_url>${embedding.thumbnail_url}</thumbnail_url>
<thumbnail_width>${embedding.thumbnail_width}</thumbnail_width>
<thumbnail_height>${embedding.thumbnail_height}</thumbnail_height>
`
}<html>${embedding.html}</html>
<width>${embedding.width}</width>
<height>${embedding.height}</height>
</oembed>`)

/** The published post at a URL of this site. A slug or handle that it had before works too. */
async function findPostOfUrl({ pool, origins }: SiteServices, text: string): Promise<PublicPostDetail | undefined> {
  if (!URL.canParse(text)) return undefined
  const { origin, pathname } = new URL(text)
  if (!origins.isTrusted(origin)) return undefined
  const [first = '', second = '', ...others] = pathname.split('/').slice(1)
  if (others.length > 0 || second === '') return undefined
  if (first === 'posts') return Uuid.safeParse(second).success ? findPublicPost(pool, second) : undefined
  const [, handle] = /^@([A-Za-z0-9_]{1,30})$/.exec(first) ?? []
  const slug = decoded(second)
  return handle && slug && slug.length <= 200 ? findPublicPostBySlug(pool, handle, slug) : undefined
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}
