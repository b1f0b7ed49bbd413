import { createECDH } from 'node:crypto'
import { ForbiddenAddress, isCallableHost } from '../outgoing/public-address.ts'
import { postToPublicHost } from '../outgoing/public-request.ts'
import type { VapidKeys } from './vapid-keys.ts'

export interface PushTarget {
  readonly endpoint: string
  readonly p256dh: string
  readonly auth: string
}

/** Sends messages to browsers' push services. Only jobs call it: an error means "retry". */
export interface PushSender {
  readonly publicKey: string
  /** Whether we may send to this endpoint. True if its name cannot be resolved right now. */
  accepts(endpoint: string): Promise<boolean>
  /** Gone: the subscription has ended. Refused: the push service will never accept this message. */
  send(target: PushTarget, message: string, options: { readonly topic: string }): Promise<'sent' | 'gone' | 'refused'>
}

export interface PushSettings {
  readonly keys: VapidKeys
  /** How push services can contact the operator: a `mailto:` or `https:` URL. */
  readonly contact: string
  /** For development: allows push services on this machine. */
  readonly allowLoopback: boolean
  /** An additional certificate authority to trust. */
  readonly certificate?: string
  /** For the whole request, including the name lookup. */
  readonly timeoutMs?: number
}

const defaultTimeoutMs = 4_000
const dayInSeconds = 86_400
// 404, 410: the subscription has ended (RFC 8030). 401, 403: it was made for another sender's key (RFC 8292), and that does
// not change; the browser subscribes again when asked.
const goneStatuses: ReadonlySet<number> = new Set([404, 410, 401, 403])
const refusedStatuses: ReadonlySet<number> = new Set([400, 413])

export function createPushSender(settings: PushSettings): PushSender {
  const { keys, contact } = settings
  return {
    publicKey: keys.publicKey,
    accepts: async (endpoint) =>
      hasUsualPort(endpoint, settings) && isCallableHost(new URL(endpoint).hostname, settings),
    async send({ endpoint, p256dh, auth }, message, { topic }) {
      // Loaded on first use: most processes never send a message.
      const { default: webPush } = await import('web-push')
      const { headers, body } = webPush.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, message, {
        vapidDetails: { subject: contact, ...keys },
        TTL: dayInSeconds,
        urgency: 'normal',
        topic,
      })
      try {
        if (!hasUsualPort(endpoint, settings)) return 'gone'
        const { allowLoopback, certificate, timeoutMs = defaultTimeoutMs } = settings
        const status = await postToPublicHost(endpoint, {
          target: 'push',
          headers,
          body,
          timeoutMs,
          allowLoopback,
          certificate,
        })
        if (goneStatuses.has(status)) return 'gone'
        if (refusedStatuses.has(status)) return 'refused'
        if (status < 200 || status > 299) throw new Error(`the push service replied with status ${status}`)
        return 'sent'
      } catch (error) {
        if (error instanceof ForbiddenAddress) return 'gone'
        throw error
      }
    },
  }
}

/** Whether this is a valid public key. Not every 65 bytes are a point on the curve. */
export function isPushKey(p256dh: string): boolean {
  const curve = createECDH('prime256v1')
  curve.generateKeys()
  try {
    curve.computeSecret(Buffer.from(p256dh, 'base64url'))
    return true
  } catch {
    return false
  }
}

/**
 * All known push services listen on the usual port of HTTPS. On other ports a subscription could make us send requests to any
 * service of a public host. In development any port is allowed: tests have their own push service.
 */
const hasUsualPort = (endpoint: string, { allowLoopback }: PushSettings): boolean =>
  new URL(endpoint).port === '' || allowLoopback
