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

const beginning = /(?:^|[^\p{L}\p{N}_@/])@([\p{L}\p{M}\p{Nd}_]{2,30})$/u
let lists = 0

/**
 * Suggests people while an `@name` is typed into a field. Answers whom the text mentions: only those that were chosen,
 * and whose handle still stands in it.
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
  let at = 0
  let question = ''

  const draw = () => {
    list.hidden = people.length === 0
    list.replaceChildren(
      ...people.map((person, index) =>
        h(
          'li',
          {
            role: 'option',
            id: `${list.id}-${index}`,
            'aria-selected': String(index === at),
            onmousedown: (event) => choose(person, event),
          },
          avatar(person),
          h('span', {}, h('bdi', {}, person.name), ' ', h('span', { class: 'quiet' }, `@${person.handle}`)),
        ),
      ),
    )
    if (people.length > 0) input.setAttribute('aria-activedescendant', `${list.id}-${at}`)
    else input.removeAttribute('aria-activedescendant')
  }
  const close = () => {
    question = ''
    people = []
    draw()
  }
  const choose = (person: Person, event?: Event) => {
    event?.preventDefault()
    const end = input.selectionStart
    const start = end - question.length
    input.setRangeText(`${person.handle} `, start, end, 'end')
    chosen.set(person.handle.toLowerCase(), person)
    close()
  }

  input.addEventListener('input', async () => {
    const asked = beginning.exec(input.value.slice(0, input.selectionStart))?.[1] ?? ''
    question = asked
    if (asked === '') return close()
    const { items } = await callApi(suggestMentions, { query: { q: asked, limit: '6' } })
    // What was typed meanwhile has asked for itself.
    if (question !== asked) return
    people = items
    at = 0
    draw()
  })
  input.addEventListener('keydown', (event) => {
    if (people.length === 0) return
    if (event.key === 'ArrowDown') at = (at + 1) % people.length
    else if (event.key === 'ArrowUp') at = (at + people.length - 1) % people.length
    else if (event.key === 'Enter' || event.key === 'Tab') choose(people[at]!)
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
