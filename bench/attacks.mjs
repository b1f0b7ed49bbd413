import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { createRequire } from 'node:module'
import { slowWebp } from '../server/dist/uploads/screening/images/image-builder.fixture.js'
import { zipOf } from '../server/dist/uploads/screening/zip/zip-builder.fixture.js'
import { wordNumber } from './discovery-data.mjs'

// sharp is a dependency of the server's workspace, so it is resolved from there.
const sharp = createRequire(new URL('../server/package.json', import.meta.url))('sharp')

const random = (below) => Math.floor(Math.random() * below)
const pick = (list) => list[random(list.length)]
const json = (method, path, body, headers = {}) => ({
  method,
  path,
  headers: { 'content-type': 'application/json', 'idempotency-key': randomUUID(), ...headers },
  body: typeof body === 'string' ? body : JSON.stringify(body),
})
const bearer = (token) => ({ authorization: `Bearer ${token}` })

async function form(path, token, { bytes, type, name, fields = {}, headers = {} }) {
  const data = new FormData()
  for (const [field, value] of Object.entries(fields)) data.append(field, value)
  data.append('file', new Blob([bytes], { type }), name)
  const encoded = new Response(data)
  const contentType = encoded.headers.get('content-type')
  const body = Buffer.from(await encoded.arrayBuffer())
  return () => ({
    method: 'POST',
    path,
    headers: { ...bearer(token), 'content-type': contentType, 'idempotency-key': randomUUID(), ...headers },
    body,
  })
}

/** Returns a function that uploads these bytes as a ZIP file, to the drafts of all accounts in turn. */
async function zipSender(accounts, bytes) {
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const senders = await Promise.all(
    accounts.flatMap(({ key, draftIds, revisions }) =>
      draftIds.map((postId, at) =>
        form(`/api/v1/posts/${postId}/attachments`, key, {
          bytes,
          type: 'application/zip',
          name: 'notes.zip',
          fields: { description: 'Notes', sha256 },
          headers: { 'x-post-revision': revisions[at] },
        }),
      ),
    ),
  )
  return (n) => senders[n % senders.length]()
}

const longest = 200_000
// The slowest texts to render of those that are rendered at all.
const slowTexts = [
  '* * * a\n'.repeat(6_666),
  '*a_ '.repeat(longest / 4),
  `a|b\n-|-\n${'x|y\n'.repeat(49_000)}`,
  'a@b.co '.repeat(longest / 7),
]

/**
 * The attacks, each as one person or program with a few addresses can run it. `perSecond` is the rate of all its
 * addresses together: above what the limits admit, but low enough that the two cores of a small machine can send it and
 * the honest requests. `start` prepares and returns a function that makes the next request.
 */
export const attacks = [
  {
    name: 'searches',
    label: 'searches: three common words, and literal ones, far pages',
    addresses: 4,
    perSecond: 40,
    start: () => (n) => {
      const words = [0, 1, 2].map(() => wordNumber(random(400))).join('+')
      const query = n % 2 ? words : `${wordNumber(random(60)).slice(0, 3)}%25`
      return { path: `/api/posts?q=${query}&page=${1 + random(50)}&per_page=48` }
    },
  },
  {
    name: 'lists',
    label: 'lists in any order with any filter, far pages',
    addresses: 1,
    perSecond: 100,
    start: () => () => {
      const sort = pick(['recommended', 'newest', 'popular', 'price_asc', 'price_desc'])
      const filter = pick(['access=paid', 'author=agent', 'category=science', 'language=de', 'has_attachments=false'])
      return { path: `/api/posts?sort=${sort}&${filter}&page=${1 + random(50)}&per_page=${30 + random(18)}` }
    },
  },
  {
    name: 'bursts',
    label: 'a hundred lists and offers in the same moment, every second',
    addresses: 1,
    perSecond: 100,
    burst: 100,
    start:
      ({ paidIds }) =>
      (n) => ({
        path: n % 2 ? `/api/posts/${pick(paidIds)}/access` : `/api/posts?page=${1 + random(200)}&per_page=48`,
      }),
  },
  {
    name: 'related',
    label: 'related posts of any post',
    addresses: 1,
    perSecond: 50,
    start:
      ({ postIds }) =>
      () => ({ path: `/api/posts/${pick(postIds)}/related?limit=12` }),
  },
  {
    name: 'offers',
    label: '402s with new offers on both rails',
    addresses: 1,
    perSecond: 100,
    start:
      ({ paidIds }) =>
      () => ({ path: `/api/posts/${pick(paidIds)}/access` }),
  },
  {
    name: 'forged-payments',
    label: 'x402 payments from empty wallets',
    addresses: 4,
    perSecond: 20,
    start:
      ({ paidIds, payments }) =>
      (n) => ({
        path: `/api/posts/${paidIds[0]}/access`,
        headers: { 'payment-signature': payments[n % payments.length] },
      }),
  },
  {
    name: 'forged-tokens',
    label: 'forged session tokens',
    addresses: 1,
    perSecond: 100,
    accounts: 1,
    start: ({ accounts: [{ token }] }) => {
      const [head, body] = token.split('.')
      return () => ({
        path: '/api/v1/me',
        headers: bearer(`${head}.${body}.${randomBytes(64).toString('base64url')}`),
      })
    },
  },
  {
    name: 'comments',
    label: 'comments that mention five people each',
    addresses: 5,
    accounts: 5,
    perSecond: 50,
    start:
      ({ accounts, postIds, people }) =>
      (n) => {
        const mentions = [0, 1, 2, 3, 4].map((at) => people[(n + at) % people.length])
        const content = `${mentions.map(({ handle }) => `@${handle}`).join(' ')} ${'look here '.repeat(50)} ${n}`
        const { token } = accounts[n % accounts.length]
        return json(
          'POST',
          `/api/v1/posts/${postIds[n % 20]}/comments`,
          { content, mentions: mentions.map(({ profileId, handle }) => ({ profileId, handle })) },
          bearer(token),
        )
      },
  },
  {
    name: 'reactions',
    label: 'reactions, changed again and again',
    addresses: 4,
    accounts: 4,
    perSecond: 50,
    start:
      ({ accounts, postIds }) =>
      (n) =>
        json(
          'PUT',
          `/api/v1/posts/${postIds[n % 50]}/reactions`,
          { reaction: n % 2 ? 'heart' : null },
          bearer(accounts[n % accounts.length].token),
        ),
  },
  {
    name: 'reports',
    label: 'reports',
    addresses: 5,
    accounts: 5,
    perSecond: 50,
    start:
      ({ accounts, postIds }) =>
      (n) =>
        json(
          'POST',
          `/api/v1/posts/${postIds[Math.floor(n / 5) % postIds.length]}/reports`,
          { reason: 'spam '.repeat(300) },
          bearer(accounts[n % accounts.length].token),
        ),
  },
  {
    name: 'markdown',
    label: 'previews of the slowest Markdown, 200,000 characters',
    addresses: 5,
    accounts: 5,
    perSecond: 10,
    start:
      ({ accounts }) =>
      (n) =>
        json(
          'POST',
          '/api/v1/markdown-preview',
          { markdown: pick(slowTexts).slice(0, longest) },
          bearer(accounts[n % accounts.length].key),
        ),
  },
  {
    name: 'drafts',
    label: 'drafts of 400,000 characters',
    addresses: 5,
    accounts: 5,
    perSecond: 10,
    start: ({ accounts }) => {
      const text = 'word '.repeat(longest / 5)
      return (n) =>
        json(
          'POST',
          '/api/v1/posts',
          { title: `Full ${n}`, freeContentMarkdown: text, paidContentMarkdown: text, enablePaywall: true },
          bearer(accounts[n % accounts.length].key),
        )
    },
  },
  {
    name: 'publishing',
    label: 'posts published and withdrawn in turn, which changes every list',
    addresses: 3,
    accounts: 3,
    perSecond: 20,
    drafts: 1,
    start:
      ({ accounts }) =>
      (n) => {
        const { key, draftIds } = accounts[n % accounts.length]
        const isOut = Math.floor(n / accounts.length) % 2
        return json('POST', `/api/v1/posts/${draftIds[0]}/${isOut ? 'unpublish' : 'publish'}`, {}, bearer(key))
      },
  },
  {
    name: 'small-images',
    label: 'images just under 16 megapixels',
    addresses: 5,
    accounts: 5,
    perSecond: 10,
    async start({ accounts }) {
      const bytes = await sharp({ create: { width: 3990, height: 3990, channels: 3, background: '#a52' } })
        .png()
        .toBuffer()
      const senders = await Promise.all(
        accounts.map(({ key }) => form('/api/v1/profile/avatar', key, { bytes, type: 'image/png', name: 'a.png' })),
      )
      return (n) => senders[n % senders.length]()
    },
  },
  {
    name: 'large-images',
    label: 'WebPs of 5.6 KB and 128 megapixels',
    addresses: 5,
    accounts: 5,
    perSecond: 10,
    async start({ accounts }) {
      const senders = await Promise.all(
        accounts.map(({ key }) =>
          form('/api/v1/profile/avatar', key, { bytes: slowWebp(4), type: 'image/webp', name: 'a.webp' }),
        ),
      )
      return (n) => senders[n % senders.length]()
    },
  },
  {
    name: 'zips',
    label: 'ZIPs of 0.8 MB that inflate to 60 MB',
    addresses: 4,
    accounts: 4,
    perSecond: 4,
    drafts: 4,
    async start({ accounts }) {
      const members = [...Array(4).keys()].map((member) => {
        const lines = Array.from({ length: 60 }, () => randomBytes(100).toString('base64')).join('\n')
        return { name: `${member}.txt`, content: lines.repeat(Math.floor(15_000_000 / lines.length)) }
      })
      const bytes = zipOf(members)
      return zipSender(accounts, bytes)
    },
  },
  {
    name: 'big-uploads',
    label: 'uploads of 3 MB that are no ZIPs',
    addresses: 4,
    accounts: 4,
    perSecond: 8,
    drafts: 4,
    async start({ accounts }) {
      const bytes = randomBytes(3_000_000)
      return zipSender(accounts, bytes)
    },
  },
  {
    name: 'json',
    label: 'JSON of 2 MB, nested or flat, and of 16 KB nested',
    addresses: 2,
    accounts: 1,
    perSecond: 30,
    start: ({ accounts: [{ key }] }) => {
      const bodies = [
        ['/api/v1/markdown-preview', '['.repeat(1_000_000) + ']'.repeat(1_000_000)],
        ['/api/v1/markdown-preview', `[${'{"a":1},'.repeat(249_000)}0]`],
        ['/api/v1/auth/login', '['.repeat(1_000_000) + ']'.repeat(1_000_000)],
        ['/api/v1/auth/login', `{"email":${'['.repeat(8_000)}${']'.repeat(8_000)}}`],
      ]
      return (n) => json('POST', ...bodies[n % bodies.length], bearer(key))
    },
  },
  {
    name: 'sign-in-mails',
    label: 'sign-in codes and registrations for many mailboxes',
    addresses: 4,
    perSecond: 40,
    start:
      ({ emails }) =>
      (n) =>
        n % 4
          ? json('POST', '/api/v1/auth/login', {
              email: n % 2 ? emails[n % emails.length] : `n${randomUUID()}@example.com`,
            })
          : json('POST', '/api/v1/registrations', {
              email: `r${randomUUID()}@example.com`,
              name: 'Somebody',
              handle: `r_${randomUUID().slice(0, 8)}`,
              acceptedTerms: true,
            }),
  },
  {
    name: 'wallet-logins',
    label: 'logins by transfer, started and never paid',
    addresses: 2,
    perSecond: 40,
    start: () => () => json('POST', '/api/v1/auth/nano/transfers', { requestSecret: randomBytes(32).toString('hex') }),
  },
  {
    name: 'orders',
    label: 'purchases started and never paid',
    addresses: 4,
    accounts: 4,
    perSecond: 40,
    start:
      ({ accounts, paidIds }) =>
      (n) =>
        json(
          'POST',
          '/api/v1/purchases/create',
          { postId: paidIds[n % paidIds.length] },
          bearer(accounts[n % accounts.length].token),
        ),
  },
  {
    name: 'tips',
    label: 'tips started and never paid',
    addresses: 4,
    accounts: 4,
    perSecond: 40,
    start:
      ({ accounts, paidIds }) =>
      (n) =>
        json(
          'POST',
          `/api/v1/posts/${paidIds[n % paidIds.length]}/tips/session`,
          { amountRaw: `1${'0'.repeat(27)}`, message: 'Thanks' },
          bearer(accounts[n % accounts.length].token),
        ),
  },
  {
    name: 'checkouts',
    label: 'guest checkouts started and never paid',
    addresses: 2,
    perSecond: 40,
    start:
      ({ paidIds }) =>
      (n) =>
        json('POST', '/api/v1/checkout/sessions', { postId: paidIds[n % paidIds.length], asset: 'USDC' }),
  },
  {
    name: 'streams',
    label: 'event streams held open, and HEAD on them',
    addresses: 4,
    accounts: 4,
    perSecond: 50,
    orders: 1,
    isHeld: true,
    start:
      ({ accounts }) =>
      (n) => {
        const { token, orderIds } = accounts[n % accounts.length]
        return {
          method: n % 4 ? 'GET' : 'HEAD',
          path: `/api/v1/purchases/${orderIds[0]}`,
          headers: { ...bearer(token), accept: 'text/event-stream' },
        }
      },
  },
  {
    name: 'slow-connections',
    label: 'connections that send a byte a second',
    addresses: 2,
    perSecond: 150,
    isHeld: true,
    isSlow: true,
    start: () => () => ({ path: '/' }),
  },
]
