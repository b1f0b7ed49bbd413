import { Readable } from 'node:stream'
import type { getSitemap as declared, getSitemapIndex as declaredIndex } from '@pennypost/contract/crawler-files'
import { canonicalPostPath, collectionPath, creatorPath } from '@pennypost/site/paths'
import { listGuides } from './guides/guides.ts'
import type { Handler } from './services.ts'
import { pagesOf } from './site-layout.ts'
import { rangesFor } from './sitemap-ranges.ts'
import { estimateCount, listEntries, listKinds, type SitemapEntry, type SitemapKind } from './sitemap-store.ts'
import { type Xml, xml, xmlDocument } from './xml.ts'

/** The protocol's limit for one file. */
const maxAddresses = 50_000
/** The intended size of a file: well below the limit, because the counts are estimates. */
const usualAddresses = 10_000

const namespace = 'http://www.sitemaps.org/schemas/sitemap/0.9'

export const getSitemapIndex: Handler<typeof declaredIndex> = async ({ pool }, { origin }) => {
  const parts = ['site']
  for (const kind of await listKinds(pool)) {
    for (const range of rangesFor(await estimateCount(pool, kind), usualAddresses)) parts.push(`${kind}-${range}`)
  }
  const listed = parts.map((part) => xml`<sitemap><loc>${origin}/sitemaps/${part}.xml</loc></sitemap>\n`)
  return { status: 200, body: xmlDocument(xml`<sitemapindex xmlns="${namespace}">\n${listed}</sitemapindex>`) }
}

export const getSitemap: Handler<typeof declared> = async ({ pool, site }, { params, origin }) => {
  if (params.part === 'site') {
    const guides = listGuides().map(({ slug }) => `/docs/${slug}`)
    const paths = ['/', '/docs', ...guides, ...pagesOf(site.settings()).map((page) => page.url)]
    return { status: 200, body: addressList(paths.map((path) => url(origin + path))) }
  }
  const [kind, range] = params.part.split('-') as [SitemapKind, string]
  const batches = listEntries(pool, kind, Number(range), maxAddresses)
  // Read before the reply starts: if the database is unavailable, that is a 503 instead of half a document.
  const first = await batches.next()
  const [opening, closing] = addressList([xml`|`]).split('|') as [string, string]
  async function* written() {
    yield opening
    for (let next = first; !next.done; next = await batches.next())
      yield next.value.map((entry) => url(addressOf(kind, entry, origin), entry.changed_at).text).join('')
    yield closing
  }
  return { status: 200, body: Readable.from(written()) }
}

const addressList = (urls: readonly Xml[]): string => xmlDocument(xml`<urlset xmlns="${namespace}">\n${urls}</urlset>`)

const url = (address: string, changedAt: Date | null = null): Xml =>
  xml`<url><loc>${address}</loc>${changedAt !== null && xml`<lastmod>${changedAt.toISOString()}</lastmod>`}</url>\n`

function addressOf(kind: SitemapKind, { id, handle, slug }: SitemapEntry, origin: string): string {
  if (kind === 'posts') return origin + canonicalPostPath({ id, handle, slug })
  return origin + (kind === 'creators' ? creatorPath(handle) : collectionPath(handle, slug))
}
