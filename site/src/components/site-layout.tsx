import type { Children } from '../jsx/markup.ts'

interface Link {
  readonly label: string
  readonly url: string
}

interface SiteLayoutProps {
  readonly name: string
  readonly logoUrl: string | null
  /** The operator's links, for the bar. */
  readonly navigation: readonly Link[]
  /** The operator's own pages, for the footer. */
  readonly pages: readonly Link[]
  /** The page has its own search field, so the bar has none. */
  readonly hasOwnSearch?: boolean | undefined
  /** The path below which this page's feeds are. */
  readonly feedPath?: string | undefined
  readonly children: Children
}

/**
 * The frame of every page. It is the same for everyone, so that caches can store pages; the script adds the account. On
 * a phone the bar is one row: links that it has no room for are in the footer.
 */
export const SiteLayout = ({
  name,
  logoUrl,
  navigation,
  pages,
  hasOwnSearch = false,
  feedPath,
  children,
}: SiteLayoutProps) => (
  <>
    <a class="skip" href="#main">
      Skip to the text
    </a>
    <header class="bar">
      <div>
        <a class="brand" href="/">
          {logoUrl === null ? <span>{name}</span> : <img class="logo" src={logoUrl} alt={name} />}
        </a>
        {!hasOwnSearch && (
          <form class="bar-search" role="search" action="/" method="get">
            <input
              type="search"
              name="q"
              maxlength={100}
              placeholder="Search"
              aria-label="Search posts"
              autocomplete="off"
            />
            <div class="suggestions" data-suggestions="" />
          </form>
        )}
        <nav class="bar-nav" aria-label="Site">
          {navigation.map(({ label, url }) => (
            <a key={url} class="wide-only" href={url}>
              {label}
            </a>
          ))}
          <a class="wide-only" href="/leaderboards">
            Top authors
          </a>
          {!hasOwnSearch && (
            <a class="narrow-only with-icon" data-icon="search" href="/#search">
              <span class="visually-hidden">Search</span>
            </a>
          )}
          <span class="account" data-account="">
            <a href="/sign-in">Sign in</a>
          </span>
        </nav>
      </div>
    </header>
    {children}
    <footer class="foot">
      <div>
        {feedPath !== undefined && (
          <p>
            Follow by <a href={`${feedPath}feed.xml`}>RSS</a>, <a href={`${feedPath}atom.xml`}>Atom</a> or{' '}
            <a href={`${feedPath}feed.json`}>JSON Feed</a>
          </p>
        )}
        <p>
          {navigation.map(({ label, url }) => (
            <>
              <a class="narrow-only" href={url}>
                {label}
              </a>{' '}
            </>
          ))}
          <a class="narrow-only" href="/leaderboards">
            Top authors
          </a>{' '}
          {pages.map(({ label, url }) => (
            <>
              <a href={url}>{label}</a>{' '}
            </>
          ))}
          <a href="/docs/quick-start">Docs</a> <a href="/docs">API</a> <a href="/llms.txt">For language models</a>{' '}
          <span data-tools="" />
        </p>
      </div>
    </footer>
  </>
)
