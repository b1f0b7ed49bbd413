import { addPushSubscription } from '@pennypost/contract/push'
import { call } from '@pennypost/sdk/client'

// Runs in the background of a browser that asked for it: shows what it is told, and leads there when it is pressed. It
// sees no request of any page.

interface PushMessage {
  readonly id: string
  readonly title: string
  readonly body: string
  readonly url: string
}

interface Waiting extends Event {
  waitUntil(work: Promise<unknown>): void
}

interface PushEvent extends Waiting {
  readonly data: { json(): PushMessage } | null
}

interface NotificationEvent extends Waiting {
  readonly notification: Notification
}

interface ChangeEvent extends Waiting {
  readonly oldSubscription: PushSubscription | null
  readonly newSubscription: PushSubscription | null
}

interface OpenWindow {
  readonly url: string
  focus(): Promise<unknown>
}

/** What the global of a service worker has, as far as we use it. */
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
  // The same news twice is shown once.
  const options = { body: message.body, tag: message.id, icon: '/favicon.svg', data: { url: message.url } }
  event.waitUntil(worker.registration.showNotification(message.title, options))
})

worker.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(open(event.notification.data.url))
})

/** A page of this site and no other; where it is open already, that window. */
async function open(address: string): Promise<void> {
  const { origin } = worker.location
  const url = new URL(address, origin)
  if (url.origin !== origin) return
  const windows = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const there = windows.find((each) => each.url === url.href)
  if (there) await there.focus()
  else await worker.clients.openWindow(url.href)
}

// A browser may move its subscription; whoever was told before is to be told still.
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
