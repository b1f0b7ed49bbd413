import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { invalidRequest } from './errors.ts'
import { limit, limitsByAccountAndAddress } from './limit.ts'
import { refusal } from './refusal.ts'
import { CursorPagination, DateTime, queryInteger, trimmedText, Uuid } from './schemas.ts'

// Notifies an owner's own programs of sales, tips, comments and publications by HTTP requests, signed as
// https://www.standardwebhooks.com describes.

const tag = 'Webhooks'

export const webhookEvents = ['sale.created', 'tip.created', 'comment.created', 'post.published'] as const
export type WebhookEventType = (typeof webhookEvents)[number]

/** The most webhooks of an account. */
export const maxWebhooks = 5

const EventList = z
  .array(z.enum(webhookEvents))
  .min(1)
  .max(webhookEvents.length)
  .refine((events) => new Set(events).size === events.length, 'must not name an event twice')

const WebhookUrl = z
  .string()
  .max(1000, 'must have at most 1000 characters')
  .refine(isWebhookUrl, 'must be an https URL without a user name')
  .meta({ openapi: { type: 'string', format: 'uri', maxLength: 1000 } })

/** Plain HTTP is for programs on the same machine, which only a development server calls. */
function isWebhookUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password, hostname } = new URL(text)
  if (username !== '' || password !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname))
}

const Webhook = z
  .object({
    id: Uuid,
    url: z.string(),
    events: z.array(z.enum(webhookEvents)),
    description: z.string().nullable(),
    status: z.enum(['enabled', 'disabled']),
    disabledReason: z.enum(['owner', 'gone', 'failing']).nullable().meta({
      description:
        '`owner`: you disabled it. `gone`: it replied 410. `failing`: nothing was delivered for three days. Enable it again when it works.',
    }),
    failingSince: DateTime.nullable().meta({
      description: 'Since when nothing could be delivered. Null if the last request was accepted, or none was sent.',
    }),
    createdAt: DateTime,
  })
  .meta({ id: 'Webhook' })
export type Webhook = z.infer<typeof Webhook>

const secretDescription =
  'Signs every request (HMAC-SHA256). Shown in this response only; if it is lost, replace it. Give the part after `whsec_` to a Standard Webhooks library.'
const WebhookWithSecret = z
  .object({ webhook: Webhook, secret: z.string().meta({ description: secretDescription }) })
  .meta({ id: 'WebhookWithSecret' })

const WebhookDelivery = z
  .object({
    id: Uuid.meta({
      description: 'The `webhook-id` header. It is the same in every attempt, so it can be used to ignore repetitions.',
    }),
    type: z.string(),
    status: z.enum(['waiting', 'delivered', 'failed']),
    attempts: z.number().int(),
    responseStatus: z
      .number()
      .int()
      .nullable()
      .meta({ description: 'Of the last attempt. Null if there was no reply.' }),
    error: z.string().nullable().meta({ description: 'Why the last attempt failed, in words.' }),
    createdAt: DateTime,
    lastAttemptAt: DateTime.nullable(),
    nextAttemptAt: DateTime.nullable(),
  })
  .meta({ id: 'WebhookDelivery' })
export type WebhookDelivery = z.infer<typeof WebhookDelivery>

export const webhookNotFound = refusal('webhook-not-found', 404, 'You have no webhook with this id.')
export const webhookDeliveryNotFound = refusal(
  'webhook-delivery-not-found',
  404,
  'This webhook has no delivery with this id.',
)
export const webhookLimit = refusal('webhook-limit', 409, 'You can have at most five webhooks. Delete one first.')
export const webhookUrlRefused = refusal(
  'webhook-url-refused',
  422,
  'This URL is not on the public internet, so it cannot be called.',
)
export const webhookDisabled = refusal('webhook-disabled', 409, 'This webhook is disabled. Enable it first.')

const params = z.object({ webhookId: Uuid })
const changes = limitsByAccountAndAddress('webhook-changes', { account: 30, address: 300, seconds: 600 })
const sends = [limit('webhook-sends', { per: 'account', max: 30, seconds: 600 })] as const
const owner = { tag, credential: 'owner-session', errors: 'problem' } as const

export const listWebhooks = endpoint({
  ...owner,
  method: 'GET',
  path: '/api/v1/webhooks',
  summary: 'List your webhooks',
  description: 'All of them, the oldest first. Secrets are not shown.',
  replies: { 200: z.object({ webhooks: z.array(Webhook) }) },
})

export const createWebhook = endpoint({
  ...owner,
  method: 'POST',
  path: '/api/v1/webhooks',
  summary: 'Create a webhook',
  description:
    'We POST a JSON object with `type`, `timestamp` and `data` to the URL when something happens. Reply with a 2xx status within five seconds; otherwise the request is repeated after a minute, 5 minutes, 30 minutes, 2, 5, 10, 14, 20 and 24 hours. Requests can come twice and out of order.',
  request: {
    body: z.strictObject({
      url: WebhookUrl,
      events: EventList,
      description: trimmedText(1, 100).nullable().optional(),
    }),
  },
  replies: { 201: WebhookWithSecret },
  refusals: [webhookLimit, webhookUrlRefused],
  limits: changes,
})

export const updateWebhook = endpoint({
  ...owner,
  method: 'PATCH',
  path: '/api/v1/webhooks/{webhookId}',
  summary: 'Change, enable or disable a webhook',
  description: 'What is left out stays. What happens while a webhook is disabled is not delivered later.',
  request: {
    params,
    body: z
      .strictObject({
        url: WebhookUrl.optional(),
        events: EventList.optional(),
        description: trimmedText(1, 100).nullable().optional(),
        status: z.enum(['enabled', 'disabled']).optional(),
      })
      .prefault({}),
  },
  replies: { 200: Webhook },
  refusals: [webhookNotFound, webhookUrlRefused],
  limits: changes,
})

export const deleteWebhook = endpoint({
  ...owner,
  method: 'DELETE',
  path: '/api/v1/webhooks/{webhookId}',
  summary: 'Delete a webhook and its log',
  description: 'What is waiting for it is not sent.',
  request: { params },
  replies: { 200: z.object({ deleted: z.literal(true) }) },
  refusals: [webhookNotFound],
  limits: changes,
})

export const replaceWebhookSecret = endpoint({
  ...owner,
  method: 'POST',
  path: '/api/v1/webhooks/{webhookId}/secret',
  summary: 'Replace the secret of a webhook',
  description: 'For 24 hours requests are signed with the old secret too, so that nothing is lost while you change it.',
  request: { params },
  replies: { 200: WebhookWithSecret },
  refusals: [webhookNotFound],
  limits: changes,
})

export const testWebhook = endpoint({
  ...owner,
  method: 'POST',
  path: '/api/v1/webhooks/{webhookId}/test',
  summary: 'Send a test event to a webhook',
  description: 'Its type is `webhook.test`. See the log for how it went.',
  request: { params },
  replies: { 202: z.object({ deliveryId: Uuid }) },
  refusals: [webhookNotFound, webhookDisabled],
  limits: sends,
})

export const listWebhookDeliveries = endpoint({
  ...owner,
  method: 'GET',
  path: '/api/v1/webhooks/{webhookId}/deliveries',
  summary: 'List what a webhook was sent, newest first',
  description: 'Deliveries are kept for 30 days.',
  request: {
    params,
    query: z.object({
      limit: queryInteger({ min: 1, max: 100, default: 50 }),
      cursor: z.string().max(200).optional().meta({ description: 'The `nextCursor` of the previous page.' }),
    }),
  },
  replies: { 200: z.object({ deliveries: z.array(WebhookDelivery), pagination: CursorPagination }) },
  refusals: [invalidRequest, webhookNotFound],
})

export const redeliverWebhook = endpoint({
  ...owner,
  method: 'POST',
  path: '/api/v1/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver',
  summary: 'Send a delivery again',
  description: 'With the same `webhook-id` and the same body, now, and again on failure as the first time.',
  request: { params: params.extend({ deliveryId: Uuid }) },
  replies: { 202: z.object({ deliveryId: Uuid }) },
  refusals: [webhookNotFound, webhookDeliveryNotFound, webhookDisabled],
  limits: sends,
})
