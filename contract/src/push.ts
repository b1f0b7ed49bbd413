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
  'The endpoint must be a push service on the public internet, on port 443.',
)
export const subscriptionNotFound = refusal(
  'subscription-not-found',
  404,
  'You have no subscription with this endpoint.',
)

const PushEndpoint = z
  .string()
  .max(2048)
  .refine((text) => {
    if (!URL.canParse(text)) return false
    const { protocol, username, password, hostname } = new URL(text)
    return protocol === 'https:' && username === '' && password === '' && hostname !== ''
  }, 'must be an https URL')

/** A key of the given length in base64 or base64url, with or without padding. */
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
  summary: 'Get the public key for push subscriptions',
  description: 'Pass it as `applicationServerKey` when the browser subscribes.',
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
  summary: 'Subscribe a browser to push messages about mentions and replies',
  description:
    "Takes a browser's `PushSubscription` as JSON. Subscribing the same endpoint again keeps its id. Messages are sent while `push_notifications` is on. An account can have 20 browsers; a further one replaces the oldest.",
  request: {
    body: z.strictObject({
      endpoint: PushEndpoint,
      expirationTime: z.number().int().min(0).max(8_640_000_000_000_000).nullish(),
      keys: z.strictObject({ p256dh: Key(65), auth: Key(16) }),
    }),
  },
  replies: { 201: z.object({ id: Uuid }) },
  refusals: [pushEndpointRefused],
  // Each one costs a DNS lookup.
  limits: [limit('push-subscriptions', { per: 'account', max: 30, seconds: 3600 })],
})

export const removePushSubscription = endpoint({
  ...owner,
  method: 'DELETE',
  path: '/api/v1/push/subscriptions',
  summary: 'Unsubscribe a browser from push messages',
  description: 'Takes the `endpoint` of the subscription.',
  request: { body: z.strictObject({ endpoint: z.string().min(1).max(2048) }) },
  replies: { 200: z.object({ success: z.literal(true) }) },
  refusals: [subscriptionNotFound],
})
