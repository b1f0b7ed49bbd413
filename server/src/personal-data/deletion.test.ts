import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { getAccess } from '@pennypost/contract/access'
import { restoreAccount } from '@pennypost/contract/admin-accounts'
import { addBookmark } from '@pennypost/contract/bookmarks'
import { listComments } from '@pennypost/contract/comments'
import { getLeaderboard, getPublicPost, listPublicPosts } from '@pennypost/contract/discovery'
import { listFollowers, listFollowing, updateFollow } from '@pennypost/contract/follows'
import { listLibrary } from '@pennypost/contract/library'
import { getMe } from '@pennypost/contract/me'
import { deleteAccount } from '@pennypost/contract/personal-data'
import { getHandleAvailability } from '@pennypost/contract/profiles'
import { publishPost } from '@pennypost/contract/publishing'
import { createPurchase } from '@pennypost/contract/purchases'
import { reactToPost } from '@pennypost/contract/reactions'
import { startRegistration } from '@pennypost/contract/registrations'
import { logIn, refreshSession } from '@pennypost/contract/sessions'
import { subscribe } from '@pennypost/contract/subscribers'
import { startsNano } from '../access/checkout/nano-checkout.fixture.ts'
import { administrator, comments } from '../discussion/discussion.fixture.ts'
import { isClean, openMarket, price, quotes, sells, tips, xno } from '../payments/market.fixture.ts'
import { armFaultPoints } from '../platform/fault-point.ts'
import { draft, payable, publish, wholePost } from '../posts/posts.fixture.ts'
import { patch } from '../profiles/patch-profile.fixture.ts'
import type { Creator, Reader } from '../test/people.ts'
import { nextAddress, Person } from '../test/person.ts'
import { emptiedWorld, type World } from '../test/world.ts'
import { sendAvatar } from '../uploads/uploads.fixture.ts'
import { codeFor, startsExport } from './personal-data.fixture.ts'

async function deletes(world: World, person: Reader) {
  const code = await codeFor(world, person, 'deletion')
  return person.owner.calls(deleteAccount, { body: { handle: person.handle, confirmation: { code } } })
}

const page = async (world: World, path: string) =>
  world.server.inject({ method: 'GET', url: path, headers: { accept: 'text/html' } })

test('a deletion needs the handle and a code for it, and nothing else will do', async (t) => {
  const world = await emptiedWorld(t)
  const author = await world.creator()
  const deleting = (confirmation: object, handle = author.handle) =>
    author.owner.sends(deleteAccount, { body: { handle, confirmation } })
  const forExport = await codeFor(world, author, 'export')
  equal((await deleting({ code: forExport })).body.code, 'invalid-verification')
  await world.advance(61)
  await author.owner.calls(logIn, { body: { email: author.email } })
  await world.runJobs()
  const forLogin = (await world.mailTo(author.email))[0]!.code!
  equal((await deleting({ code: forLogin })).body.code, 'invalid-verification')
  await world.advance(61)
  const code = await codeFor(world, author, 'deletion')
  match((await world.mailTo(author.email))[0]!.text, /DELETE your account/)
  const wrong = await deleting({ code }, 'somebody_else')
  deepEqual([wrong.status, wrong.body.errors[0].field], [422, 'handle'])
  equal(
    (await author.publisher.sends(deleteAccount, { body: { handle: author.handle, confirmation: { code } } })).status,
    401,
  )
  equal((await author.owner.calls(getMe, {})).status, 200)
  equal((await deleting({ code }, author.handle.toUpperCase())).status, 200)
  equal((await deleting({ code })).status, 401)
  await world.runJobs()
  match((await world.mailTo(author.email))[0]!.subject, /was deleted/)
})

test('everything is signed out at once, and nobody gets the handle or signs in', async (t) => {
  const world = await emptiedWorld(t)
  const author = await payable(await world.creator({ name: 'Ada Lovelace', handle: 'ada_lovelace' }))
  await publish(author)
  const exportId = await startsExport(world, author)
  await world.advance(61)
  equal((await deletes(world, author)).status, 200)
  equal((await author.owner.calls(getMe, {})).status, 401)
  equal((await author.publisher.calls(getMe, {})).status, 401)
  equal(
    (await world.stranger().calls(refreshSession, { body: { refreshToken: author.pair.refreshToken } })).status,
    401,
  )
  equal((await page(world, `/api/v1/account/exports/${exportId}`)).statusCode, 401)
  const available = await world.stranger().calls(getHandleAvailability, { query: { handle: 'Ada_Lovelace' } })
  deepEqual(available.body, { available: false })
  const other = await world.creator()
  const taken = await patch(other.publisher, { handle: 'ADA_lovelace' })
  deepEqual([taken.status, taken.body.code], [409, 'handle-conflict'])
  const registered = await world.stranger().calls(startRegistration, {
    idempotencyKey: randomUUID(),
    body: { email: 'eve@example.org', name: 'Eve', handle: 'ada_LOVELACE', acceptedTerms: true },
  })
  deepEqual([registered.status, registered.body.code], [409, 'handle-conflict'])
  // A new account that wants it gets another one.
  const { createAccount } = await import('../accounts/account-store.ts')
  const made = await world.services.db
    .transaction()
    .execute((tx) => createAccount(tx, { handle: 'ada_lovelace', isAnonymous: false, now: new Date() }))
  match(made!.handle, /^user_/)
  await world.runJobs()
  await world.advance(61)
  await world.stranger().calls(logIn, { body: { email: author.email } })
  await world.runJobs()
  match((await world.mailTo(author.email))[0]!.subject, /was deleted/)
  const admin = await administrator(world)
  const restored = await admin.owner.calls(restoreAccount, {
    params: { accountId: author.accountId },
    body: { note: 'please' },
  })
  equal(restored.status, 404)
  await world.advance(7_300)
  await world.runJobs()
})

test('what was not sold is gone everywhere: pages, feeds, search, sitemap, lists, and the name with it', async (t) => {
  const world = await emptiedWorld(t)
  const author = await payable(await world.creator({ name: 'Ada Lovelace', handle: 'ada_lovelace' }))
  const other = await payable(await world.creator({ name: 'Charles', handle: 'charles_b' }))
  const post = await publish(author, { ...wholePost, title: 'Zanzibar engines', tags: ['Machines'] })
  const theirs = await publish(other, { ...wholePost, title: 'Their post' })
  await draft(author.publisher, { title: 'Unfinished' })
  await sendAvatar(author.publisher)
  const root = await comments(author, theirs.id, 'words of Ada')
  await comments(other, theirs.id, 'I agree with @ada_lovelace', {
    parentCommentId: root.id,
    mentions: [{ profileId: author.accountId, handle: 'ada_lovelace' }],
  })
  await comments(other, post.id, 'A comment under hers')
  await author.owner.calls(reactToPost, { params: { postId: theirs.id }, body: { reaction: 'heart' } })
  await author.owner.calls(addBookmark, { params: { postId: theirs.id } })
  await other.owner.calls(addBookmark, { params: { postId: post.id } })
  await author.owner.calls(updateFollow, { params: { creatorId: other.accountId }, body: { following: true } })
  await other.owner.calls(updateFollow, { params: { creatorId: author.accountId }, body: { following: true } })
  await author.owner.calls(subscribe, { params: { handle: other.handle }, body: {} })
  await other.owner.calls(subscribe, { params: { handle: author.handle }, body: {} })
  await world.runJobs()
  match((await page(world, `/posts/${theirs.id}`)).body, /Ada Lovelace/)

  const { status } = await deletes(world, author)
  equal(status, 200)
  // At once, before any job has run.
  equal((await world.stranger().calls(getPublicPost, { params: { postId: post.id } })).status, 404)
  for (const path of [
    '/@ada_lovelace',
    `/posts/${post.id}`,
    '/@ada_lovelace/feed.xml',
    '/@ada_lovelace/zanzibar-engines',
  ])
    equal((await page(world, path)).statusCode, 404, path)
  equal(
    (await world.stranger().calls(subscribe, { params: { handle: author.handle }, body: { email: 'x@example.org' } }))
      .status,
    404,
  )
  await world.runJobs()
  await world.advance(7_300)
  await world.runJobs()

  const reader = await world.reader()
  const found = await reader.owner.calls(listPublicPosts, { query: { q: 'zanzibar' } })
  equal(JSON.stringify(found.body).includes('Zanzibar'), false)
  for (const path of [
    '/',
    `/posts/${theirs.id}`,
    '/feed.xml',
    '/sitemap.xml',
    '/llms.txt',
    '/leaderboards',
    `/@${other.handle}`,
  ]) {
    const { body } = await page(world, path)
    for (const word of ['Ada Lovelace', '/@ada_lovelace', 'Zanzibar', 'words of Ada'])
      equal(body.includes(word), false, `${path} has ${word}`)
  }
  const thread = await reader.owner.calls(listComments, { params: { postId: theirs.id } })
  const text = JSON.stringify(thread.body)
  deepEqual(
    thread.body.comments.map(({ content, author: { name } }: { content: string; author: { name: string } }) => [
      content,
      name,
    ]),
    [
      [null, 'Deleted account'],
      ['I agree with @ada_lovelace', 'Charles'],
    ],
  )
  equal(text.includes('Ada Lovelace') || text.includes('"ada_lovelace"'), false)
  const { pool } = world.services
  const replies = await pool.query(`SELECT content FROM comments WHERE author_id = $1`, [other.accountId])
  deepEqual(replies.rows, [{ content: 'I agree with @ada_lovelace' }])
  for (const call of [listFollowers, listFollowing]) {
    const list = await other.owner.sends(call, { query: {} }).catch(() => undefined)
    if (list) equal(JSON.stringify(list.body).includes('ada_lovelace'), false)
  }
  const board = await reader.owner.calls(getLeaderboard, { query: { board: 'creators_followers' } } as never)
  equal(JSON.stringify(board.body).includes(author.accountId), false)
  // The tokens of the other one have expired meanwhile.
  const notified = await pool.query(`SELECT title, body, url FROM notifications WHERE account_id = $1`, [
    other.accountId,
  ])
  equal(/Ada|ada_lovelace/.test(JSON.stringify(notified.rows)), false, JSON.stringify(notified.rows))

  // Nothing of the account is left but the row that money may refer to.
  const tables = await pool.query(
    `SELECT c.table_name, c.column_name FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
     WHERE c.table_schema = 'public' AND c.data_type = 'uuid' AND t.table_type = 'BASE TABLE'
       AND c.column_name IN ('account_id', 'creator_id', 'follower_id', 'author_id')
       AND (c.table_name, c.column_name) <> ('notifications', 'follower_id')`,
  )
  const left: string[] = []
  for (const { table_name, column_name } of tables.rows) {
    const { rowCount } = await pool.query(`SELECT FROM ${table_name} WHERE ${column_name} = $1`, [author.accountId])
    if (rowCount) left.push(table_name)
  }
  // Figures that are zero, switches that are off, an upload without bytes, and the empty comment that keeps the thread.
  deepEqual(left.toSorted(), [
    'account_figures',
    'comments',
    'notification_preferences',
    'post_commenters',
    'upload_operations',
  ])
  const dump = await wholeDatabase(pool)
  for (const word of ['Ada Lovelace', author.email, 'words of Ada', 'Zanzibar'])
    deepEqual(
      dump.filter(([, row]) => row.includes(word)).map(([table]) => table),
      [],
      word,
    )
})

/** Every row of every table as text. Emails that were captured for development, and logs of jobs, are left out. */
async function wholeDatabase(pool: World['services']['pool']): Promise<[table: string, row: string][]> {
  const { rows: tables } = await pool.query(`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`)
  const found: [string, string][] = []
  for (const { name } of tables) {
    if (['captured_mail', 'idempotent_replies', 'search_words'].includes(name)) continue
    const { rows } = await pool.query(`SELECT row_to_json(t)::text AS row FROM ${name} t`)
    for (const { row } of rows) found.push([name, row])
  }
  return found
}

test('buyers keep what they bought, money that is owed is paid, and the audit is clean', async (t) => {
  const market = await openMarket(t)
  const { world, creator, buyer, postId, pays, checkAddresses } = market
  await patch(creator.publisher, { name: 'Ada Lovelace' })
  const unsold = await sells(creator, { title: 'Nobody buys it' })
  const tipped = await sells(creator, { title: 'Only tipped', priceAtomic: String(2n * price) })
  const bought = await quotes(buyer, postId)
  await pays(bought.address, price)
  const guest = await startsNano(market)
  await pays(guest.address, price)
  const tip = await tips(buyer, tipped, xno)
  await pays(tip.address, xno)
  await checkAddresses()
  // Open when the account is deleted: one is paid afterwards, one never.
  const late = await world.reader()
  const open = await quotes(late, postId)
  const lateForUnsold = await quotes(late, unsold)
  await quotes(late, tipped)
  equal((await deletes(world, creator)).status, 200)
  await world.runJobs()
  // Nobody can buy it now, but the payment of an order that was open still buys.
  equal((await late.owner.calls(createPurchase, { body: { postId }, idempotencyKey: randomUUID() })).status, 404)
  await pays(open.address, price)
  await pays(lateForUnsold.address, price)
  await checkAddresses()
  const paidOut = await world.services.pool.query(
    `SELECT state, count(*)::int FROM payouts WHERE role = 'creator' GROUP BY state`,
  )
  deepEqual(paidOut.rows, [{ state: 'confirmed', count: 5 }])
  await world.advance(1)
  for (const reader of [buyer, late]) {
    const access = await reader.owner.calls(getAccess, { params: { postId } })
    deepEqual([access.status, access.body.paidContentMarkdown], [200, 'the-secret-part'])
    const library = await reader.owner.calls(listLibrary, { query: {} })
    const names = library.body.data.map(({ post }: { post: { author: { name: string } } }) => post.author.name)
    deepEqual(new Set(names), new Set(['Deleted account']))
    equal(JSON.stringify(library.body).includes('Ada Lovelace'), false)
  }
  // What was paid for after the deletion is readable too.
  equal((await late.owner.calls(getAccess, { params: { postId: unsold } })).body.paidContentMarkdown, 'the-secret-part')
  const { session } = await guest.reads()
  const asGuest = await new Person(world, nextAddress(), session.accessToken).calls(getAccess, { params: { postId } })
  equal(asGuest.body.paidContentMarkdown, 'the-secret-part')
  await market.passes(2 * 3_600 + 1)
  await checkAddresses()
  const { rows } = await world.services.pool.query('SELECT id, title, free_markdown FROM posts ORDER BY title')
  deepEqual(
    rows.map(({ id, title, free_markdown }) => [id, title, free_markdown]),
    [
      [tipped, 'Deleted post', ''],
      [unsold, 'Nobody buys it', 'Free'],
      [postId, 'On engines', 'Free'],
    ],
  )
  await isClean(market)
})

test('money for an order of a deleted account goes back', async (t) => {
  const market = await openMarket(t)
  const { world, buyer, postId, pays, checkAddresses } = market
  const order = await quotes(buyer, postId)
  equal((await deletes(world, buyer)).status, 200)
  await world.runJobs()
  await pays(order.address, price)
  await checkAddresses()
  const { rows } = await world.services.pool.query(`SELECT role, state FROM payouts`)
  deepEqual(rows, [{ role: 'refund', state: 'confirmed' }])
  await market.passes(2 * 3_600 + 1)
  await isClean(market)
})

test('a purchase, a publication and a second deletion at the same moment', async (t) => {
  const market = await openMarket(t)
  const { world, creator, postId, pays, checkAddresses } = market
  const unpublished = await draft(creator.publisher, { ...wholePost, title: 'At the same moment' })
  const buyers = await Promise.all(Array.from({ length: 5 }, () => world.reader()))
  const code = await codeFor(world, creator, 'deletion')
  const body = { handle: creator.handle, confirmation: { code } }
  const [first, second, published, ...bought] = await Promise.all([
    creator.owner.calls(deleteAccount, { body }),
    creator.owner.calls(deleteAccount, { body }),
    creator.publisher.calls(publishPost, { params: { postId: unpublished.id } }),
    ...buyers.map(({ owner }) => owner.calls(createPurchase, { body: { postId }, idempotencyKey: randomUUID() })),
  ])
  deepEqual([first.status, second.status].toSorted(), [200, 401])
  ok([200, 401].includes(published.status), JSON.stringify(published.body))
  const opened = bought.filter(({ status }) => status === 201)
  ok(bought.every(({ status }) => status === 201 || status === 404))
  for (const { body: made } of opened) await pays(made.ephemeral_address.ephemeral_address, price)
  await world.runJobs()
  await checkAddresses()
  for (const [index, { status }] of bought.entries()) {
    const access = await buyers[index]!.owner.calls(getAccess, { params: { postId } })
    equal(access.status, status === 201 ? 200 : 404)
  }
  await market.passes(2 * 3_600 + 1)
  const { rows } = await world.services.pool.query(
    `SELECT count(*)::int AS public FROM posts WHERE status = 'published'`,
  )
  equal(rows[0].public, 0)
  await isClean(market)
})

test('the only administrator cannot leave, and of two one can', async (t) => {
  const world = await emptiedWorld(t)
  const one = await administrator(world)
  const refused = await deletes(world, one)
  deepEqual([refused.status, refused.body.code], [409, 'last-admin'])
  const two = await administrator(world)
  await world.advance(61)
  const codes = [await codeFor(world, one, 'deletion'), await codeFor(world, two, 'deletion')]
  const replies = await Promise.all(
    [one, two].map(({ owner, handle }, index) =>
      owner.calls(deleteAccount, { body: { handle, confirmation: { code: codes[index]! } } }),
    ),
  )
  deepEqual(replies.map(({ status }) => status).toSorted(), [200, 409])
  await world.runJobs()
  await world.advance(7_300)
  await world.runJobs()
})

test('the job goes on where it was killed, and an account that was not deleted is left alone', async (t) => {
  const world = await emptiedWorld(t)
  const author = await payable(await world.creator())
  const other = await payable(await world.creator())
  const theirs = await publish(other)
  for (let index = 0; index < 5; index += 1) {
    await comments(author, theirs.id, `Comment ${index}`)
    await draft(author.publisher, { title: `Draft ${index}` })
  }
  await world.runJobs()
  const { eraseAccount } = await import('./erase-account.job.ts')
  await eraseAccount.run(world.services, { accountId: other.accountId, isLastPass: true })
  equal((await world.stranger().calls(getPublicPost, { params: { postId: theirs.id } })).status, 200)
  equal((await deletes(world, author)).status, 200)
  let steps = 0
  for (const point of ['comment-erased', 'post-erased', 'discussion-erased']) {
    const killed = await stoppedAt(point, () =>
      eraseAccount.run(world.services, { accountId: author.accountId, isLastPass: false }),
    )
    steps += killed ? 1 : 0
  }
  await world.runJobs()
  await world.advance(7_300)
  await world.runJobs()
  const { rows } = await world.services.pool.query(
    `SELECT (SELECT count(*)::int FROM posts WHERE account_id = $1) AS posts,
      (SELECT count(*)::int FROM comments WHERE author_id = $1 AND content <> '') AS texts,
      (SELECT comment_count FROM post_figures WHERE post_id = $2) AS counted`,
    [author.accountId, theirs.id],
  )
  deepEqual(rows[0], { posts: 0, texts: 0, counted: 0 })
  equal(steps, 3)
})

/** Throws at a fault point, once, as if the process had died there. Returns whether it was reached. */
async function stoppedAt(point: string, run: () => Promise<void>): Promise<boolean> {
  armFaultPoints((name) => {
    if (name === point) throw new Error('killed')
  })
  try {
    await run()
    return false
  } catch {
    return true
  } finally {
    armFaultPoints(undefined)
  }
}

test('a subscriber list and a mailing under way end with the account', async (t) => {
  const world = await emptiedWorld(t)
  const author: Creator = await payable(await world.creator())
  const reader = await world.reader()
  await reader.owner.calls(subscribe, { params: { handle: author.handle }, body: {} })
  const code = await codeFor(world, author, 'deletion')
  await publish(author)
  const body = { handle: author.handle, confirmation: { code } }
  equal((await author.owner.calls(deleteAccount, { body })).status, 200)
  await world.runJobs()
  await world.advance(7_300)
  await world.runJobs()
  equal((await world.mailTo(reader.email)).length, 0)
  const { rows } = await world.services.pool.query('SELECT count(*)::int AS left FROM subscribers')
  equal(rows[0].left, 0)
})
