import { z } from 'zod'
import { notify } from '../notifications/notify.ts'
import type { Tx } from '../platform/database/database.ts'
import { enqueue, postponeQueued } from '../platform/jobs/job.ts'
import { ForbiddenAddress, UnknownHost } from '../platform/outgoing/public-address.ts'
import { postToPublicHost } from '../platform/outgoing/public-request.ts'
import { type DueDelivery, findDelivery, giveUpOn, noteAttempt, postpone, postponeAll } from './delivery-store.ts'
import type { Job, WebhookServices } from './services.ts'
import { signedHeaders } from './webhook-secret.ts'
import { disableWebhook, endPause, pauseSlowWebhook, pauseWebhook } from './webhook-store.ts'

const payload = z.object({ accountId: z.uuid(), deliveryId: z.uuid() })

const timeoutMs = 5_000
const second = 1_000
/** A server that takes longer than this is slow. It then gets a pause this many times as long, so it gets a tenth of the time at most. */
const slowMs = second
const pauseFactor = 9
const minute = 60 * second
const hour = 60 * minute
/**
 * The delays before further attempts: three days in all. Standard Webhooks recommends these figures, with 5 seconds instead
 * of the minute for which a failing server is not called.
 */
const delaysMs = [minute, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour]
const disableAfterMs = 72 * hour

const queueOf = (accountId: string): string => `webhooks:${accountId}`

/**
 * Makes one attempt to deliver an event, and enqueues the next one. A failure concerns someone else's server, so it is
 * recorded in the delivery log and does not fail this job. After a crash between sending and recording it is sent again,
 * with the same id and body.
 */
export const deliverWebhook: Job<typeof payload> = {
  name: 'deliver-webhook',
  payload,
  attempts: 20,
  share: 'webhooks',
  lowPriority: true,
  // Its server may be slow: an account has one request under way at a time.
  queue: ({ accountId }) => queueOf(accountId),
  async run(services, { accountId, deliveryId }) {
    const delivery = await findDelivery(services.db, deliveryId)
    if (delivery?.state !== 'waiting' || delivery.webhook.account_id !== accountId) return
    if (delivery.webhook.disabled_reason !== null) {
      await giveUpOn(services.db, deliveryId, 'The webhook was disabled.')
      return
    }
    const { paused_until } = delivery.webhook
    const isPaused = paused_until !== null && paused_until > services.clock.now()
    const reply = isPaused ? undefined : await send(services, delivery)
    await services.db.transaction().execute(async (tx) => {
      if (reply) return note(tx, services, delivery, reply)
      await postpone(tx, deliveryId, paused_until!)
      await later(tx, services, delivery, paused_until!)
    })
  },
}

interface Reply {
  readonly status: number | null
  readonly error: string | null
  readonly tookMs: number
}

async function send({ clock, config, secrets }: WebhookServices, { id, body, webhook }: DueDelivery): Promise<Reply> {
  const startedAt = performance.now()
  const tookMs = () => performance.now() - startedAt
  try {
    const status = await postToPublicHost(webhook.url, {
      target: 'webhook',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Pennypost-Webhooks',
        ...signedHeaders(secrets, webhook, { id, body }, clock.now()),
      },
      body: Buffer.from(body),
      timeoutMs,
      allowLoopback: config.environment === 'development',
    })
    const isAccepted = status >= 200 && status <= 299
    return { status, error: isAccepted ? null : `The reply had the status ${status}.`, tookMs: tookMs() }
  } catch (error) {
    return { status: null, error: reasonOf(error as Error), tookMs: tookMs() }
  }
}

/** The reason of a failure in words, without anything that the other server sent. */
function reasonOf(error: Error & { code?: string }): string {
  const { name, code } = error
  if (error instanceof ForbiddenAddress) return 'The host is not on the public internet.'
  if (name === 'TimeoutError' || name === 'AbortError') return 'There was no reply within five seconds.'
  if (error instanceof UnknownHost) return 'The host name could not be resolved.'
  if (code === 'ECONNREFUSED') return 'The connection was refused.'
  if (/CERT|SELF_SIGNED|ALTNAME/.test(code ?? '')) return 'The certificate is not valid for this host.'
  return 'The connection failed.'
}

async function note(
  tx: Tx,
  { clock }: WebhookServices,
  delivery: DueDelivery,
  { status, error, tookMs }: Reply,
): Promise<void> {
  const { id, attempts, webhook } = delivery
  const now = clock.now()
  const seen = { response_status: status, error }
  if (error === null) {
    await noteAttempt(tx, id, { ...seen, state: 'delivered', next_attempt_at: null }, now)
    await endPause(tx, webhook.id, { failing_since: null })
    // Only a few requests are under way at a time, for all accounts, and slow servers must not take them all.
    if (tookMs > slowMs) {
      const until = new Date(now.getTime() + tookMs * pauseFactor)
      await pauseSlowWebhook(tx, webhook.id, until)
      await postponeWaiting(tx, webhook, until)
    }
    return
  }
  const { failingSince, pausedUntil } = await pauseWebhook(tx, webhook.id, now)
  const delayMs = delaysMs[attempts]
  const next = delayMs === undefined || status === 410 ? null : new Date(now.getTime() + delayMs)
  await noteAttempt(tx, id, { ...seen, state: next ? 'waiting' : 'failed', next_attempt_at: next }, now)
  if (next) await later(tx, { clock }, delivery, next)
  await postponeWaiting(tx, webhook, pausedUntil)
  if (status === 410) await disable(tx, { clock }, webhook, 'gone')
  // Checked after every attempt, not only an event's last one: if many events wait, none may ever reach its last attempt.
  else if (now.getTime() - failingSince.getTime() >= disableAfterMs) await disable(tx, { clock }, webhook, 'failing')
}

async function postponeWaiting(tx: Tx, { id, account_id }: DueDelivery['webhook'], until: Date): Promise<void> {
  const values = await postponeAll(tx, id, until)
  await postponeQueued(tx, queueOf(account_id), { field: 'deliveryId', values }, until)
}

const later = (tx: Tx, { clock }: Pick<WebhookServices, 'clock'>, { id, webhook }: DueDelivery, runAt: Date) =>
  enqueue(tx, clock, deliverWebhook, { accountId: webhook.account_id, deliveryId: id }, { runAt, key: deliveryKey(id) })

/** One job for each delivery, however often it is sent again. */
export const deliveryKey = (id: string): string => `deliver-webhook:${id}`

async function disable(
  tx: Tx,
  { clock }: Pick<WebhookServices, 'clock'>,
  { id, account_id, url }: DueDelivery['webhook'],
  reason: 'gone' | 'failing',
): Promise<void> {
  if (!(await disableWebhook(tx, id, reason))) return
  const event = {
    kind: 'account_issue',
    origin: `webhook-disabled:${id}:${clock.now().getTime()}`,
    actorId: null,
    title: `Your webhook to ${new URL(url).host} was disabled`,
    body: reason === 'gone' ? 'It replied that it is gone (410).' : 'Nothing could be delivered to it for three days.',
    url: '/settings/webhooks',
  } as const
  await notify(tx, { clock }, event, [{ recipientId: account_id }])
}
