import {
  listNotifications,
  markAllRead,
  markNotificationsRead,
  type Notification,
} from '@pennypost/contract/notifications'
import { ask } from '../api.ts'
import { begin } from '../begin.ts'
import { h, show, the } from '../dom.ts'
import { button } from '../form.ts'
import { avatar, pathOf } from '../person.ts'
import { someone } from '../session.ts'
import { agoWords, minuteWords, plural } from '../words.ts'

const perPage = 30

const list = h('ul', { class: 'rows news' })
await begin(async () => {
  await someone()
  await draw(0)
})

async function draw(offset: number): Promise<void> {
  const page = await ask(listNotifications, {
    query: { limit: String(perPage), offset: String(offset), preferenceSchema: '2' },
  })
  if (offset === 0) list.replaceChildren()
  list.append(...page.notifications.map(item))
  const more = button('Older', () => draw(offset + perPage))
  show(
    h(
      'div',
      { class: 'row apart' },
      h('p', { class: 'quiet', 'aria-live': 'polite', 'data-unread': true }, unreadWords(page.unread)),
      h(
        'div',
        { class: 'row' },
        page.unread > 0 && button('Mark all as read', readAll),
        h('a', { class: 'button quiet-button small', href: '/settings/notifications' }, 'Settings'),
      ),
    ),
    page.total === 0
      ? h('p', { class: 'empty' }, 'Nothing yet. Answers, mentions, followers and sales will be told here.')
      : list,
    page.pagination.hasMore && more,
  )
}

function unreadWords(unread: number): string {
  return unread === 0 ? 'All is read.' : `${plural(unread, 'notification')} not read yet`
}

function item(news: Notification): HTMLElement {
  const isNew = news.read_at === null
  const element = h(
    'li',
    { class: isNew ? 'new' : '', 'data-item': true },
    h('span', { class: 'dot' }, isNew && h('span', { class: 'unseen' }, 'New')),
    news.actor && avatar(news.actor),
    h(
      'div',
      {},
      h('p', {}, h('a', { class: 'title', href: addressOf(news), onclick: () => read(news) }, news.title)),
      news.body !== '' && h('p', { class: 'quiet' }, news.body),
      h(
        'p',
        { class: 'facts' },
        h('time', { datetime: news.created_at, title: minuteWords(news.created_at) }, agoWords(news.created_at)),
      ),
    ),
    isNew &&
      button(
        'Mark read',
        async () => {
          await read(news)
          element.replaceWith(item({ ...news, read_at: news.created_at }))
        },
        'text-button',
      ),
  )
  return element
}

/** Where it leads, on this origin. */
function addressOf({ url }: Notification): string {
  return pathOf(url) + new URL(url, location.origin).hash
}

async function read({ id, read_at: readAt }: Notification): Promise<void> {
  if (readAt === null) await ask(markNotificationsRead, { body: { ids: [id] } })
}

async function readAll(): Promise<void> {
  await ask(markAllRead, {})
  document.querySelector('.bar .unread')?.remove()
  await draw(0)
  the('[data-unread]').focus()
}
