import { h } from './dom.ts'

interface Pictured {
  readonly name: string
  readonly avatarUrl: string | null
}

/** Somebody's picture, or the letter they begin with. Pictures come from where the page came from. */
export const avatar = ({ name, avatarUrl }: Pictured, size = 'small'): HTMLElement =>
  avatarUrl === null
    ? h('span', { class: `avatar ${size}`, 'aria-hidden': 'true' }, [...name][0]?.toUpperCase() ?? '')
    : h('img', { class: `avatar ${size}`, src: pathOf(avatarUrl), alt: '', loading: 'lazy' })

/** An address of this service without its origin, of which there may be two. */
export const pathOf = (url: string): string => new URL(url, location.origin).pathname
