import { call } from '@pennypost/contract/client'
import { addPushSubscription } from '@pennypost/contract/push'

// The service worker: shows push messages and opens their pages, and shows a page of ours when there is no connection. It
// stores that page and its styles, which are the same for everyone, and nothing else: no posts, nothing of an account.

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

interface FetchEvent extends ExtendableEvent {
  readonly request: Request
  respondWith(response: Promise<Response>): void
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
  addEventListener(type: 'install', listener: (event: ExtendableEvent) => void): void
  addEventListener(type: 'fetch', listener: (event: FetchEvent) => void): void
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

const offlinePath = '/offline'
const offlineCache = 'offline'
const refreshAfterMs = 86_400_000

worker.addEventListener('install', (event) => {
  // Push messages must work without it.
  event.waitUntil(storeOfflinePage().catch(() => {}))
})

// Serves the cached page only if a request fails. Requests for scripts and images are left alone.
worker.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== worker.location.origin) return
  if (request.mode === 'navigate') {
    event.respondWith(fetch(request).catch(() => stored(offlinePath)))
    event.waitUntil(refreshOfflinePage())
  } else if (request.destination === 'style') event.respondWith(fetch(request).catch(() => stored(pathname)))
})

const stored = async (path: string): Promise<Response> => (await caches.match(path)) ?? Response.error()

/** Stores the page and the style sheets that it names, in place of what was there. */
async function storeOfflinePage(): Promise<void> {
  const page = await fetch(offlinePath, { credentials: 'omit' })
  if (!page.ok) throw new Error(`the page for lost connections has status ${page.status}`)
  const styles = [...(await page.clone().text()).matchAll(/<link rel="stylesheet" href="(\/[^"]+)">/g)]
  await caches.delete(offlineCache)
  const cache = await caches.open(offlineCache)
  await cache.put(offlinePath, page)
  await cache.addAll(styles.map(([, path]) => path!))
}

/** The name and the colours of the site may change. */
async function refreshOfflinePage(): Promise<void> {
  const known = await caches.match(offlinePath)
  const age = Date.now() - Date.parse(known?.headers.get('date') ?? '')
  // Without a connection it stays as it is.
  if (!(age < refreshAfterMs)) await storeOfflinePage().catch(() => {})
}
