import { createECDH } from 'node:crypto'
import { request } from 'node:https'
import { isIP } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { ForbiddenAddress, resolvePublicAddress } from './public-address.ts'
import type { VapidKeys } from './vapid-keys.ts'

export interface PushTarget {
  readonly endpoint: string
  readonly p256dh: string
  readonly auth: string
}

/** Hands messages to browsers' push services. Called by jobs only: a throw means "try again". */
export interface PushSender {
  readonly publicKey: string
  /** Whether a message may be sent to this address at all. A name that cannot be looked up now may be sent to later. */
  accepts(endpoint: string): Promise<boolean>
  /**
   * Gone: the browser will never take a message again. Refused: this message will never be taken, whatever comes later.
   */
  send(target: PushTarget, message: string, options: { readonly topic: string }): Promise<'sent' | 'gone' | 'refused'>
}

export interface PushSettings {
  readonly keys: VapidKeys
  /** Whom a push service may write to about us: a `mailto:` or `https:` address. */
  readonly contact: string
  /** Development: push services on this machine. */
  readonly allowLoopback: boolean
  /** A certificate to trust beside the usual ones. */
  readonly certificate?: string
  /** How long a push service has to answer, with the look at its name. */
  readonly patienceMs?: number
}

const usualPatienceMs = 4_000
// A request does not wait longer for a name server; before a message is sent the name is looked up again.
const lookupPatienceMs = 2_000
const dayInSeconds = 86_400
// RFC 8030: the subscription is no more. RFC 8292: 401 and 403 say that it was made for another sender's key, and it
// stays so; the browser makes a new one when it is asked.
const goneStatuses: ReadonlySet<number> = new Set([404, 410, 401, 403])
const refusedStatuses: ReadonlySet<number> = new Set([400, 413])

export function createPushSender(settings: PushSettings): PushSender {
  const { keys, contact } = settings
  return {
    publicKey: keys.publicKey,
    accepts(endpoint) {
      const checked = resolvePublicAddress(hostOf(endpoint), settings).then(
        () => true,
        (error) => !(error instanceof ForbiddenAddress),
      )
      return Promise.race([checked, wait(lookupPatienceMs, true, { ref: false })])
    },
    async send({ endpoint, p256dh, auth }, message, { topic }) {
      // Loaded with the first message: most processes never send one.
      const { default: webPush } = await import('web-push')
      const { headers, body } = webPush.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, message, {
        vapidDetails: { subject: contact, ...keys },
        TTL: dayInSeconds,
        urgency: 'normal',
        topic,
      })
      try {
        const status = await post(endpoint, headers, body, settings)
        if (goneStatuses.has(status)) return 'gone'
        if (refusedStatuses.has(status)) return 'refused'
        if (status < 200 || status > 299) throw new Error(`the push service answered ${status}`)
        return 'sent'
      } catch (error) {
        if (error instanceof ForbiddenAddress) return 'gone'
        throw error
      }
    },
  }
}

/** Whether messages can be encrypted for this key: 65 bytes may be a point of another curve, or of none. */
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

const hostOf = (endpoint: string): string => new URL(endpoint).hostname

/** Posts to the address that was checked, with the name it was given for; redirects are answers like any other. */
async function post(
  endpoint: string,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
  settings: PushSettings,
): Promise<number> {
  const { hostname, host, port, pathname, search } = new URL(endpoint)
  const signal = AbortSignal.timeout(settings.patienceMs ?? usualPatienceMs)
  const address = await before(signal, resolvePublicAddress(hostname, settings))
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: address,
        port: port === '' ? 443 : Number(port),
        path: pathname + search,
        method: 'POST',
        headers: { ...headers, host },
        // A certificate for an address is checked against the address itself.
        ...(isIP(hostname) === 0 && !hostname.startsWith('[') && { servername: hostname }),
        ...(settings.certificate !== undefined && { ca: settings.certificate }),
        agent: false,
        signal,
      },
      (response) => {
        // The status says everything.
        response.destroy()
        resolve(response.statusCode ?? 0)
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

/** What comes of some work, unless the signal is given first: a look at a name cannot be called off. */
const before = <Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> =>
  new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    work.then(resolve, reject)
  })
