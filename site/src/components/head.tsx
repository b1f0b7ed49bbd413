import type { Children } from '../jsx/markup.ts'

interface PageLinksProps {
  readonly canonicalUrl: string
  /** Keeps search engines from listing the page: it is empty or personal. */
  readonly hidden?: boolean | undefined
  /** The path below which the page's feeds are. */
  readonly feedPath?: string | undefined
}

const feeds = [
  ['application/rss+xml', 'RSS', 'feed.xml'],
  ['application/atom+xml', 'Atom', 'atom.xml'],
  ['application/feed+json', 'JSON Feed', 'feed.json'],
] as const

/** Elements in the head for search engines and feed readers. */
export const PageLinks = ({ canonicalUrl, hidden = false, feedPath }: PageLinksProps) => (
  <>
    <link rel="canonical" href={canonicalUrl} />
    {hidden && <meta name="robots" content="noindex" />}
    {feedPath !== undefined &&
      feeds.map(([type, title, file]) => (
        <link key={file} rel="alternate" type={type} title={title} href={feedPath + file} />
      ))}
  </>
)

interface SiteHeadProps {
  readonly name: string
  readonly iconUrl: string | null
  readonly accentColor: string | null
}

/** The operator's elements in the head of every page. */
export const SiteHead = ({ name, iconUrl, accentColor }: SiteHeadProps) => (
  <>
    <link rel="icon" href={iconUrl ?? '/favicon.svg'} />
    <link rel="manifest" href="/manifest.webmanifest" />
    <link rel="search" type="application/opensearchdescription+xml" title={name} href="/opensearch.xml" />
    {accentColor !== null && <meta name="theme-color" content={accentColor} />}
  </>
)

/** The operator's colour. It comes after the styles, whose colours it replaces. */
export const AccentStyle = ({ color }: { readonly color: string }) => (
  <link rel="stylesheet" href={`/accents/${color.slice(1)}.css`} />
)

interface PageFilesProps {
  readonly styles: readonly string[]
  readonly beforeFirstPaint: string | undefined
  readonly preloads: readonly string[]
  readonly modules: readonly string[]
}

/** The files of the bundle that a page loads. */
export const PageFiles = ({ styles, beforeFirstPaint, preloads, modules }: PageFilesProps) => (
  <>
    {styles.map((file) => (
      <link key={file} rel="stylesheet" href={`/assets/${file}`} />
    ))}
    {beforeFirstPaint && <script src={`/assets/${beforeFirstPaint}`} />}
    {preloads.map((file) => (
      <link key={file} rel="modulepreload" href={`/assets/${file}`} />
    ))}
    {modules.map((file) => (
      <script key={file} type="module" src={`/assets/${file}`} />
    ))}
  </>
)

/** Open Graph properties, which other sites show for a link. */
export const OpenGraph = ({ properties }: { readonly properties: readonly (readonly [string, string])[] }) => (
  <>
    {properties.map(([property, content]) => (
      <meta key={property} property={property} content={content} />
    ))}
  </>
)

interface PostHeadProps {
  readonly markdownPath: string
  /** Where oEmbed describes the post, without the format. */
  readonly oEmbedUrl: string
  readonly openGraph: readonly (readonly [string, string])[]
  readonly jsonLd: Children
}

/** Further elements in the head of a post's page. */
export const PostHead = ({ markdownPath, oEmbedUrl, openGraph, jsonLd }: PostHeadProps) => (
  <>
    <link rel="alternate" type="text/markdown" title="Markdown" href={markdownPath} />
    <link rel="alternate" type="application/json+oembed" title="oEmbed" href={`${oEmbedUrl}&format=json`} />
    <link rel="alternate" type="text/xml+oembed" title="oEmbed" href={`${oEmbedUrl}&format=xml`} />
    <OpenGraph properties={openGraph} />
    <meta name="twitter:card" content="summary_large_image" />
    {jsonLd}
  </>
)
