import {
  listNotifications,
  markAllRead,
  markNotificationsRead,
  type Notification,
} from '@pennypost/contract/notifications'
import { avatar } from '../avatar.ts'
import { callApi } from '../call-api.ts'
import { getElement, h } from '../dom.ts'
import { button } from '../form.ts'
import { formatDateTime, formatTimeAgo, plural } from '../format.ts'
import { loadPage } from '../load-page.ts'
import { pathOf } from '../path-of.ts'
import { requireAccount } from '../session.ts'
import { showView } from '../show-view.ts'

const perPage = 30

const list = h('ul', { class: 'rows notifications' })
await loadPage(async () => {
  await requireAccount()
  await draw(0)
})

async function draw(offset: number): Promise<void> {
  const page = await callApi(listNotifications, {
    query: { limit: String(perPage), offset: String(offset), preferenceSchema: '2' },
  })
  if (offset === 0) list.replaceChildren()
  list.append(...page.notifications.map(item))
  const more = button('Older', () => draw(offset + perPage))
  showView(
    h(
      'div',
      { class: 'row apart' },
      h('p', { class: 'quiet', 'aria-live': 'polite', 'data-unread': true }, unreadWords(page.unread)),
      h(
        'div',
        { class: 'row' },
        page.unread > 0 && button('Mark all as read', markAllAsRead),
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

function item(notification: Notification): HTMLElement {
  const isNew = notification.read_at === null
  const element = h(
    'li',
    { class: isNew ? 'new' : '', 'data-item': true },
    h('span', { class: 'dot' }, isNew && h('span', { class: 'visually-hidden' }, 'New')),
    notification.actor && avatar(notification.actor),
    h(
      'div',
      {},
      h(
        'p',
        {},
        h(
          'a',
          { class: 'title', href: linkOf(notification), onclick: () => markRead(notification) },
          notification.title,
        ),
      ),
      notification.body !== '' && h('p', { class: 'quiet' }, notification.body),
      h(
        'p',
        { class: 'facts' },
        h(
          'time',
          { datetime: notification.created_at, title: formatDateTime(notification.created_at) },
          formatTimeAgo(notification.created_at),
        ),
      ),
    ),
    isNew &&
      button(
        'Mark read',
        async () => {
          await markRead(notification)
          element.replaceWith(item({ ...notification, read_at: notification.created_at }))
        },
        'text-button',
      ),
  )
  return element
}

/** The link of a notification, on this origin. */
function linkOf({ url }: Notification): string {
  return pathOf(url) + new URL(url, location.origin).hash
}

async function markRead({ id, read_at: readAt }: Notification): Promise<void> {
  if (readAt === null) await callApi(markNotificationsRead, { body: { ids: [id] } })
}

async function markAllAsRead(): Promise<void> {
  await callApi(markAllRead, {})
  document.querySelector('.bar .unread')?.remove()
  await draw(0)
  getElement('[data-unread]').focus()
}
