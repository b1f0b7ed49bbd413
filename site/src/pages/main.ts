import type { SiteSession } from '@pennypost/contract/site-session'
import { avatar } from '../avatar.ts'
import { getElement, h } from '../dom.ts'
import { enableShortcuts, showShortcuts } from '../keyboard-shortcuts.ts'
import { type Account, currentSession, signOut } from '../session.ts'
import { themeButton } from '../theme-button.ts'

// Runs on every page: account menu, keyboard shortcuts, theme.

enableShortcuts()
getElement('[data-tools]').append(themeButton(), h('button', { type: 'button', onclick: showShortcuts }, 'Keyboard'))

const place = getElement('[data-account]')
addEventListener('session', ({ detail }) => draw(detail))
draw(await currentSession())

function draw({ account, unread }: SiteSession): void {
  place.dataset.known = ''
  if (!account) return
  place.replaceChildren(
    h('a', { href: '/studio' }, 'Write'),
    h(
      'a',
      { href: '/notifications' },
      'News',
      unread > 0 && [
        ' ',
        h(
          'span',
          { class: 'unread' },
          unread > 99 ? '99+' : unread,
          h('span', { class: 'visually-hidden' }, ' unread'),
        ),
      ],
    ),
    menu(account),
  )
}

function menu(person: Account): HTMLElement {
  const details = h(
    'details',
    { class: 'menu' },
    h('summary', { 'aria-label': 'Your account' }, avatar(person)),
    h(
      'div',
      {},
      h('p', {}, h('b', {}, h('bdi', {}, person.name)), h('br'), h('span', { class: 'quiet' }, `@${person.handle}`)),
      h('a', { href: `/@${person.handle}` }, 'Your page'),
      h('a', { href: '/library' }, 'Library'),
      h('a', { href: '/studio' }, 'Studio'),
      h('a', { href: '/studio/earnings/overview' }, 'Earnings'),
      h('a', { href: '/leaderboards' }, 'Leaders'),
      h('a', { href: '/settings/profile' }, 'Settings'),
      person.isGuest && h('a', { href: '/sign-in' }, 'Keep what you bought'),
      person.isAdmin && h('a', { href: '/admin/reports' }, 'Administration'),
      h('button', { type: 'button', onclick: signOut }, 'Sign out'),
    ),
  )
  document.addEventListener('click', (event) => {
    if (!details.contains(event.target as Node)) details.open = false
  })
  details.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return
    details.open = false
    getElement('summary', details).focus()
  })
  return details
}
