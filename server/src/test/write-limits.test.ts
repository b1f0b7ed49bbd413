import { deepEqual, equal, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { addBookmark, removeBookmark } from '@pennypost/contract/bookmarks'
import { createCheckout } from '@pennypost/contract/checkout'
import { addComment } from '@pennypost/contract/comments'
import { contract } from '@pennypost/contract/contract'
import type { Endpoint } from '@pennypost/contract/endpoint'
import { updateFollow } from '@pennypost/contract/follows'
import { createGiftLink, disableGiftLink } from '@pennypost/contract/gift-links'
import { importPost, startImport } from '@pennypost/contract/imports'
import { createPost, previewMarkdown, updatePost } from '@pennypost/contract/posts'
import { createPurchase } from '@pennypost/contract/purchases'
import { reactToComment, reactToPost } from '@pennypost/contract/reactions'
import { reportComment, reportPost } from '@pennypost/contract/reports'
import { createSeries } from '@pennypost/contract/series'
import { importSubscribers, removeSubscriber, subscribe } from '@pennypost/contract/subscribers'
import { minTipRaw, tipComment, tipPost } from '@pennypost/contract/tips'
import { nextAddress, Person } from './person.ts'
import { until } from './until.ts'
import { createWorld, sharedWorld } from './world.ts'

const id = randomUUID()
const tip = { amountRaw: String(minTipRaw) }

// Valid requests for things that do not exist. A limit still counts them.
const writes: [limit: string, endpoint: Endpoint, input: object][] = [
  ['comments', addComment, { params: { postId: id }, body: { content: 'Hello' } }],
  ['reactions', reactToPost, { params: { postId: id }, body: { reaction: null } }],
  ['reactions', reactToComment, { params: { commentId: id }, body: { reaction: null } }],
  ['bookmarks', addBookmark, { params: { postId: id } }],
  ['bookmarks', removeBookmark, { params: { postId: id } }],
  ['subscriptions', subscribe, { params: { handle: 'nobody_here' }, body: { email: 'reader@example.org' } }],
  ['subscriber-imports', importSubscribers, { body: { emails: ['nobody'], consent: true, consentSource: 'A list' } }],
  ['subscriber-removals', removeSubscriber, { params: { subscriberId: id } }],
  ['follows', updateFollow, { params: { creatorId: id }, body: { following: true } }],
  ['reports', reportPost, { params: { postId: id }, body: { reason: 'Spam' } }],
  ['reports', reportComment, { params: { commentId: id }, body: { reason: 'Spam' } }],
  ['drafts', createPost, { body: { title: 'Draft' } }],
  ['imports', startImport, { body: { source: 'ghost', attested: true } }],
  ['imported-posts', importPost, { params: { importId: id }, body: { sourceId: 'a', title: 'Old', status: 'draft' } }],
  ['gift-links', createGiftLink, { params: { postId: id } }],
  ['gift-links', disableGiftLink, { params: { postId: id } }],
  ['series', createSeries, { body: { title: 'Series', postIds: [id] } }],
  ['saves', updatePost, { params: { postId: id }, body: { title: 'Draft' } }],
  ['orders', createPurchase, { body: { postId: id } }],
  ['orders', tipPost, { params: { postId: id }, body: tip }],
  ['orders', tipComment, { params: { commentId: id }, body: tip }],
  ['checkouts', createCheckout, { body: { postId: id, asset: 'USDC' } }],
]

const figures = [...new Set(writes.map(([name]) => name))].map((name) => `${name}=2/60,${name}-by-address=3/60`)

for (const [name, endpoint, input] of writes) {
  test(`${endpoint.method} ${endpoint.path} is limited by account, and by address`, async (t) => {
    const world = await createWorld(t, { settings: { LIMITS: figures.join() } })
    const classroom = nextAddress()
    const personAt = async (address: string) => {
      const { owner, publisher } = await world.creator()
      return new Person(world, address, (endpoint.credential === 'publishing-key' ? publisher : owner).token)
    }
    const writesBy = async (person: Person) =>
      person.sends(endpoint, { ...input, ...(endpoint.idempotency && { idempotencyKey: randomUUID() }) })
    const isRefused = async (person: Person): Promise<boolean> => {
      const { status, headers } = await writesBy(person)
      if (status === 429) ok(Number(headers.get('retry-after')) > 0, `${name}: when to come back`)
      return status === 429
    }
    const [loud, quiet, elsewhere] = [
      await personAt(classroom),
      await personAt(classroom),
      await personAt(nextAddress()),
    ]
    deepEqual([await isRefused(loud), await isRefused(loud), await isRefused(loud)], [false, false, true])
    // What the account was refused does not count for its neighbours.
    deepEqual([await isRefused(quiet), await isRefused(quiet)], [false, true])
    deepEqual([await isRefused(elsewhere)], [false])
  })
}

test('a text that cannot be rendered counts as a save, and is refused without being rendered', async (t) => {
  const world = await createWorld(t, { settings: { LIMITS: 'drafts=2/60' } })
  const { publisher } = await world.creator()
  const save = async () =>
    (await publisher.sends(createPost, { body: { title: 'Lists', freeContentMarkdown: '- - - a\n'.repeat(25_000) } }))
      .body.code
  deepEqual(
    [await save(), await save(), await save()],
    ['markdown-too-complex', 'markdown-too-complex', 'rate-limited'],
  )
})

test('a text that cannot be rendered is not saved and has no preview', async (t) => {
  const { publisher } = await (await sharedWorld(t)).creator()
  const markdown = '- - - a\n'.repeat(25_000)
  const { body: post } = await publisher.calls(createPost, { body: { title: 'Lists' } })
  const saved = await publisher.calls(updatePost, {
    params: { postId: post.id },
    headers: { 'x-post-revision': post.updatedAt },
    body: { freeContentMarkdown: markdown },
  })
  equal(saved.body.code, 'markdown-too-complex')
  equal((await publisher.calls(previewMarkdown, { body: { markdown } })).body.code, 'markdown-too-complex')
})

test('an address that keeps sending large bodies that are not valid can send none for a while', async (t) => {
  const world = await createWorld(t, { settings: { LIMITS: 'invalid-bodies=3/60' } })
  const { publisher } = await world.creator()
  const send = async (person: Person, freeContentMarkdown: string, title: unknown = 'Long') =>
    (await person.sends(createPost, { body: { title, freeContentMarkdown } })).status
  const large = 'a'.repeat(20_000)
  // Small ones do not count.
  for (let count = 0; count < 5; count += 1) equal(await send(publisher, 'a', 7), 422)
  for (let count = 0; count < 4; count += 1) equal(await send(publisher, large, 7), 422)
  // They are counted after the reply. What is sent meanwhile is valid, so it does not count.
  await until('further ones are refused', async () => (await send(publisher, large)) === 429)
  // The limit of posts is not reached.
  equal(await send(publisher, 'a'), 201)
  equal(await send(new Person(world, nextAddress(), publisher.token), large), 201)
  await world.advance(61)
  equal(await send(publisher, large), 201)
})

test('what people write now and then gives way to reading; money and publishing do not', () => {
  const givingWay = Object.entries(contract).flatMap(([name, endpoint]) => ('givesWay' in endpoint ? [name] : []))
  deepEqual(givingWay.toSorted(), [
    'addBookmark',
    'addComment',
    'createPost',
    'importPost',
    'reactToComment',
    'reactToPost',
    'removeBookmark',
    'reportComment',
    'reportPost',
    'updateFollow',
    'updatePost',
  ])
})
