import { suggestMentions } from '@pennypost/contract/mention-suggestions'
import type { RefObject } from 'preact'
import { useId, useRef, useState } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import { Avatar } from '../components/avatar.tsx'
import { Name } from '../components/person-link.tsx'

interface Person {
  readonly id: string
  readonly handle: string
  readonly name: string
  readonly avatarUrl: string | null
}

/** The people who were chosen from the list, by handle in lower case. */
export type ChosenPeople = Map<string, Person>

/** The chosen people whose handle is still in the text. */
export const mentionsIn = (text: string, chosen: ChosenPeople): { profileId: string; handle: string }[] =>
  [...chosen.values()]
    .filter(({ handle }) => new RegExp(`@${handle}(?![A-Za-z0-9_@])`, 'i').test(text))
    .slice(0, 5)
    .map(({ id, handle }) => ({ profileId: id, handle }))

const mentionStart = /(?:^|[^\p{L}\p{N}_@/])@([\p{L}\p{M}\p{Nd}_]{2,30})$/u
const nobody: { readonly people: readonly Person[]; readonly selected: number } = { people: [], selected: 0 }

interface MentionInputProps {
  readonly input: RefObject<HTMLTextAreaElement | null>
  readonly chosen: ChosenPeople
  readonly label: string
  readonly placeholder: string
  readonly onInput: () => void
}

/** A text field that suggests people while the user types an `@name`. */
export function MentionInput({ input, chosen, label, placeholder, onInput }: MentionInputProps) {
  const [{ people, selected }, setList] = useState(nobody)
  // What was typed last: replies to earlier requests are ignored.
  const query = useRef('')
  const listId = useId()
  const close = () => {
    query.current = ''
    setList(nobody)
  }
  const choose = (person: Person) => {
    const field = input.current!
    const end = field.selectionStart
    field.setRangeText(`${person.handle} `, end - query.current.length, end, 'end')
    chosen.set(person.handle.toLowerCase(), person)
    close()
  }
  const suggest = async () => {
    onInput()
    const field = input.current!
    const typed = mentionStart.exec(field.value.slice(0, field.selectionStart))?.[1] ?? ''
    query.current = typed
    if (typed === '') return close()
    const { items } = await callApi(suggestMentions, { query: { q: typed, limit: '6' } })
    if (query.current === typed) setList({ people: items, selected: 0 })
  }
  const pressKey = (event: KeyboardEvent) => {
    if (people.length === 0) return
    if (event.key === 'ArrowDown') setList({ people, selected: (selected + 1) % people.length })
    else if (event.key === 'ArrowUp') setList({ people, selected: (selected + people.length - 1) % people.length })
    else if (event.key === 'Enter' || event.key === 'Tab') choose(people[selected]!)
    else if (event.key === 'Escape') close()
    else return
    event.preventDefault()
  }
  return (
    <>
      <textarea
        ref={input}
        required
        maxlength={2000}
        rows={3}
        aria-label={label}
        placeholder={placeholder}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={people.length > 0 ? `${listId}-${selected}` : undefined}
        onInput={suggest}
        onKeyDown={pressKey}
        onBlur={close}
      />
      <div class="suggestions">
        <ul role="listbox" id={listId} aria-label="People to mention" hidden={people.length === 0}>
          {people.map((person, index) => (
            <li
              role="option"
              id={`${listId}-${index}`}
              key={person.id}
              aria-selected={index === selected}
              onMouseDown={(event) => {
                // Keeps the focus in the text.
                event.preventDefault()
                choose(person)
              }}
            >
              <Avatar person={person} />
              <span>
                <Name of={person.name} /> <span class="quiet">@{person.handle}</span>
              </span>
            </li>
          ))}
        </ul>
      </div>
    </>
  )
}
