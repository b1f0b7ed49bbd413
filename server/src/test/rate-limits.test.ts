import { deepEqual, equal } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { getAsset } from '@pennypost/contract/access'
import { type RawReply, RefusedError } from '@pennypost/contract/client'
import { continueWithEmail } from '@pennypost/contract/continuations'
import { contract, limitsByName, siteContract } from '@pennypost/contract/contract'
import { credentialsOf, type Endpoint } from '@pennypost/contract/endpoint'
import { exampleOf } from '@pennypost/contract/example'
import type { Limit } from '@pennypost/contract/limit'
import { updateNotificationPreferences } from '@pennypost/contract/notification-preferences'
import { operationExamples } from '@pennypost/contract/operation-examples'
import { createPost } from '@pennypost/contract/posts'
import { tipCommentThroughX402, tipThroughX402 } from '@pennypost/contract/x402-tips'
import type { z } from 'zod'
import { base64, quoteFor, signature } from '../access/x402/buying.fixture.ts'
import { checkoutSecret } from '../accounts/checkout-secret.ts'
import { pollSecret } from '../accounts/wallets/wallet-login-secrets.ts'
import { comments } from '../discussion/discussion.fixture.ts'
import { type Market, openMarket, xno } from '../payments/market.fixture.ts'
import { draft } from '../posts/posts.fixture.ts'
import { siwxMessage } from '../rails/base/siwx/siwx-message.ts'
import { form, illustratedPost, picture } from '../uploads/uploads.fixture.ts'
import { createBaseWallet } from './base-wallet.ts'
import type { Reader } from './people.ts'
import { nextAddress, Person } from './person.ts'
import { until } from './until.ts'

// Every rate limit is reached, by every operation that declares it. `docs.test.ts` compares the documented figures with
// the declared ones; here they are lower.

const seconds = 3600

/** Wider than the others, so that a narrower limit of the same requests is met first. */
const wider: Readonly<Record<string, number>> = {
  checkouts: 3,
  'checkouts-by-address': 4,
  comments: 3,
  'comments-by-address': 4,
  'continuation-codes': 4,
  'notification-messages': 3,
}

const maxOf = (name: string): number => wider[name] ?? (name.endsWith('-by-address') ? 3 : 2)

const settings = { LIMITS: [...limitsByName.keys()].map((name) => `${name}=${maxOf(name)}/${seconds}`).join() }

interface Case {
  readonly operation: string
  readonly endpoint: Endpoint
  readonly limit: Limit
  readonly isOfHandler: boolean
}

const takesAccount = (endpoint: Endpoint): boolean =>
  credentialsOf(endpoint).some((kind) => kind === 'owner-session' || kind === 'publishing-key')

const cases = Object.entries<Endpoint>({ ...contract, ...siteContract })
  .flatMap(([operation, endpoint]): Case[] => [
    ...(endpoint.limits ?? []).map((limit) => ({ operation, endpoint, limit, isOfHandler: false })),
    ...(endpoint.handlerLimits ?? []).map((limit) => ({ operation, endpoint, limit, isOfHandler: true })),
  ])
  // Without an account both counters are the address's, and the narrower one refuses first.
  .filter(({ endpoint, limit }) => takesAccount(endpoint) || !limit.name.endsWith('-by-address'))

/** The parts of a request that this person has to send. */
type Build = (person: Person) => object | Promise<object>

interface Sender {
  readonly token?: string | undefined
}

const requiredIn = (schema: z.ZodObject | undefined) =>
  schema && !schema.safeParse({}).success ? (exampleOf(schema, '') as Record<string, unknown>) : {}

/** A valid request, mostly for something that does not exist. A limit still counts it. */
function exampleRequest({ operation, endpoint }: Case) {
  const { params, query, headers, body } = endpoint.request ?? {}
  return {
    params: requiredIn(params),
    query: requiredIn(query),
    headers: requiredIn(headers),
    ...(body && !('kind' in body) && { body: operationExamples[operation]?.body ?? exampleOf(body, 'body') }),
  }
}

/** Requests that a handler counts: only some do, so these have to be for something that exists. */
async function countedRequests(market: Market): Promise<Record<string, Readonly<Record<string, Build>>>> {
  const { world, postId, creator } = market
  const { id: commentId } = await comments(creator, postId, 'Well said')
  const someone = world.stranger()
  const unpaid = { blockHash: 'AB'.repeat(32) }
  const query = { amount_raw: String(xno) }
  const offerOf = async (endpoint: Endpoint, params: object) =>
    (await someone.sends(endpoint, { params, query })).body.accepts[0]
  const [quote, tip, commentTip] = [
    await quoteFor(someone, postId),
    await offerOf(tipThroughX402, { postId }),
    await offerOf(tipCommentThroughX402, { commentId }),
  ]
  const asset = { params: { assetId: randomUUID() }, query: { siwx: 'read' } }
  const { info } = (await someone.sends(getAsset, asset)).body.extensions['sign-in-with-x']
  const wallet = createBaseWallet()
  const challenge = { chainId: 'eip155:8453', ...info }
  const proof = {
    address: wallet.address,
    type: 'eip191',
    signature: await wallet.signMessage(siwxMessage(challenge, wallet.address)),
  }
  const image = async () => form(await picture(), 'image/png')
  const imported = {
    importImage: async () => ({ body: await image() }),
    importAttachment: () => ({ body: form(Buffer.alloc(10), 'application/zip', { sha256: '0'.repeat(64) }, 'a.zip') }),
  }
  return {
    searches: {
      listPublicPosts: () => ({ query: { max_price_raw: '1000' } }),
      showCatalog: () => ({ query: { q: 'engines' } }),
    },
    'new-accounts': {
      verifyContinuation: async () => {
        const email = `new-${randomUUID()}@example.com`
        const started = await world.stranger().sends(continueWithEmail, { body: { email, acceptedTerms: true } })
        await world.runJobs()
        const { code } = (await world.mailTo(email))[0]!
        return { params: { continuationId: started.body.continuationId }, body: { code: code! } }
      },
    },
    'guest-orders': {
      createCheckout: () => ({ body: { postId, asset: 'XNO' } }),
      createTipCheckout: () => ({ body: { postId, amountRaw: String(xno) } }),
    },
    'oauth-consents': {
      decideConsent: () => ({ body: new URLSearchParams({ request: 'nothing', decision: 'allow' }) }),
    },
    'oauth-tokens': {
      issueToken: () => ({ body: new URLSearchParams({ grant_type: 'nothing', client_id: 'nobody' }) }),
      revokeToken: () => ({ body: new URLSearchParams({ token: 'nothing' }) }),
    },
    bounces: { reportBounce: () => ({ body: new Uint8Array(1), contentLength: 1 }) },
    'imported-files': imported,
    'imported-files-by-address': imported,
    'image-uploads': {
      uploadAvatar: async () => ({ body: await image() }),
      uploadHeader: async () => ({ body: await image() }),
      uploadPostImage: async ({ token }) => {
        const { id, updatedAt } = await draft(new Person(world, nextAddress(), token), illustratedPost)
        const headers = { 'x-post-revision': updatedAt, 'x-upload-target-key': 'cover' }
        return { params: { postId: id }, headers, body: await image() }
      },
    },
    'x402-proofs': {
      getAccess: () => ({ params: { postId }, headers: signature(quote, unpaid) }),
      getAsset: () => ({ ...asset, headers: { 'sign-in-with-x': base64({ ...challenge, ...proof }) } }),
      tipThroughX402: () => ({ params: { postId }, query, headers: signature(tip, unpaid) }),
      tipCommentThroughX402: () => ({ params: { commentId }, query, headers: signature(commentTip, unpaid) }),
    },
  }
}

function isRefused({ errors }: Endpoint, reply: RawReply): boolean {
  if (reply.status !== 429) return false
  const { code, retryAfterSeconds = 0 } = new RefusedError(reply)
  if ((errors === 'problem' || errors === 'h3') && code !== 'rate-limited') return false
  return retryAfterSeconds > 0 && retryAfterSeconds <= seconds
}

/** Sends as many requests as the limit allows and one more, and then one that others would send. */
async function drive({ world }: Market, driven: Case, build: Build | undefined): Promise<boolean[]> {
  const { endpoint, limit, isOfHandler } = driven
  const { secrets } = world.services
  const example = exampleRequest(driven)
  const kinds = credentialsOf(endpoint)
  const isGuest = isOfHandler && kinds.includes('none')
  const subject = String(Object.values(example.params)[0])
  const sender = async (): Promise<Sender> => {
    if (isGuest || kinds.every((kind) => kind === 'none')) return {}
    if (kinds.includes('owner-session')) return { token: (await world.reader()).owner.token }
    if (kinds.includes('publishing-key')) return { token: (await world.creator()).publisher.token }
    return { token: (kinds.includes('poll-secret') ? pollSecret : checkoutSecret).of(secrets, subject) }
  }
  const sends = async ({ token }: Sender, address: string) => {
    const person = new Person(world, address, token)
    const idempotencyKey = endpoint.idempotency && { idempotencyKey: randomUUID() }
    return isRefused(
      endpoint,
      await person.sends(endpoint, { ...example, ...(await build?.(person)), ...idempotencyKey }),
    )
  }
  const isOfAddress = limit.per === 'ip' || !takesAccount(endpoint)
  const [first, address] = [await sender(), nextAddress()]
  const refused: boolean[] = []
  for (let count = 0; count <= maxOf(limit.name); count += 1)
    refused.push(isOfAddress ? await sends(await sender(), address) : await sends(first, nextAddress()))
  return [...refused, await sends(await sender(), nextAddress())]
}

test('every operation refuses what is beyond each of its limits, and no sooner; and every limit is reached', async (t) => {
  const market = await openMarket(t, { settings })
  const counted = await countedRequests(market)
  const titled = ({ endpoint, limit }: Case, refused: unknown) =>
    `${endpoint.method} ${endpoint.path} ${limit.name}: ${refused}`
  const found: string[] = []
  for (const driven of cases) {
    const refused = await drive(market, driven, counted[driven.limit.name]?.[driven.operation])
    found.push(titled(driven, refused))
  }
  deepEqual(
    found,
    cases.map((driven) => titled(driven, [...Array(maxOf(driven.limit.name)).fill(false), true, false])),
  )
  // The tests below reach these, and that of subscribers.
  const others = ['invalid-bodies', 'notification-messages', 'notification-messages-by-sender', 'subscription-emails']
  deepEqual([...new Set([...cases.map(({ limit }) => limit.name), ...others])].sort(), [...limitsByName.keys()].sort())
})

test('large bodies that are not valid are refused unread once an address has sent more than its limit', async (t) => {
  const { world, creator } = await openMarket(t, { settings })
  const { publisher } = creator
  const sends = (person: Person) =>
    person.sends(createPost, { body: { title: 7, freeContentMarkdown: 'a'.repeat(20_000) } })
  // The one beyond the limit is read, too.
  for (let count = 0; count <= maxOf('invalid-bodies'); count += 1) equal((await sends(publisher)).status, 422)
  // They are counted after the reply.
  await until('further ones are refused', async () => (await sends(publisher)).status === 429)
  equal(isRefused(createPost, await sends(publisher)), true)
  equal((await sends(new Person(world, nextAddress(), publisher.token))).status, 422)
})

test('a person gets no more emails than the limits allow, in all and from one sender', async (t) => {
  const { world, creator, postId } = await openMarket(t, { settings })
  await creator.owner.calls(updateNotificationPreferences, { body: { notify_new_comment: true } })
  const emailsAfter = async (sender: Reader) => {
    await comments(sender, postId, 'What do you think?')
    await world.runJobs()
    return (await world.mailTo(creator.email)).length
  }
  const [loud, other, another] = [await world.reader(), await world.reader(), await world.reader()]
  deepEqual([await emailsAfter(loud), await emailsAfter(loud), await emailsAfter(loud)], [1, 2, 2])
  deepEqual([await emailsAfter(other), await emailsAfter(another)], [3, 3])
})
