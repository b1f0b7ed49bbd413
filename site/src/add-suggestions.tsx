import { suggestSearches } from '@pennypost/contract/search-suggestions'
import { callApi } from './call-api.ts'
import { oneLine } from './clean-text.ts'
import { Avatar } from './components/avatar.tsx'
import { getElement } from './get-element.ts'
import { render } from './jsx/render.ts'
import { pathOf } from './path-of.ts'
import { creatorPath, tagPath } from './paths.ts'

/** How long the user must have stopped typing. It is also the shortest time between two requests. */
const pauseMs = 200

interface Suggestion {
  readonly href: string
  readonly kind: 'Post' | 'Author' | 'Tag'
  readonly text: string
  readonly person?: { readonly name: string; readonly avatarUrl: string | null }
}

/** Suggests posts, authors and tags while the user types into a search field. Enter without a chosen one searches. */
export function addSuggestions(input: HTMLInputElement, place: Element): void {
  let suggestions: readonly Suggestion[] = []
  let selected = -1
  let pause: ReturnType<typeof setTimeout> | undefined
  let request = new AbortController()

  const show = () => {
    const isOpen = suggestions.length > 0
    input.ariaExpanded = String(isOpen)
    if (selected >= 0) input.setAttribute('aria-activedescendant', `suggestion-${selected}`)
    else input.removeAttribute('aria-activedescendant')
    render(<SuggestionList suggestions={suggestions} selected={selected} />, place)
  }
  const close = () => {
    clearTimeout(pause)
    request.abort()
    suggestions = []
    selected = -1
    show()
  }
  const suggest = async () => {
    request = new AbortController()
    const { signal } = request
    const q = input.value.trim()
    try {
      const found = await callApi(suggestSearches, { query: { q } }, (url, init) => fetch(url, { ...init, signal }))
      if (signal.aborted) return
      suggestions = [
        ...found.posts.map(({ title, pageUrl }) => ({ href: pathOf(pageUrl), kind: 'Post' as const, text: title })),
        ...found.creators.map((person) => ({
          href: creatorPath(person.handle),
          kind: 'Author' as const,
          text: person.name,
          person,
        })),
        ...found.tags.map(({ name, slug }) => ({ href: tagPath(slug), kind: 'Tag' as const, text: name })),
      ]
      selected = -1
      show()
    } catch {
      // Searching works without suggestions.
    }
  }
  const type = () => {
    clearTimeout(pause)
    request.abort()
    if (input.value.trim() === '') close()
    else pause = setTimeout(suggest, pauseMs)
  }
  const pressKey = (event: KeyboardEvent) => {
    const count = suggestions.length
    if (count === 0) return
    // Past the last one is the field itself.
    if (event.key === 'ArrowDown') selected = selected === count - 1 ? -1 : selected + 1
    else if (event.key === 'ArrowUp') selected = selected === -1 ? count - 1 : selected - 1
    else if (event.key === 'Escape') close()
    else if (event.key === 'Enter' && selected >= 0) getElement(`#suggestion-${selected}`).click()
    else return
    event.preventDefault()
    show()
    if (selected >= 0 && event.key !== 'Enter')
      getElement(`#suggestion-${selected}`).scrollIntoView({ block: 'nearest' })
  }

  input.role = 'combobox'
  input.setAttribute('aria-autocomplete', 'list')
  input.setAttribute('aria-controls', 'suggestions')
  show()
  input.addEventListener('input', type)
  input.addEventListener('keydown', pressKey)
  input.addEventListener('blur', close)
  // What was typed while this script was loading.
  if (input.value !== input.defaultValue) type()
}

interface SuggestionListProps {
  readonly suggestions: readonly Suggestion[]
  readonly selected: number
}

const SuggestionList = ({ suggestions, selected }: SuggestionListProps) => (
  <>
    <div role="listbox" id="suggestions" aria-label="Suggestions" hidden={suggestions.length === 0}>
      {suggestions.map(({ href, kind, text, person }, index) => (
        <a
          key={href}
          id={`suggestion-${index}`}
          role="option"
          tabindex={-1}
          href={href}
          aria-selected={index === selected}
          // Keeps the focus in the field, so that the list stays open until the click.
          onMouseDown={(event) => event.preventDefault()}
        >
          {person && <Avatar person={person} />}
          <span dir="auto">{oneLine(text)}</span> <span class="quiet">{kind}</span>
        </a>
      ))}
    </div>
    <span class="visually-hidden" role="status">
      {suggestions.length > 0 && `${suggestions.length} suggestions`}
    </span>
  </>
)
