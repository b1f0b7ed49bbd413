import type { DocsEntry } from '@pennypost/contract/guides'
import { useEffect, useRef, useState } from 'preact/hooks'
import { render } from '../jsx/render.ts'

let loaded: Promise<readonly DocsEntry[]> | undefined

/** The search index. It is loaded when the reader begins to search. */
function loadEntries(): Promise<readonly DocsEntry[]> {
  loaded ??= fetch('/docs/entries.json').then((reply) => reply.json())
  loaded.catch(() => {
    loaded = undefined
  })
  return loaded
}

const shownOfEachKind = 8

/** Entries that contain every word, those with all words in the title first. */
export function findEntries(entries: readonly DocsEntry[], words: readonly string[]): readonly DocsEntry[] {
  const hasAll = (text: string) => words.every((word) => text.toLowerCase().includes(word))
  const found = entries.filter(({ title, context, text }) => hasAll(`${title} ${context} ${text}`))
  const rank = ({ title, context }: DocsEntry) => (hasAll(title) ? 0 : hasAll(`${title} ${context}`) ? 1 : 2)
  return found.toSorted((one, other) => rank(one) - rank(other))
}

const kinds = [
  ['guide', 'Guides'],
  ['operation', 'API operations'],
] as const

/** A search field for guides and the reference. */
function DocsSearch() {
  const [entries, setEntries] = useState<readonly DocsEntry[]>([])
  const [query, setQuery] = useState('')
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const leave = (event: Event) => {
      if (!place.current?.contains(event.target as Node)) setQuery('')
    }
    document.addEventListener('click', leave)
    return () => document.removeEventListener('click', leave)
  }, [])
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const found = words.length === 0 ? [] : findEntries(entries, words)
  return (
    <div ref={place} role="search" onKeyDown={(event: KeyboardEvent) => event.key === 'Escape' && setQuery('')}>
      <input
        type="search"
        placeholder="Search the docs"
        aria-label="Search the docs"
        autocomplete="off"
        value={query}
        onFocus={async () => setEntries(await loadEntries())}
        onInput={(event) => setQuery(event.currentTarget.value)}
      />
      <p class="visually-hidden" role="status">
        {words.length > 0 && `${found.length} results`}
      </p>
      {words.length > 0 && (
        <div class="results">
          {found.length === 0 && <p>No results. Try fewer words.</p>}
          {kinds.map(([kind, heading]) => (
            <Results key={kind} heading={heading} entries={found.filter((entry) => entry.kind === kind)} />
          ))}
        </div>
      )}
    </div>
  )

  function Results({ heading, entries: all }: { readonly heading: string; readonly entries: readonly DocsEntry[] }) {
    if (all.length === 0) return null
    return (
      <>
        <h2>
          {heading} <small>{all.length}</small>
        </h2>
        <ul>
          {all.slice(0, shownOfEachKind).map(({ title, context, url }) => (
            <li key={url}>
              <a href={url} onClick={() => setQuery('')}>
                {title} <small>{context}</small>
              </a>
            </li>
          ))}
        </ul>
      </>
    )
  }
}

/** Adds the search field where the page has a place for it. */
export function addDocsSearch(): void {
  const place = document.querySelector('[data-docs-search]')
  if (place) render(<DocsSearch />, place)
}
