import { sanitizedHtml } from './sanitized-html.tsx'

interface GuideLink {
  readonly title: string
  readonly url: string
}

interface GuidePageProps {
  readonly groups: readonly { readonly title: string; readonly guides: readonly GuideLink[] }[]
  /** The path of this guide. */
  readonly path: string
  /** From our sanitizer, with tabs around samples. */
  readonly html: string
  readonly headings: readonly { readonly id: string; readonly text: string }[]
  readonly previous: GuideLink | undefined
  readonly next: GuideLink | undefined
}

/** A guide, with the list of all guides beside it; on a phone, below it. The script adds the search. */
export const GuidePage = ({ groups, path, html, headings, previous, next }: GuidePageProps) => (
  <div class="docs with-contents guide">
    <div class="docs-search" data-docs-search="" />
    <main id="main" class="wide">
      <div class="prose" dangerouslySetInnerHTML={sanitizedHtml(html)} />
      <nav class="neighbours" aria-label="Previous and next guide">
        {previous && (
          <a rel="prev" href={previous.url}>
            <small>Previous</small> {previous.title}
          </a>
        )}
        {next && (
          <a rel="next" href={next.url}>
            <small>Next</small> {next.title}
          </a>
        )}
      </nav>
      <p class="facts">
        <a href={`${path}.md`}>This page as Markdown</a>
      </p>
    </main>
    <nav class="contents" id="contents" aria-labelledby="contents-title">
      <h2 id="contents-title">Documentation</h2>
      <ul>
        {groups.map(({ title, guides }) => (
          <li key={title}>
            <b>{title}</b>
            <ul>
              {guides.map((guide) => (
                <li key={guide.url}>
                  {guide.url === path ? (
                    <>
                      <a href={guide.url} aria-current="page">
                        {guide.title}
                      </a>
                      {headings.length > 1 && (
                        <ul>
                          {headings.map(({ id, text }) => (
                            <li key={id}>
                              <a href={`#${id}`}>{text}</a>
                            </li>
                          ))}
                        </ul>
                      )}
                    </>
                  ) : (
                    <a href={guide.url}>{guide.title}</a>
                  )}
                </li>
              ))}
            </ul>
          </li>
        ))}
        <li>
          <b>Reference</b>
          <ul>
            <li>
              <a href="/docs">API reference</a>
            </li>
          </ul>
        </li>
      </ul>
    </nav>
  </div>
)
