import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import type { NanoBlock } from './payments/signers.ts'
import { Pennypost, type PennypostOptions } from './pennypost.ts'
import { memoryStore } from './store.ts'

// What a service that is broken, or not what it claims to be, can do to a program: cost time, but no money and no secrets.

const postId = '07f1e6f7-e81b-4db9-8753-6249bd2eacc1'
const payTo = 'nano_3t6k35gi95xu6tergt6p69ck76ogmitsa8mnijtpxm9fkcm736xtoncuohr3'
const xno = (tenths: number) => `${tenths}${'0'.repeat(29)}`

type Service = (url: URL, init: RequestInit) => Response | Promise<Response>

function clientOf(service: Service, options: Partial<PennypostOptions> = {}) {
  const signed: string[] = []
  const nano = {
    address: 'nano_1',
    async signSend({ amountRaw }: { amountRaw: string }): Promise<NanoBlock> {
      signed.push(amountRaw)
      const rest = { account: 'nano_1', previous: '', representative: '', balance: '', link: '' }
      return { type: 'state', ...rest, signature: 'ab' }
    },
  }
  const client = new Pennypost({
    baseUrl: 'https://pennypost.example',
    fetch: async (input, init) => service(new URL(String(input)), init ?? {}),
    signers: { nano },
    spendingLimit: { perPayment: { XNO: '0.5' } },
    retry: { attempts: 1 },
    ...options,
  })
  return { client, signed }
}

const offer = { scheme: 'exact', network: 'nano:mainnet', asset: 'XNO', amount: xno(1), payTo, maxTimeoutSeconds: 60 }
const wants = (accepts: unknown, error = 'payment_required') =>
  Response.json({ x402Version: 2, error, accepts }, { status: 402 })
const isPaid = ({ headers }: RequestInit) => new Headers(headers).has('payment-signature')

test('a tip is never more than what the program gives, whatever the offer says', async () => {
  const { client, signed } = clientOf(() => wants([{ ...offer, amount: xno(5) }]))
  const send = (maxPrice?: { XNO?: string; USDC?: string }) =>
    client.tips.send({ postId }, { amount: '0.1', asset: 'XNO' }, { maxPrice })
  await rejects(send(), { code: 'spending-limit', message: /costs 0.5 XNO, more than 0.1 XNO/ })
  await rejects(send({ XNO: '1' }), { code: 'spending-limit' })
  const { client: exact } = clientOf((_, init) => (isPaid(init) ? Response.json({ tip: {} }) : wants([offer])))
  await exact.tips.send({ postId }, { amount: '0.1', asset: 'XNO' })
  await rejects(exact.tips.send({ postId }, { amount: '0.1', asset: 'XNO' }, { maxPrice: { XNO: '0.05' } }), {
    code: 'spending-limit',
  })
  await rejects(exact.tips.send({ postId }, { amount: '0.1', asset: 'XNO' }, { maxPrice: { USDC: '1' } }), {
    code: 'spending-limit',
  })
  deepEqual(signed, [])
})

test('offers that are none are errors like others, and nothing is signed', async () => {
  for (const reply of [() => new Response(null, { status: 402 }), () => wants(null), () => wants('XNO')])
    await rejects(clientOf(reply).client.posts.buy(postId), { name: 'PennypostError', code: 'invalid-reply' })
  const junk = [null, {}, { ...offer, asset: null }, { ...offer, amount: [xno(1)] }, { ...offer, amount: '0x1' }]
  const { client, signed } = clientOf(() => wants([...junk, { ...offer, amount: 1 }, { ...offer, payTo: {} }]))
  await rejects(client.posts.buy(postId), { name: 'PennypostError', code: 'no-way-to-pay' })
  deepEqual(signed, [])
})

test('what a signer throws is an error like others, says that nothing was paid, and does not count as spent', async () => {
  const nano = { address: 'nano_1', signSend: () => Promise.reject(new Error('The wallet is locked.')) }
  const { client } = clientOf(() => wants([offer]), { signers: { nano } })
  const expected = {
    name: 'PennypostError',
    code: 'signer-failed',
    message: /Nothing was paid.*The wallet is locked\./,
  }
  await rejects(client.posts.buy(postId), expected)
  equal((await client.payments.spent()).XNO, '0')
})

test('a payment that is not final is looked at now and then, and not all the time', async () => {
  let looks = 0
  const { client } = clientOf((_, init) => {
    if (!isPaid(init)) return wants([offer])
    looks += 1
    const reply = wants([offer], 'settlement_pending')
    reply.headers.set('retry-after', looks % 2 === 0 ? '0' : 'soon')
    return reply
  })
  await rejects(client.posts.buy(postId, { waitSeconds: 1 }), { name: 'PaymentUncertainError' })
  ok(looks <= 5, `${looks} looks`)
})

test('a refusal without a body is a refusal', async () => {
  const { client } = clientOf((_, init) => (isPaid(init) ? new Response(null, { status: 402 }) : wants([offer])))
  await rejects(client.posts.buy(postId), { code: 'payment-refused' })
})

test('a refresh token does not follow a redirect, and a reply without tokens does not replace it', async () => {
  const session = { accessToken: 'a', refreshToken: 'secret', expiresAt: 1 }
  const redirects: (string | undefined)[] = []
  const { client } = clientOf(
    (_, { redirect }) => {
      redirects.push(redirect)
      return new Response(null, { status: 307, headers: { location: 'https://evil.example/' } })
    },
    { session },
  )
  await rejects(client.profile.me(), { status: 307, message: /redirects to https:\/\/evil\.example/ })
  deepEqual(redirects, ['manual'])
  const page = () => new Response('<h1>Welcome to our hotel', { headers: { 'content-type': 'text/html' } })
  for (const reply of [page, () => Response.json({}), () => Response.json(null), () => new Response(null)]) {
    const { client: guest } = clientOf(reply, { session })
    await rejects(guest.profile.me(), { name: 'PennypostError', code: 'invalid-reply' })
    deepEqual(await guest.session.current(), session)
  }
})

test('a caller who gives up does not wait for a new session', async () => {
  const session = { accessToken: 'a', refreshToken: 'secret', expiresAt: 1 }
  const caller = new AbortController()
  const silent = () => {
    caller.abort(new Error('enough'))
    return new Promise<Response>(() => {})
  }
  const { client } = clientOf(silent, { session })
  await rejects(client.profile.me({ signal: caller.signal }), { message: 'enough' })
})

test('a page of a hotel in place of a reply is an error that says so', async () => {
  const { client } = clientOf(() => new Response('<h1>Welcome', { headers: { 'content-type': 'text/html' } }))
  await rejects(client.posts.list().take(1), { code: 'invalid-reply', message: /baseUrl/ })
})

test('two services that share a store do not get the tokens and payments of each other', async () => {
  const store = memoryStore()
  const session = { accessToken: 'secret', refreshToken: 'secret', expiresAt: Number.MAX_SAFE_INTEGER }
  const honest = clientOf(
    (_, init) => (isPaid(init) ? Response.json({ code: 'busy' }, { status: 500 }) : wants([offer])),
    { store, session },
  ).client
  equal((await honest.session.current())?.accessToken, 'secret')
  await rejects(honest.posts.buy(postId, { waitSeconds: 0 }), { name: 'PaymentUncertainError' })
  equal((await honest.payments.open()).length, 1)
  const seen: Headers[] = []
  const { client: other } = clientOf(
    (_, { headers }) => {
      seen.push(new Headers(headers))
      return Response.json({ code: 'unauthorized' }, { status: 401 })
    },
    { store, baseUrl: 'https://evil.example' },
  )
  await rejects(other.profile.me(), { code: 'unauthorized' })
  deepEqual(await other.payments.resume(), [])
  deepEqual(
    seen.map((headers) => [headers.get('authorization'), headers.get('payment-signature')]),
    [[null, null]],
  )
  equal((await honest.payments.open()).length, 1)
})

test('a reply without an end is left after 64 MiB', async () => {
  for (const type of ['application/json', 'application/octet-stream']) {
    let sent = 0
    const endless = () =>
      new ReadableStream<Uint8Array>({
        pull(controller) {
          sent += 1_048_576
          controller.enqueue(new Uint8Array(1_048_576).fill(32))
          // Not quite endless, for the sake of the machine that sees this test fail.
          if (sent > 100_000_000) controller.close()
        },
      })
    const { client } = clientOf(() => new Response(endless(), { headers: { 'content-type': type } }))
    await rejects(client.posts.get(postId), { name: 'PennypostError', code: 'invalid-reply' })
    ok(sent < 80_000_000, `${sent} bytes`)
  }
})

test('a list of empty pages ends', async () => {
  let pages = 0
  const { client } = clientOf(() => {
    pages += 1
    return Response.json({ data: [], nextCursor: `c${pages % 2}` })
  })
  await rejects(client.posts.listPaid().take(1), { code: 'invalid-reply', message: /empty pages/ })
  equal(pages, 101)
})

test('a stream that stays open and says nothing ends with the time of the caller', async () => {
  const silent: Service = (_, { headers, signal }) => {
    if (new Headers(headers).get('accept') !== 'text/event-stream') return Response.json({}, { status: 500 })
    const body = new ReadableStream({
      start: (stream) => signal?.addEventListener('abort', () => stream.error('ended')),
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }
  const { client } = clientOf(silent)
  const orders = client.purchases.watch(postId, { waitSeconds: 0.1 })
  await rejects(orders.next(), (error: Error) => match(error.message, /not over after 0\.1 seconds/) === undefined)
})
