import { RefusedError } from '@pennypost/contract/client'
import { addPushSubscription, getPushKey, removePushSubscription } from '@pennypost/contract/push'
import { callApi } from './call-api.ts'
import { registerWorker } from './register-worker.ts'

// Push messages to this browser. We ask for no permission and install no worker until the user presses the button.

export type PushState = 'impossible' | 'forbidden' | 'off' | 'on'

const isPossible = (): boolean => 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window

export async function pushState(): Promise<PushState> {
  if (!isPossible()) return 'impossible'
  if (Notification.permission === 'denied') return 'forbidden'
  return (await findSubscription()) ? 'on' : 'off'
}

/** Asks the user for permission, then the browser for a subscription, and hands that to our service. */
export async function enablePush(): Promise<PushState> {
  if ((await Notification.requestPermission()) !== 'granted') return pushState()
  const { publicKey } = await callApi(getPushKey, {})
  await registerWorker()
  const registration = await navigator.serviceWorker.ready
  const subscription = await registration.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: publicKey,
  })
  await callApi(addPushSubscription, { body: subscription.toJSON() as never })
  localStorage.setItem('push', '1')
  return 'on'
}

/** Also called on sign-out, so that the next user of this browser does not get the previous one's notifications. */
export async function disablePush(): Promise<PushState> {
  const subscription = isPossible() ? await findSubscription() : null
  if (subscription) {
    await callApi(removePushSubscription, { body: { endpoint: subscription.endpoint } }).catch((error: unknown) => {
      // 404: the service has removed it already.
      if (!(error instanceof RefusedError) || error.status !== 404) throw error
    })
    await subscription.unsubscribe()
  }
  localStorage.removeItem('push')
  return pushState()
}

const findSubscription = async (): Promise<PushSubscription | null> =>
  (await (await navigator.serviceWorker.getRegistration('/'))?.pushManager.getSubscription()) ?? null
