import { type Html, html } from '../platform/http/page.ts'
import { oneLine } from './clean-text.ts'

interface Person {
  readonly name: string
  readonly avatar_url: string | null
}

/** A person's picture, or the first letter of their name. It has no text alternative, because the name is always beside it. */
export const avatar = ({ name, avatar_url }: Person, size: 'small' | 'large' = 'small'): Html =>
  avatar_url === null
    ? html`<span class="avatar ${size}" aria-hidden="true">${[...oneLine(name)][0]?.toUpperCase()}</span>`
    : html`<img class="avatar ${size}" src="${avatar_url}" alt="" loading="lazy">`
