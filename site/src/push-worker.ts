import { addPushSubscription } from '@pennypost/contract/push'
import { call } from '@pennypost/sdk/client'

// The service worker for push messages: shows a notification, and opens its page when it is clicked. It intercepts no
// requests.

interface PushMessage {
  readonly id: string
  readonly title: string
  readonly body: string
  readonly url: string
}

interface ExtendableEvent extends Event {
  waitUntil(work: Promise<unknown>): void
}

interface PushEvent extends ExtendableEvent {
  readonly data: { json(): PushMessage } | null
}

interface NotificationEvent extends ExtendableEvent {
  readonly notification: Notification
}

interface ChangeEvent extends ExtendableEvent {
  readonly oldSubscription: PushSubscription | null
  readonly newSubscription: PushSubscription | null
}

interface OpenWindow {
  readonly url: string
  focus(): Promise<unknown>
}

/** The part of a service worker's global scope that we use. */
interface Worker {
  readonly registration: ServiceWorkerRegistration
  readonly location: Location
  readonly clients: {
    matchAll(options: { type: 'window'; includeUncontrolled: boolean }): Promise<OpenWindow[]>
    openWindow(url: string): Promise<unknown>
  }
  addEventListener(type: 'push', listener: (event: PushEvent) => void): void
  addEventListener(type: 'notificationclick', listener: (event: NotificationEvent) => void): void
  addEventListener(type: 'pushsubscriptionchange', listener: (event: ChangeEvent) => void): void
}

const worker = globalThis as unknown as Worker

worker.addEventListener('push', (event) => {
  const message = event.data?.json()
  if (!message) return
  // A repeated message has the same tag, so it replaces the first.
  const options = { body: message.body, tag: message.id, icon: '/favicon.svg', data: { url: message.url } }
  event.waitUntil(worker.registration.showNotification(message.title, options))
})

worker.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(open(event.notification.data.url))
})

/** Opens a page of this site, in its window if it is already open. URLs of other sites are ignored. */
async function open(target: string): Promise<void> {
  const { origin } = worker.location
  const url = new URL(target, origin)
  if (url.origin !== origin) return
  const windows = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const there = windows.find((each) => each.url === url.href)
  if (there) await there.focus()
  else await worker.clients.openWindow(url.href)
}

// A browser may replace its subscription. Register the new one, so that messages keep coming.
worker.addEventListener('pushsubscriptionchange', (event) => {
  event.waitUntil(renew(event))
})

async function renew({ oldSubscription, newSubscription }: ChangeEvent): Promise<void> {
  const options = oldSubscription?.options
  const subscription =
    newSubscription ??
    (options &&
      (await worker.registration.pushManager.subscribe({
        userVisibleOnly: true,
        applicationServerKey: options.applicationServerKey,
      })))
  if (subscription) await call(addPushSubscription, { body: subscription.toJSON() as never }, { baseUrl: '' })
}
