import {
  listNotifications,
  markAllRead,
  markNotificationsRead,
  type Notification,
} from '@pennypost/contract/notifications'
import { useRef, useState } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import { Avatar } from '../components/avatar.tsx'
import { Time } from '../components/time.tsx'
import { plural } from '../format.ts'
import { pathOf } from '../path-of.ts'
import { requireAccount } from '../session.ts'
import { Button } from '../ui/button.tsx'
import { showPage } from '../ui/show-page.tsx'

const perPage = 30

interface Feed {
  readonly notifications: readonly Notification[]
  readonly unread: number
  readonly hasMore: boolean
}

async function load(offset: number): Promise<Feed> {
  const { notifications, unread, pagination } = await callApi(listNotifications, {
    query: { limit: String(perPage), offset: String(offset), preferenceSchema: '2' },
  })
  return { notifications, unread, hasMore: pagination.hasMore }
}

function Notifications({ first }: { readonly first: Feed }) {
  const [{ notifications, unread, hasMore }, setFeed] = useState(first)
  const status = useRef<HTMLParagraphElement>(null)
  const loadMore = async () => {
    const next = await load(notifications.length)
    setFeed({ ...next, notifications: [...notifications, ...next.notifications] })
  }
  const markAll = async () => {
    await callApi(markAllRead, {})
    document.querySelector('.bar .unread')?.remove()
    setFeed(await load(0))
    status.current!.focus()
  }
  const mark = async (read: Notification) => {
    await markRead(read)
    setFeed((feed) => ({
      ...feed,
      unread: feed.unread - 1,
      notifications: feed.notifications.map((each) =>
        each.id === read.id ? { ...each, read_at: each.created_at } : each,
      ),
    }))
  }
  return (
    <>
      <div class="row apart">
        <p class="quiet" aria-live="polite" tabIndex={-1} ref={status}>
          {unread === 0 ? 'All is read.' : `${plural(unread, 'notification')} not read yet`}
        </p>
        <div class="row">
          {unread > 0 && <Button action={markAll}>Mark all as read</Button>}
          <a class="button quiet-button small" href="/settings/notifications">
            Settings
          </a>
        </div>
      </div>
      {notifications.length === 0 ? (
        <p class="empty">Nothing yet. Answers, mentions, followers and sales will be told here.</p>
      ) : (
        <ul class="rows notifications">
          {notifications.map((notification) => (
            <Item key={notification.id} notification={notification} onRead={() => mark(notification)} />
          ))}
        </ul>
      )}
      {hasMore && <Button action={loadMore}>Older</Button>}
    </>
  )
}

interface ItemProps {
  readonly notification: Notification
  readonly onRead: () => Promise<void>
}

function Item({ notification, onRead }: ItemProps) {
  const isNew = notification.read_at === null
  return (
    <li class={isNew ? 'new' : ''} data-item="">
      <span class="dot">{isNew && <span class="visually-hidden">New</span>}</span>
      {notification.actor && <Avatar person={notification.actor} />}
      <div>
        <p>
          <a class="title" href={linkOf(notification)} onClick={() => markRead(notification)}>
            {notification.title}
          </a>
        </p>
        {notification.body !== '' && <p class="quiet">{notification.body}</p>}
        <p class="facts">
          <Time at={notification.created_at} now={Date.now()} />
        </p>
      </div>
      {isNew && (
        <Button class="text-button" action={onRead}>
          Mark read
        </Button>
      )}
    </li>
  )
}

/** The link of a notification, on this origin. */
const linkOf = ({ url }: Notification): string => pathOf(url) + new URL(url, location.origin).hash

async function markRead({ id, read_at: readAt }: Notification): Promise<void> {
  if (readAt === null) await callApi(markNotificationsRead, { body: { ids: [id] } })
}

// Last, because it needs everything above.
await showPage(async () => {
  await requireAccount()
  return <Notifications first={await load(0)} />
})
