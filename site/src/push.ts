import { addPushSubscription, getPushKey, removePushSubscription } from '@pennypost/contract/push'
import { getPushWorker } from '@pennypost/contract/site-files'
import { RefusedError } from '@pennypost/sdk/client'
import { callApi } from './call-api.ts'

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(): string }): { createScriptURL(text: string): unknown }
}

// The one script that this site ever runs in the background. Our policy wants its address vouched for.
const policy = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('worker', {
  createScriptURL: () => getPushWorker.path,
})

// Messages to this very browser. Nothing is asked for, and no worker installed, before somebody presses a button.

export type PushState = 'impossible' | 'forbidden' | 'off' | 'on'

const isPossible = (): boolean => 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window

export async function pushState(): Promise<PushState> {
  if (!isPossible()) return 'impossible'
  if (Notification.permission === 'denied') return 'forbidden'
  return (await findSubscription()) ? 'on' : 'off'
}

/** Asks the person, then the browser's push service, then tells ours. */
export async function enablePush(): Promise<PushState> {
  if ((await Notification.requestPermission()) !== 'granted') return pushState()
  const { publicKey } = await callApi(getPushKey, {})
  await navigator.serviceWorker.register((policy?.createScriptURL('') ?? getPushWorker.path) as string)
  const registration = await navigator.serviceWorker.ready
  const subscription = await registration.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: publicKey,
  })
  await callApi(addPushSubscription, { body: subscription.toJSON() as never })
  localStorage.setItem('push', '1')
  return 'on'
}

/** Also when somebody signs out: the next person at this browser is not told of their news. */
export async function disablePush(): Promise<PushState> {
  const subscription = isPossible() ? await findSubscription() : null
  if (subscription) {
    await callApi(removePushSubscription, { body: { endpoint: subscription.endpoint } }).catch((error: unknown) => {
      // Forgotten already is as good.
      if (!(error instanceof RefusedError) || error.status !== 404) throw error
    })
    await subscription.unsubscribe()
  }
  localStorage.removeItem('push')
  return pushState()
}

const findSubscription = async (): Promise<PushSubscription | null> =>
  (await (await navigator.serviceWorker.getRegistration('/'))?.pushManager.getSubscription()) ?? null
