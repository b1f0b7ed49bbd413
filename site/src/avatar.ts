import { h } from './dom.ts'
import { pathOf } from './path-of.ts'

interface Person {
  readonly name: string
  readonly avatarUrl: string | null
}

/** A person's picture, or the first letter of their name. */
export const avatar = ({ name, avatarUrl }: Person, size = 'small'): HTMLElement =>
  avatarUrl === null
    ? h('span', { class: `avatar ${size}`, 'aria-hidden': 'true' }, [...name][0]?.toUpperCase() ?? '')
    : h('img', { class: `avatar ${size}`, src: pathOf(avatarUrl), alt: '', loading: 'lazy' })
