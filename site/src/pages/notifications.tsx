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
import { formatDate, plural } from '../format.ts'
import type { Children } from '../jsx/markup.ts'
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
          {unread === 0 ? 'All caught up.' : `${plural(unread, 'unread notification')}`}
        </p>
        <div class="row">
          {unread > 0 && <Button action={markAll}>Mark all as read</Button>}
          <a class="button quiet-button small" href="/settings/notifications">
            Settings
          </a>
        </div>
      </div>
      {notifications.length === 0 ? (
        <p class="empty">Nothing yet. Replies, mentions, followers and sales appear here.</p>
      ) : (
        daysOf(notifications).map(({ day, groups }) => (
          <section key={day}>
            <h2 class="day">{day}</h2>
            <ul class="rows notifications">
              {groups.map(([first, ...others]) => (
                <Item key={first.id} notification={first} onRead={mark}>
                  {others.length > 0 && <Others notifications={others} onRead={mark} />}
                </Item>
              ))}
            </ul>
          </section>
        ))
      )}
      {hasMore && <Button action={loadMore}>Older</Button>}
    </>
  )
}

interface Day {
  readonly day: string
  /** Notifications of one kind about one post, or about no post, are one group. */
  readonly groups: [Notification, ...Notification[]][]
}

/** Notifications by the day on which they came, newest first. */
function daysOf(notifications: readonly Notification[]): Day[] {
  const days = new Map<string, Map<string, [Notification, ...Notification[]]>>()
  for (const notification of notifications) {
    const day = dayOf(notification.created_at)
    const groups = days.get(day) ?? new Map<string, [Notification, ...Notification[]]>()
    days.set(day, groups)
    const { kind, post_id: postId } = notification
    const group = groups.get(`${kind} ${postId}`)
    if (group) group.push(notification)
    else groups.set(`${kind} ${postId}`, [notification])
  }
  return [...days].map(([day, groups]) => ({ day, groups: [...groups.values()] }))
}

function dayOf(at: string): string {
  const isOn = (date: Date) => new Date(at).toDateString() === date.toDateString()
  const now = new Date()
  if (isOn(now)) return 'Today'
  if (isOn(new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1))) return 'Yesterday'
  // The day where the reader is.
  const date = new Date(at)
  return formatDate(new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString())
}

interface OthersProps {
  readonly notifications: readonly Notification[]
  readonly onRead: (notification: Notification) => Promise<void>
}

/** The older ones of a group. */
const Others = ({ notifications, onRead }: OthersProps) => (
  <details class="others" open={notifications.some(({ read_at: readAt }) => readAt === null)}>
    <summary>{notifications.length} more</summary>
    <ul class="rows notifications">
      {notifications.map((notification) => (
        <Item key={notification.id} notification={notification} onRead={onRead} />
      ))}
    </ul>
  </details>
)

interface ItemProps {
  readonly notification: Notification
  readonly onRead: (notification: Notification) => Promise<void>
  readonly children?: Children
}

function Item({ notification, onRead, children }: ItemProps) {
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
          <Time at={notification.created_at} now={Date.now()} />{' '}
          {isNew && (
            <Button class="text-button" action={() => onRead(notification)}>
              Mark as read
            </Button>
          )}
        </p>
        {children}
      </div>
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
