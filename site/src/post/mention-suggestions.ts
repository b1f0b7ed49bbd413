import { suggestMentions } from '@pennypost/contract/mention-suggestions'
import { avatar } from '../avatar.ts'
import { callApi } from '../call-api.ts'
import { h } from '../dom.ts'

interface Person {
  readonly id: string
  readonly handle: string
  readonly name: string
  readonly avatarUrl: string | null
}

const mentionStart = /(?:^|[^\p{L}\p{N}_@/])@([\p{L}\p{M}\p{Nd}_]{2,30})$/u
let lists = 0

/**
 * Suggests people while the user types an `@name`. `mentions` returns the people who were chosen from the list and whose
 * handle is still in the text.
 */
export function mentionSuggestions(input: HTMLTextAreaElement): {
  readonly element: HTMLElement
  mentions(): { profileId: string; handle: string }[]
} {
  const chosen = new Map<string, Person>()
  lists += 1
  const list = h('ul', { role: 'listbox', id: `people-${lists}`, 'aria-label': 'People to mention', hidden: true })
  input.setAttribute('aria-controls', list.id)
  input.setAttribute('aria-autocomplete', 'list')
  let people: readonly Person[] = []
  let selected = 0
  let query = ''

  const draw = () => {
    list.hidden = people.length === 0
    list.replaceChildren(
      ...people.map((person, index) =>
        h(
          'li',
          {
            role: 'option',
            id: `${list.id}-${index}`,
            'aria-selected': String(index === selected),
            onmousedown: (event) => choose(person, event),
          },
          avatar(person),
          h('span', {}, h('bdi', {}, person.name), ' ', h('span', { class: 'quiet' }, `@${person.handle}`)),
        ),
      ),
    )
    if (people.length > 0) input.setAttribute('aria-activedescendant', `${list.id}-${selected}`)
    else input.removeAttribute('aria-activedescendant')
  }
  const close = () => {
    query = ''
    people = []
    draw()
  }
  const choose = (person: Person, event?: Event) => {
    event?.preventDefault()
    const end = input.selectionStart
    const start = end - query.length
    input.setRangeText(`${person.handle} `, start, end, 'end')
    chosen.set(person.handle.toLowerCase(), person)
    close()
  }

  input.addEventListener('input', async () => {
    const typed = mentionStart.exec(input.value.slice(0, input.selectionStart))?.[1] ?? ''
    query = typed
    if (typed === '') return close()
    const { items } = await callApi(suggestMentions, { query: { q: typed, limit: '6' } })
    // The user has typed on, and a newer request is on its way.
    if (query !== typed) return
    people = items
    selected = 0
    draw()
  })
  input.addEventListener('keydown', (event) => {
    if (people.length === 0) return
    if (event.key === 'ArrowDown') selected = (selected + 1) % people.length
    else if (event.key === 'ArrowUp') selected = (selected + people.length - 1) % people.length
    else if (event.key === 'Enter' || event.key === 'Tab') choose(people[selected]!)
    else if (event.key === 'Escape') close()
    else return
    event.preventDefault()
    draw()
  })
  input.addEventListener('blur', close)

  return {
    element: h('div', { class: 'suggestions' }, list),
    mentions: () =>
      [...chosen.values()]
        .filter(({ handle }) => new RegExp(`@${handle}(?![A-Za-z0-9_@])`, 'i').test(input.value))
        .slice(0, 5)
        .map(({ id, handle }) => ({ profileId: id, handle })),
  }
}
