import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { limit } from './limit.ts'
import { refusal } from './refusal.ts'
import { Uuid } from './schemas.ts'

const tag = 'Notifications'
const owner = { tag, credential: 'owner-session', errors: 'h3', invalidBody: 400 } as const

export const pushEndpointRefused = refusal(
  'push-endpoint-refused',
  400,
  'Messages are sent to push services on the public internet only.',
)
export const subscriptionNotFound = refusal(
  'subscription-not-found',
  404,
  'No subscription of yours has this endpoint.',
)

const PushEndpoint = z
  .string()
  .max(2048)
  .refine((text) => {
    if (!URL.canParse(text)) return false
    const { protocol, username, password, hostname } = new URL(text)
    return protocol === 'https:' && username === '' && password === '' && hostname !== ''
  }, 'must be an https address')

/** Base64 in either alphabet, with or without padding, of so many bytes. */
const Key = (bytes: number) =>
  z
    .string()
    .max(200)
    .regex(/^[A-Za-z0-9+/_-]+={0,2}$/, 'must be base64url')
    .refine((text) => decodedLength(text) === bytes, `must be ${bytes} bytes`)

const decodedLength = (text: string): number => Math.floor((text.replace(/=+$/, '').length * 3) / 4)

export const getPushKey = endpoint({
  method: 'GET',
  path: '/api/v1/push/public-key',
  tag,
  summary: "The key that a browser's push subscription is made for",
  credential: 'none',
  replies: {
    200: z.object({ publicKey: z.string().meta({ description: 'An uncompressed P-256 point in base64url.' }) }),
  },
  errors: 'h3',
})

export const addPushSubscription = endpoint({
  ...owner,
  method: 'POST',
  path: '/api/v1/push/subscriptions',
  summary: 'Have a browser told of mentions and replies',
  description:
    "Takes a browser's `PushSubscription` as JSON. The same endpoint again keeps its id. Messages go out while `push_notifications` is on; of more than 20 browsers the oldest is forgotten.",
  request: {
    body: z.strictObject({
      endpoint: PushEndpoint,
      expirationTime: z.number().int().min(0).max(8_640_000_000_000_000).nullish(),
      keys: z.strictObject({ p256dh: Key(65), auth: Key(16) }),
    }),
  },
  replies: { 201: z.object({ id: Uuid }) },
  refusals: [pushEndpointRefused],
  // Each one is looked up.
  limits: [limit('push-subscriptions', { per: 'account', max: 30, seconds: 3600 })],
})

export const removePushSubscription = endpoint({
  ...owner,
  method: 'DELETE',
  path: '/api/v1/push/subscriptions',
  summary: 'Stop telling a browser',
  request: { body: z.strictObject({ endpoint: z.string().min(1).max(2048) }) },
  replies: { 200: z.object({ success: z.literal(true) }) },
  refusals: [subscriptionNotFound],
})
