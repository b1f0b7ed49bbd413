import { getPushWorker } from '@pennypost/contract/site-files'

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(): string }): { createScriptURL(text: string): unknown }
}

// The service worker is the only background script of this site. Our Trusted Types policy must approve its URL.
const policy = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('worker', {
  createScriptURL: () => getPushWorker.path,
})

/** Installs the service worker, or updates it. */
export const registerWorker = (): Promise<ServiceWorkerRegistration> =>
  navigator.serviceWorker.register((policy?.createScriptURL('') ?? getPushWorker.path) as string)
