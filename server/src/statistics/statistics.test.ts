import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { getAccess } from '@pennypost/contract/access'
import { getPublicPost } from '@pennypost/contract/discovery'
import { listLibrary } from '@pennypost/contract/library'
import { getPost, listPosts, updatePost } from '@pennypost/contract/posts'
import {
  exportPostStatistics,
  exportStatistics,
  getPostStatistics,
  getStatistics,
  type PostStatistics,
  type Statistics,
} from '@pennypost/contract/statistics'
import { sessionCookie } from '../accounts/session-cookie.ts'
import { comments } from '../discussion/discussion.fixture.ts'
import { auditBooks } from '../payments/audit/audit-books.ts'
import { arrives, creatorsIn, tipsWith } from '../payments/finance/finance.fixture.ts'
import { price, quotes, savesAddress, sells, xno } from '../payments/market.fixture.ts'
import { soldForUsdc } from '../payments/usdc-sale.fixture.ts'
import { freeAgain, paidPost, payable, publish } from '../posts/posts.fixture.ts'
import type { Creator, Reader } from '../test/people.ts'
import { nextAddress, type Person } from '../test/person.ts'
import { sharedWorld, type World } from '../test/world.ts'
import { deleteReaders } from './delete-readers.job.ts'
import { maxHosts } from './readers.ts'

interface Browser {
  readonly address?: string
  readonly from?: string
  readonly agent?: string
  readonly cookie?: string | undefined
}

/** Opens the page of a post as a browser does. Each is a new reader unless an address is given. */
async function opens(world: World, path: string, { address = nextAddress(), from, agent, cookie }: Browser = {}) {
  const headers = { ...(from && { referer: from }), ...(agent && { 'user-agent': agent }), ...(cookie && { cookie }) }
  const { statusCode } = await world.server.inject({ url: path, remoteAddress: address, headers })
  equal(statusCode, 200)
  return address
}

async function statisticsOf(world: World, { owner }: Reader, postId: string, query = {}): Promise<PostStatistics> {
  await world.services.readers.flush()
  const { status, body } = await owner.calls(getPostStatistics, { params: { postId }, query })
  equal(status, 200, JSON.stringify(body))
  return body
}

async function allOf(world: World, { owner }: Reader, query = {}): Promise<Statistics> {
  await world.services.readers.flush()
  const { status, body } = await owner.calls(getStatistics, { query })
  equal(status, 200, JSON.stringify(body))
  return body
}

const counted = async (world: World, author: Creator, postId: string) => {
  const { readers, paywallViews } = (await statisticsOf(world, author, postId)).totals
  return [readers, paywallViews]
}

const dayIn = (world: World, ago = 0): string =>
  new Date(world.services.clock.now().getTime() - ago * 86_400_000).toISOString().slice(0, 10)

const authorIn = async (world: World) => payable(await world.creator())

const noSales = { count: 0, grossAtomic: '0', commissionAtomic: '0', netAtomic: '0' }
const noTips = { count: 0, amountAtomic: '0' }
const nothing = {
  readers: 0,
  paywallViews: 0,
  sales: { count: 0, XNO: noSales, USDC: noSales },
  tips: { count: 0, XNO: noTips, USDC: noTips },
  conversion: { sales: 0, paywallViews: 0, percent: null },
}

test('a reader counts once for a post, and a paywall view once, in whichever order', async (t) => {
  const world = await sharedWorld(t)
  const author = await authorIn(world)
  const { id } = await publish(author, paidPost)
  deepEqual((await statisticsOf(world, author, id)).totals, nothing)
  const known = await opens(world, `/posts/${id}`)
  await opens(world, `/posts/${id}`, { address: known })
  await opens(world, `/posts/${id}.md`)
  deepEqual(await counted(world, author, id), [2, 2])
  await opens(world, `/posts/${id}`, { address: known })
  deepEqual(await counted(world, author, id), [2, 2])
  // The API shows the free part; the paywall comes later, in the same flush or in another one.
  const agent = world.stranger()
  await agent.calls(getPublicPost, { params: { postId: id } })
  deepEqual(await counted(world, author, id), [3, 2])
  equal((await agent.calls(getAccess, { params: { postId: id } })).status, 402)
  deepEqual(await counted(world, author, id), [3, 3])
  const other = world.stranger()
  await other.calls(getPublicPost, { params: { postId: id } })
  await other.calls(getAccess, { params: { postId: id } })
  await other.calls(getAccess, { params: { postId: id } })
  deepEqual(await counted(world, author, id), [4, 4])
  const { days, from, to } = await statisticsOf(world, author, id)
  deepEqual([from, to], [dayIn(world, 29), dayIn(world)])
  deepEqual(
    days.map(({ day, readers, paywallViews }) => [day, readers, paywallViews]),
    [[dayIn(world), 4, 4]],
  )
})

test('the paywall is seen by those who have no access to a paid post', async (t) => {
  const world = await sharedWorld(t)
  const author = await authorIn(world)
  const free = await publish(author)
  await opens(world, `/posts/${free.id}`)
  deepEqual(await counted(world, author, free.id), [1, 0])
  const { id, updatedAt } = await publish(author, paidPost)
  const visits = async (person: Reader) => {
    const cookie = sessionCookie(world.origin, person.pair).split(';')[0]
    await opens(world, `/posts/${id}`, { address: person.owner.address, cookie })
  }
  const reader = await world.reader()
  await visits(author)
  await visits(reader)
  deepEqual(await counted(world, author, id), [2, 0])
  equal((await author.owner.calls(getAccess, { params: { postId: id } })).status, 200)
  deepEqual(await counted(world, author, id), [2, 0])
  // The page asks whether its reader has bought it.
  await reader.owner.calls(listLibrary, { query: { post_id: id } })
  await reader.owner.calls(listLibrary, {})
  deepEqual(await counted(world, author, id), [2, 1])
  // It was seen while it was for sale, but it is no longer for sale when that is stored.
  await opens(world, `/posts/${id}`)
  const headers = { 'x-post-revision': updatedAt }
  equal((await author.publisher.calls(updatePost, { params: { postId: id }, headers, body: freeAgain })).status, 200)
  deepEqual(await counted(world, author, id), [3, 1])
})

test('bots are no readers', async (t) => {
  const world = await sharedWorld(t)
  const author = await authorIn(world)
  const { id } = await publish(author, paidPost)
  await opens(world, `/posts/${id}`, { agent: 'Mozilla/5.0 (compatible; Googlebot/2.1)' })
  await opens(world, `/posts/${id}.md`, { agent: 'SomeCrawler' })
  deepEqual(await counted(world, author, id), [0, 0])
  await opens(world, `/posts/${id}`, { agent: 'Mozilla/5.0 Firefox/128.0' })
  deepEqual(await counted(world, author, id), [1, 1])
})

test('a household with IPv6 is one reader, whatever addresses it takes', async (t) => {
  const world = await sharedWorld(t)
  const author = await authorIn(world)
  const { id } = await publish(author)
  for (let n = 1; n < 6; n += 1) await opens(world, `/posts/${id}`, { address: `2001:db8:77:1::${n}` })
  await opens(world, `/posts/${id}`, { address: '2001:db8:78:2::1' })
  deepEqual(await counted(world, author, id), [2, 0])
})

test('a customer with many IPv6 networks is at most 32 readers, and a row for each', async (t) => {
  const world = await sharedWorld(t)
  const author = await authorIn(world)
  const { id } = await publish(author, paidPost)
  const visit = { userAgent: undefined, referrer: undefined, cookie: undefined }
  const { readers, pool } = world.services
  for (let network = 0; network < 1_000; network += 1)
    readers.note(id, { ip: `2001:db8:79:${network.toString(16)}::1`, visit, sawPaywall: true })
  // With so many, each of the 32 has some.
  deepEqual(await counted(world, author, id), [32, 32])
  const { rows } = await pool.query('SELECT count(*)::int AS count FROM post_readers WHERE post_id = $1', [id])
  deepEqual(rows, [{ count: 32 }])
  readers.note(id, { ip: '2001:db8:7a:1::1', visit })
  readers.note(id, { ip: '::ffff:192.0.2.1', visit })
  readers.note(id, { ip: '192.0.2.1', visit })
  deepEqual(await counted(world, author, id), [34, 32])
})

test('referring hosts are counted by readers; a table that someone fills has a limit', async (t) => {
  const world = await sharedWorld(t)
  const author = await authorIn(world)
  const { id } = await publish(author)
  const path = `/posts/${id}`
  for (let n = 0; n < 3; n += 1) await opens(world, path, { from: 'https://news.example.org/item?id=1' })
  await opens(world, path)
  const known = await opens(world, path, { from: 'https://blog.example/x' })
  await opens(world, path, { address: known, from: 'https://elsewhere.example/' })
  deepEqual((await statisticsOf(world, author, id)).referrers, [
    { host: 'news.example.org', readers: 3 },
    { host: null, readers: 1 },
    { host: 'blog.example', readers: 1 },
  ])
  for (let n = 0; n < 40; n += 1) await opens(world, path, { from: `https://spam${n}.example/` })
  await world.services.readers.flush()
  for (let n = 40; n < 60; n += 1) await opens(world, path, { from: `https://spam${n}.example/` })
  await opens(world, path, { from: 'https://news.example.org/' })
  const { referrers, totals } = await statisticsOf(world, author, id)
  // The known ones still count, and with the unknown and the others nobody is lost.
  deepEqual(referrers[0], { host: 'news.example.org', readers: 4 })
  equal(referrers.length, maxHosts + 2)
  deepEqual(referrers.at(-1), { host: 'other', readers: 60 - (maxHosts - 2) })
  equal(
    referrers.reduce((sum, { readers }) => sum + readers, 0),
    totals.readers,
  )
  const { rows } = await world.services.pool.query(
    'SELECT count(*)::int AS count FROM post_referrers WHERE post_id = $1',
    [id],
  )
  deepEqual(rows, [{ count: maxHosts + 2 }])
})

test('processes that store at the same moment keep no more hosts, and count everyone', async (t) => {
  const world = await sharedWorld(t)
  const author = await authorIn(world)
  const { id } = await publish(author)
  const { countReaders } = await import('./readers.ts')
  const processes = Array.from({ length: 4 }, () => countReaders(world.services))
  for (const [number, { note }] of processes.entries())
    for (let n = 0; n < 30; n += 1) {
      const visit = { userAgent: undefined, referrer: `https://p${number}-${n}.example/`, cookie: undefined }
      note(id, { ip: `198.51.${number}.${n}`, visit })
    }
  await Promise.all(processes.map(({ flush }) => flush()))
  for (const { stop } of processes) await stop()
  const { totals, referrers } = await statisticsOf(world, author, id)
  equal(totals.readers, 120)
  equal(referrers.length, maxHosts + 1)
})

test('an address is another reader in another month, also to a process that has just seen it', async (t) => {
  const world = await sharedWorld(t)
  const author = await authorIn(world)
  const { id } = await publish(author)
  const { countReaders } = await import('./readers.ts')
  let month = '2026-05'
  const now = () => new Date(`${month}-10T12:00:00Z`)
  const readers = countReaders({ ...world.services, clock: { ...world.services.clock, now } })
  const visit = { userAgent: undefined, referrer: undefined, cookie: undefined }
  const visits = async () => {
    for (const ip of ['198.51.100.7', '198.51.100.7', '198.51.100.8', '2001:db8:80:1::1', '2001:db8:80:1::2'])
      readers.note(id, { ip, visit })
    await readers.flush()
    const { rows } = await world.services.pool.query('SELECT reader FROM post_readers WHERE post_id = $1', [id])
    return rows.length
  }
  equal(await visits(), 3)
  equal(await visits(), 3)
  month = '2026-06'
  equal(await visits(), 6)
  await readers.stop()
})

test('readers that cannot be stored are kept for the next time, and none counts twice', async (t) => {
  const world = await sharedWorld(t)
  const author = await authorIn(world)
  const { id } = await publish(author)
  const { services } = world
  let failures = 1
  const db = new Proxy(services.db, {
    get(target, name) {
      // The second batch fails once.
      if (name !== 'transaction' || failures++ !== 2) return Reflect.get(target, name).bind(target)
      return () => ({ execute: () => Promise.reject(new Error('away')) })
    },
  })
  const { countReaders } = await import('./readers.ts')
  const readers = countReaders({ ...services, db })
  const visit = { userAgent: undefined, referrer: undefined, cookie: undefined }
  for (let n = 0; n < 600; n += 1) readers.note(id, { ip: `198.18.${n >> 8}.${n & 255}`, visit })
  await rejects(readers.flush(), /away/)
  await readers.flush()
  await readers.stop()
  deepEqual(await counted(world, author, id), [600, 0])
})

test('a process that stops while readers are being stored stores them all first', async (t) => {
  const world = await sharedWorld(t)
  const author = await authorIn(world)
  const { id } = await publish(author)
  const { countReaders } = await import('./readers.ts')
  const readers = countReaders(world.services)
  const visit = { userAgent: undefined, referrer: undefined, cookie: undefined }
  for (let n = 0; n < 600; n += 1) readers.note(id, { ip: `198.18.${n >> 8}.${n & 255}`, visit })
  const flushed = readers.flush()
  readers.note(id, { ip: '198.18.9.9', visit })
  await readers.stop()
  deepEqual(await counted(world, author, id), [601, 0])
  await flushed
})

test('sales and tips are told apart, exact, by asset, day and post, and agree with the books', async (t) => {
  const { world, ada, bob, adasPost, bobsPost } = await creatorsIn(t)
  const { postId } = adasPost
  await arrives(world, (await quotes(bob, postId)).address, price)
  await soldForUsdc(world, postId, ada.accountId, 250_000n)
  await tipsWith(world, bob, adasPost, xno)
  await tipsWith(world, bob, adasPost, xno + 1n)
  for (let n = 0; n < 3; n += 1) await opens(world, `/posts/${postId}`, { from: 'https://news.example.org/' })
  const second = await sells(ada, { title: 'On wheels' })
  await opens(world, `/posts/${second}`)
  // A tip to a comment under another author's post is not about one's own posts.
  await savesAddress(ada, 'nano_1111111111111111111111111111111111111111111111111111hifc8npp')
  const { id: commentId } = await comments(ada, bobsPost.postId, 'well said')
  await tipsWith(world, bob, { commentId }, xno)

  const first = {
    readers: 3,
    paywallViews: 3,
    sales: {
      count: 2,
      XNO: {
        count: 1,
        grossAtomic: String(price),
        commissionAtomic: String(price / 20n),
        netAtomic: String(price - price / 20n),
      },
      USDC: { count: 1, grossAtomic: '250000', commissionAtomic: '0', netAtomic: '250000' },
    },
    tips: { count: 2, XNO: { count: 2, amountAtomic: String(2n * xno + 1n) }, USDC: noTips },
    conversion: { sales: 2, paywallViews: 3, percent: '66.67' },
  }
  const ofPost = await statisticsOf(world, ada, postId)
  deepEqual(ofPost, {
    postId,
    title: 'On engines',
    from: dayIn(world, 29),
    to: dayIn(world),
    totals: first,
    days: [{ day: dayIn(world), ...first }],
    referrers: [{ host: 'news.example.org', readers: 3 }],
  })
  const all = await allOf(world, ada)
  deepEqual(
    all.posts.map(({ postId: id, title, readers }) => [id, title, readers]),
    [
      [postId, 'On engines', 3],
      [second, 'On wheels', 1],
    ],
  )
  deepEqual(all.posts[0], { postId, title: 'On engines', ...first })
  equal(all.postCount, 2)
  deepEqual(all.totals, {
    ...first,
    readers: 4,
    paywallViews: 4,
    conversion: { sales: 2, paywallViews: 4, percent: '50.00' },
  })
  deepEqual(all.days, [{ day: dayIn(world), ...all.totals }])
  deepEqual(all.referrers, [
    { host: 'news.example.org', readers: 3 },
    { host: null, readers: 1 },
  ])
  deepEqual((await allOf(world, bob)).totals.sales.count, 0)
  const audit = () => auditBooks(world.services.db, world.services.clock.now())
  deepEqual(await audit(), [])
  await world.services.pool.query('UPDATE earning_days SET tip_count = tip_count + 1 WHERE tip_count > 0')
  ok((await audit()).length > 0)
})

test('a publishing key sees the counts but no amounts', async (t) => {
  const { world, ada, bob, adasPost } = await creatorsIn(t)
  const { postId } = adasPost
  await arrives(world, (await quotes(bob, postId)).address, price)
  await tipsWith(world, bob, adasPost, xno)
  const amounts = /Atomic/
  for (const [endpoint, input] of [
    [getStatistics, {}],
    [getPostStatistics, { params: { postId } }],
  ] as const) {
    const { status, body } = await ada.publisher.sends(endpoint, input)
    equal(status, 200)
    deepEqual([body.totals.sales.count, body.totals.tips.count], [1, 1])
    equal(amounts.test(JSON.stringify(body)), false)
    ok(amounts.test(JSON.stringify((await ada.owner.sends(endpoint, input)).body)))
  }
  const csv = Buffer.from((await ada.publisher.calls(exportStatistics, {})).body).toString()
  match(csv, /,1,,,0,,,1,,\r\n$/)
})

test('statistics are for the author alone', async (t) => {
  const world = await sharedWorld(t)
  const [author, other] = [await authorIn(world), await authorIn(world)]
  const { id } = await publish(author)
  for (const endpoint of [getPostStatistics, exportPostStatistics]) {
    for (const person of [other.owner, other.publisher]) {
      const { status, body } = await person.sends(endpoint, { params: { postId: id } })
      deepEqual([status, body.code], [404, 'post-not-found'])
    }
    equal((await world.stranger().sends(endpoint, { params: { postId: id } })).status, 401)
  }
  for (const endpoint of [getStatistics, exportStatistics])
    equal((await world.stranger().sends(endpoint, {})).status, 401)
})

test('a period has 1 to 400 days and an end', async (t) => {
  const world = await sharedWorld(t)
  const author = await authorIn(world)
  const { id } = await publish(author)
  await opens(world, `/posts/${id}`)
  const periodOf = async (query: object) => {
    const { from, to, totals } = await statisticsOf(world, author, id, query)
    return [from, to, totals.readers]
  }
  const today = dayIn(world)
  deepEqual(await periodOf({}), [dayIn(world, 29), today, 1])
  deepEqual(await periodOf({ from: today, to: today }), [today, today, 1])
  deepEqual(await periodOf({ from: dayIn(world, 399) }), [dayIn(world, 399), today, 1])
  deepEqual(await periodOf({ to: dayIn(world, 1) }), [dayIn(world, 30), dayIn(world, 1), 0])
  deepEqual(await periodOf({ from: '2020-02-29', to: '2020-03-01' }), ['2020-02-29', '2020-03-01', 0])
  for (const query of [
    { from: dayIn(world, 400) },
    { from: today, to: dayIn(world, 1) },
    { from: '2026-02-30' },
    { to: 'today' },
    { from: '' },
    { to: '0000-01-01' },
    { from: '0001-01-01', to: '0001-01-02' },
  ])
    for (const endpoint of [getStatistics, getPostStatistics, exportStatistics, exportPostStatistics]) {
      const input = endpoint.path.includes('{') ? { params: { postId: id }, query } : { query }
      const { status, body } = await author.owner.sends(endpoint, input)
      deepEqual([status, body.code], [400, 'invalid-request'], `${endpoint.path} ${JSON.stringify(query)}`)
    }
})

const csvOf = async (
  person: Person,
  endpoint: typeof exportStatistics | typeof exportPostStatistics,
  input: object,
) => {
  const { status, body, headers } = await person.sends(endpoint, input as Record<string, unknown>)
  equal(status, 200)
  match(headers.get('content-type')!, /^text\/csv/)
  match(headers.get('content-disposition')!, /^attachment; filename="statistics-[0-9a-f-]+\.csv"$/)
  return Buffer.from(body).toString().split('\r\n')
}

test('the CSV has a line for each day and post', async (t) => {
  const { world, ada, bob, adasPost } = await creatorsIn(t)
  const { postId } = adasPost
  await arrives(world, (await quotes(bob, postId)).address, price)
  for (let n = 0; n < 3; n += 1) await opens(world, `/posts/${postId}`)
  await world.services.readers.flush()
  await world.services.pool.query('UPDATE post_days SET day = day - 2 WHERE post_id = $1', [postId])
  const [heading, ...lines] = await csvOf(ada.owner, exportStatistics, {})
  equal(
    heading,
    'day,post_id,readers,paywall_views,sales,conversion_percent,sales_xno,gross_xno,net_xno,sales_usdc,gross_usdc,net_usdc,tips,tips_xno,tips_usdc',
  )
  deepEqual(lines, [
    `${dayIn(world, 2)},${postId},3,3,0,0.00,0,0,0,0,0,0,0,0,0`,
    `${dayIn(world)},${postId},0,0,1,,1,0.25,0.2375,0,0,0,0,0,0`,
    '',
  ])
  deepEqual(await csvOf(ada.owner, exportPostStatistics, { params: { postId } }), [heading, ...lines])
  deepEqual(await csvOf(bob.owner, exportStatistics, {}), [heading, ''])
})

test('lists of own posts show what each has had', async (t) => {
  const world = await sharedWorld(t)
  const author = await authorIn(world)
  const { id } = await publish(author, paidPost)
  await opens(world, `/posts/${id}`)
  await world.services.readers.flush()
  await comments(await world.reader(), id, 'well said')
  const figures = { readers: 1, paywallViews: 1, sales: 0, comments: 1 }
  deepEqual((await author.publisher.calls(getPost, { params: { postId: id } })).body.figures, figures)
  const { body } = await author.publisher.calls(listPosts, { query: {} })
  deepEqual(body.data[0].figures, figures)
  await world.runJobs()
})

test('no address is stored, and hashes and hosts are deleted in time', async (t) => {
  const world = await sharedWorld(t)
  const author = await authorIn(world)
  const { id } = await publish(author)
  const address = await opens(world, `/posts/${id}`, { from: 'https://news.example.org/private?x=1' })
  await world.services.readers.flush()
  const { pool } = world.services
  const stored = await pool.query(
    `SELECT (SELECT jsonb_agg(r) FROM post_readers r WHERE post_id = $1) AS readers, (SELECT jsonb_agg(r) FROM post_referrers r WHERE post_id = $1) AS hosts`,
    [id],
  )
  const text = JSON.stringify(stored.rows)
  equal(text.includes(address), false)
  equal(text.includes('private'), false)
  const left = async () => {
    await deleteReaders.run(world.services, {})
    const { rows } = await pool.query(
      `SELECT (SELECT count(*)::int FROM post_readers WHERE post_id = $1) AS readers,
        (SELECT count(*)::int FROM post_referrers WHERE post_id = $1) AS hosts,
        (SELECT count(*)::int FROM post_days WHERE post_id = $1) AS days`,
      [id],
    )
    return rows[0]
  }
  deepEqual(await left(), { readers: 1, hosts: 1, days: 1 })
  await pool.query('UPDATE post_readers SET seen_on = seen_on - 63 WHERE post_id = $1', [id])
  await pool.query('UPDATE post_referrers SET day = day - 401 WHERE post_id = $1', [id])
  deepEqual(await left(), { readers: 0, hosts: 0, days: 1 })
})
