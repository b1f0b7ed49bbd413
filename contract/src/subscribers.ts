import { z } from 'zod'
import { raw, stream } from './body.ts'
import { endpoint } from './endpoint.ts'
import { invalidRequest } from './errors.ts'
import { limit, limitsByAccountAndAddress } from './limit.ts'
import { creatorNotFound, creatorParams } from './public-pages.ts'
import { refusal } from './refusal.ts'
import { CursorPagination, DateTime, Email, queryInteger, trimmedText, Uuid } from './schemas.ts'
import { mailCooldown } from './sessions.ts'

// Readers get new posts of a creator by email, with or without an account.

const tag = 'Email subscriptions'

const Subscriber = z
  .object({
    id: Uuid,
    email: z.string(),
    source: z.enum(['form', 'account', 'import']).meta({
      description:
        '`form`: confirmed by a link in an email. `account`: subscribed while signed in with this address. `import`: from a list of yours.',
    }),
    subscribedAt: DateTime,
  })
  .meta({ id: 'Subscriber' })
export type Subscriber = z.infer<typeof Subscriber>

export const selfSubscription = refusal('self-subscription', 409, 'You cannot subscribe to your own posts.')
export const subscriberNotFound = refusal('subscriber-not-found', 404, 'You have no subscriber with this id.')
export const importQuota = refusal(
  'import-quota',
  409,
  'You have imported as many addresses as you may in one day. Import the others tomorrow.',
)
export const importNeedsEmail = refusal(
  'import-needs-email',
  409,
  'Confirm an email address for your account before you import subscribers.',
)
export const subscriptionLinkInvalid = refusal(
  'subscription-link-invalid',
  404,
  'This link is not valid, or has expired. Subscribe again to get a new one.',
)

/** How many confirmation emails one creator's form may cause. It stops a form from mailing strangers by the thousand. */
export const confirmationLimit = limit('subscription-emails', { per: 'recipient', max: 5000, seconds: 3600 })

export const subscribe = endpoint({
  method: 'POST',
  path: '/api/v1/creators/{handle}/subscribers',
  tag,
  summary: "Subscribe an email address to a creator's new posts",
  description:
    'No account is needed. The address gets an email with a link, and is subscribed once its owner confirms there. The reply is the same for addresses that are subscribed already, and for those that were sent as many of these emails as they may get. With an owner session, the confirmed address of its account is subscribed immediately, and `email` can be left out.',
  credential: ['none', 'owner-session'],
  request: { params: creatorParams, body: z.strictObject({ email: Email.optional() }).prefault({}) },
  replies: {
    202: z.object({
      status: z.enum(['confirmation_sent', 'subscribed']).meta({
        description: '`subscribed` only for the confirmed address of the account that is signed in.',
      }),
      message: z.string(),
    }),
  },
  refusals: [creatorNotFound, mailCooldown, selfSubscription],
  errors: 'problem',
  limits: limitsByAccountAndAddress('subscriptions', { account: 60, address: 600, seconds: 3600 }),
})

const owner = { tag, credential: 'owner-session', errors: 'problem' } as const

export const listSubscribers = endpoint({
  ...owner,
  method: 'GET',
  path: '/api/v1/subscribers',
  summary: 'List your subscribers, newest first',
  description:
    'Addresses that are not confirmed yet are neither listed nor counted. A cursor stays valid: new subscribers neither shift nor repeat what follows.',
  request: {
    query: z.object({
      limit: queryInteger({ min: 1, max: 200, default: 50 }),
      cursor: z.string().max(200).optional().meta({ description: 'The `nextCursor` of the previous page.' }),
    }),
  },
  replies: {
    200: z.object({
      count: z.number().int().meta({ description: 'The number of all subscribers.' }),
      subscribers: z.array(Subscriber),
      pagination: CursorPagination,
    }),
  },
  refusals: [invalidRequest],
  limits: limitsByAccountAndAddress('subscriber-lists', { account: 300, address: 3000, seconds: 60 }),
})

export const exportSubscribers = endpoint({
  ...owner,
  method: 'GET',
  path: '/api/v1/subscribers.csv',
  summary: 'Export your subscribers as CSV',
  description:
    'Newest first, with a header line. An address that starts like a formula has an apostrophe before it. The file is streamed, so it can be long.',
  replies: { 200: raw('text/csv; charset=utf-8', 'RFC 4180.') },
  replyHeaders: { 'Content-Disposition': '`attachment`, with a file name.' },
  limits: [limit('subscriber-exports', { per: 'account', max: 10, seconds: 60 })],
})

export const importSubscribers = endpoint({
  ...owner,
  method: 'POST',
  path: '/api/v1/subscribers/import',
  summary: 'Import subscribers who agreed to get your posts by email',
  description:
    'They are subscribed without a confirmation email, so state that they agreed, and where. Their emails say that you added them. Addresses that unsubscribed from you, could not be delivered to, or unsubscribed from a list that anyone imported, stay unsubscribed. What follows a plus sign does not make another subscriber. At most 5,000 addresses in one request; the operator limits how many you can import in a day, and to fewer in the first week of your account. Imported addresses get a limited number of emails a day, of all authors together.',
  request: {
    body: z.strictObject({
      emails: z.array(z.string().trim().max(320)).min(1).max(5000).meta({
        description: 'What is not an email address is counted as `invalid`; the others are imported.',
      }),
      consent: z
        .literal(true)
        .meta({ description: 'You confirm that these people agreed to get your posts by email.' }),
      consentSource: trimmedText(3, 500).meta({
        description: 'Where and how they agreed, such as "my newsletter at example.org". It is kept as evidence.',
      }),
    }),
  },
  replies: {
    200: z.object({
      imported: z.number().int(),
      alreadySubscribed: z.number().int(),
      unsubscribed: z.number().int().meta({
        description:
          'Addresses that unsubscribed, from you or from a list that anyone imported, or that emails did not reach.',
      }),
      invalid: z.number().int(),
    }),
  },
  refusals: [importQuota, importNeedsEmail],
  // 5,000 of the longest addresses.
  maxBodyBytes: 2 * 1024 * 1024,
  limits: limitsByAccountAndAddress('subscriber-imports', { account: 60, address: 300, seconds: 3600 }),
})

export const removeSubscriber = endpoint({
  ...owner,
  method: 'DELETE',
  path: '/api/v1/subscribers/{subscriberId}',
  summary: 'Remove a subscriber',
  description: 'Their address is deleted. They can subscribe again.',
  request: { params: z.object({ subscriberId: Uuid }) },
  replies: { 200: z.object({ id: Uuid, deleted: z.literal(true) }) },
  refusals: [subscriberNotFound],
  limits: limitsByAccountAndAddress('subscriber-removals', { account: 600, address: 3000, seconds: 600 }),
})

export const reportBounce = endpoint({
  method: 'POST',
  path: '/api/v1/bounces',
  tag,
  summary: 'Report a message that came back',
  description:
    'For the mail server: send the delivery status notification (RFC 3464) as it arrived at the bounce address. If it says that delivery failed for good, the subscription ends. A complaint (RFC 5965) that contains the message ends it too. The signed address in the message is the permission, so no sign-in is needed.',
  credential: 'none',
  request: { body: stream({ contentType: 'application/octet-stream', maxBytes: 262_144 }) },
  replies: {
    200: z.object({
      status: z.enum(['ended', 'ignored']).meta({
        description: '`ignored` for a temporary failure, an unknown message, or a subscription that has ended already.',
      }),
    }),
  },
  errors: 'problem',
  limits: [limit('bounces', { per: 'ip', max: 6000, seconds: 600 })],
})

const link = { query: z.object({ token: z.string().max(200) }) }
const page = { tag, credential: 'none', request: link, refusals: [subscriptionLinkInvalid], errors: 'page' } as const
const html = (description: string) => ({ 200: raw('text/html; charset=utf-8', description) })

export const showSubscriptionConfirmation = endpoint({
  ...page,
  method: 'GET',
  path: '/subscriptions/confirm',
  summary: 'Show the page behind the link in a confirmation email',
  description:
    'Opening the page changes nothing, because mail scanners open links before people do. Its button confirms.',
  replies: html('A page with a button.'),
})

export const confirmSubscription = endpoint({
  ...page,
  method: 'POST',
  path: '/subscriptions/confirm',
  summary: 'Confirm a subscription with the button on that page',
  replies: html('A page that confirms it.'),
  ignoresBody: true,
  maxBodyBytes: 16_384,
})

export const showSubscriptionEnd = endpoint({
  ...page,
  method: 'GET',
  path: '/subscriptions/unsubscribe',
  summary: 'Show the page behind the unsubscribe link in an email',
  description: 'Opening the page changes nothing. Its button unsubscribes.',
  replies: html('A page with a button.'),
})

export const endSubscription = endpoint({
  ...page,
  method: 'POST',
  path: '/subscriptions/unsubscribe',
  summary: 'Unsubscribe from the posts of a creator',
  description:
    'Used by the button on that page and by the unsubscribe button of mail programs (RFC 8058). The link is the permission, so no sign-in is needed. The body is ignored.',
  replies: html('A page that confirms it.'),
  ignoresBody: true,
  maxBodyBytes: 16_384,
})
