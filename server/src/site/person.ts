import { type Html, html } from '../platform/http/page.ts'
import { oneLine } from './legible.ts'

interface Pictured {
  readonly name: string
  readonly avatar_url: string | null
}

/** Somebody's picture, or the letter they begin with. The name always stands beside it, so it says nothing of its own. */
export const avatar = ({ name, avatar_url }: Pictured, size: 'small' | 'large' = 'small'): Html =>
  avatar_url === null
    ? html`<span class="avatar ${size}" aria-hidden="true">${[...oneLine(name)][0]?.toUpperCase()}</span>`
    : html`<img class="avatar ${size}" src="${avatar_url}" alt="" loading="lazy">`
