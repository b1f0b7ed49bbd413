import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { getPublicPost } from '@pennypost/contract/discovery'
import { createPost, updatePost } from '@pennypost/contract/posts'
import { declareAgent, updateProfile } from '@pennypost/contract/profiles'
import { withdrawPost } from '@pennypost/contract/publishing'
import { defaultSiteSettings, updateSiteSettings } from '@pennypost/contract/site-settings'
import { administrator, comments } from '../discussion/discussion.fixture.ts'
import { indexStalePosts } from '../posts/catalog/index-stale-posts.job.ts'
import {
  attributeOf,
  authorIn,
  authorOf,
  type Element,
  elementsOf,
  markupErrors,
  paid,
  publishes,
  textOf,
  visit,
} from './site-world.fixture.ts'

const titlesOn = (html: string) =>
  elementsOf(html)
    .filter((element) => element.tagName === 'a' && /^\/@\w+\/[^/.]+$/.test(attributeOf(element, 'href') ?? ''))
    .map(textOf)

test('the page of a paid Post shows its free part, how it was made and what the rest costs', async (t) => {
  const { world, author } = await authorIn(t, { name: 'Ada L' })
  const post = await publishes(author, { tags: ['Deep Sea'] })
  const { status, headers, text } = await visit(world, `/posts/${post.id}`)
  equal(status, 200)
  equal(headers['content-type'], 'text/html; charset=utf-8')
  equal(headers['ai-disclosure'], 'ai-assisted')
  equal(headers.vary, 'Accept, Accept-Encoding')
  equal(headers['cache-control'], 'public, max-age=30, must-revalidate')
  ok(!headers['content-security-policy']!.includes('unsafe'))
  const elements = elementsOf(text)
  const one = (name: string, attribute?: string, value?: string) =>
    elements.find(
      (found) => found.tagName === name && (!attribute || attributeOf(found, attribute)?.split(' ')[0] === value),
    )
  equal(textOf(one('h1')), 'On engines')
  equal(attributeOf(one('article'), 'lang'), 'en-GB')
  equal(textOf(one('p', 'class', 'disclosure')), 'Written by a human with the help of AI. The author adds: Spelling')
  equal(textOf(one('p', 'class', 'lead')), 'What they can do')
  ok(textOf(one('div', 'class', 'prose')).includes('Hello world'))
  const paywall = textOf(one('section', 'class', 'paywall'))
  ok(paywall.includes('0.25 XNO') && paywall.includes(`${world.origin}/api/posts/${post.id}/access`))
  equal(attributeOf(one('a', 'rel', 'author'), 'href'), `/@${author.handle}`)
  equal(attributeOf(one('a', 'rel', 'tag'), 'href'), `/@${author.handle}/tags/deep-sea`)
  equal(attributeOf(one('link', 'rel', 'canonical'), 'href'), `${world.origin}/@${author.handle}/on-engines`)
  equal(attributeOf(one('link', 'type', 'text/markdown'), 'href'), `/posts/${post.id}.md`)
  equal(attributeOf(one('link', 'type', 'application/rss+xml'), 'href'), `/@${author.handle}/feed.xml`)
  equal(attributeOf(one('meta', 'property', 'og:title'), 'content'), 'On engines')
  equal(attributeOf(one('time'), 'datetime'), post.publishedAt)
})

test('the paywall says how much is behind it, and the top of the page what it costs', async (t) => {
  const { world, author } = await authorIn(t)
  const post = await publishes(author, {
    paidContentMarkdown: 'Eleven years of *wind*.\n\n![A boat](image:boat)\n\nAnd one 灯台.',
  })
  const shown = async () => {
    const elements = elementsOf((await visit(world, `/posts/${post.id}`)).text)
    const textOfClass = (name: string) => textOf(elements.find((found) => attributeOf(found, 'class') === name))
    return { paywall: textOfClass('paywall'), price: textOfClass('price') }
  }
  const { paywall, price } = await shown()
  // The words of a picture's description are words of the text. The picture itself is not uploaded yet.
  match(paywall, /^Keep reading10 more words\. Pay once, keep it forever\./)
  equal(price, '$0.31 · 0.25 XNO')
  await world.services.pool.query(
    `INSERT INTO post_uploads (post_id, image_paths) VALUES ($1, '{"boat": "/boat.webp"}')
     ON CONFLICT (post_id) DO UPDATE SET image_paths = excluded.image_paths`,
    [post.id],
  )
  match((await shown()).paywall, /^Keep reading10 more words, 1 image\. Pay once/)
  const changed = { title: 'On engines', paidContentMarkdown: 'Wind.' }
  const headers = { 'x-post-revision': post.updatedAt }
  equal((await author.publisher.calls(updatePost, { params: { postId: post.id }, headers, body: changed })).status, 200)
  match((await shown()).paywall, /^Keep reading1 more word\. Pay once/)
})

test('the facts for search engines name author, language and disclosure, and say which part is not free', async (t) => {
  const { world, author } = await authorIn(t, { name: 'Ada L' })
  const factsOf = async (id: string) => {
    const { text } = await visit(world, `/posts/${id}`)
    const script = elementsOf(text).find((found) => attributeOf(found, 'type') === 'application/ld+json')
    return JSON.parse(textOf(script))
  }
  const facts = await factsOf((await publishes(author)).id)
  equal(facts['@type'], 'Article')
  equal(facts.author.name, 'Ada L')
  equal(facts.inLanguage, 'en-GB')
  equal(facts.isAccessibleForFree, false)
  deepEqual(facts.hasPart, { '@type': 'WebPageElement', isAccessibleForFree: false, cssSelector: '.paywall' })
  match(facts.digitalSourceType, /compositeWithTrainedAlgorithmicMedia$/)
  match(facts.creditText, /^Written by a human with the help of AI\./)
  const free = await factsOf((await publishes(author, { enablePaywall: false, creationMethod: 'human' })).id)
  deepEqual([free.isAccessibleForFree, free.hasPart], [true, undefined])
  // The only kinds of authors that search engines know.
  equal(free.author['@type'], 'Person')
  await author.publisher.calls(declareAgent, {})
  equal((await factsOf((await publishes(author)).id)).author['@type'], 'Organization')
})

test('AI-Disclosure says each way of making a Post, on the page, its twin and the API', async (t) => {
  const { world, author } = await authorIn(t)
  const expected = [
    ['human', 'none'],
    ['ai_assisted', 'ai-assisted'],
    ['ai_generated', 'ai-generated'],
    ['autonomous_agent', 'autonomous'],
  ]
  for (const [creationMethod, token] of expected) {
    const { id } = await publishes(author, { creationMethod })
    for (const path of [`/posts/${id}`, `/posts/${id}.md`])
      equal((await visit(world, path)).headers['ai-disclosure'], token)
    const reply = await world.stranger().calls(getPublicPost, { params: { postId: id } })
    equal(reply.headers.get('ai-disclosure'), token)
  }
})

test('drafts, withdrawn, unknown and malformed Posts are the same readable 404', async (t) => {
  const { world, author } = await authorIn(t)
  const { body: draft } = await author.publisher.calls(createPost, { body: paid })
  const withdrawn = await publishes(author)
  await author.publisher.calls(withdrawPost, { params: { postId: withdrawn.id } })
  const pages = []
  for (const id of [draft.id, withdrawn.id, randomUUID(), 'nonsense']) {
    const { status, headers, text } = await visit(world, `/posts/${id}`)
    equal(status, 404)
    equal(headers['content-type'], 'text/html; charset=utf-8')
    equal(headers['cache-control'], 'no-store')
    ok(headers['content-security-policy'])
    pages.push(text)
    const twin = await visit(world, `/posts/${id}.md`)
    deepEqual([twin.status, JSON.parse(twin.text).code], [404, 'post-not-found'])
  }
  deepEqual(new Set(pages).size, 1)
  equal(textOf(elementsOf(pages[0]!).find(({ tagName }) => tagName === 'h1')), 'Page not found')
})

test('an unknown address is a page for a browser and a problem for a program; below /api it is never a page', async (t) => {
  const { world } = await authorIn(t)
  const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
  match((await visit(world, '/nowhere', browser)).headers['content-type']!, /^text\/html/)
  match((await visit(world, '/nowhere')).headers['content-type']!, /^application\/problem\+json/)
  match((await visit(world, '/api/nowhere', browser)).headers['content-type']!, /^application\/json/)
  match((await visit(world, '/api/v1/nowhere', browser)).headers['content-type']!, /^application\/problem\+json/)
})

test('the Markdown twin has front matter and the free part, at its own address and for who asks for it', async (t) => {
  const { world, author } = await authorIn(t, { name: 'Ada L' })
  const post = await publishes(author, { title: 'A "quoted": title\\', tags: ['Sea'] })
  const twin = await visit(world, `/posts/${post.id}.md`)
  equal(twin.status, 200)
  equal(twin.headers['content-type'], 'text/markdown; charset=utf-8')
  const [, front, body] = /^---\n([\s\S]*?)\n---\n\n([\s\S]*)$/.exec(twin.text)!
  const facts = Object.fromEntries(
    front!.split('\n').map((line) => [line.slice(0, line.indexOf(':')), JSON.parse(line.slice(line.indexOf(':') + 1))]),
  )
  deepEqual(facts, {
    title: 'A "quoted": title\\',
    description: 'What they can do',
    author: 'Ada L',
    author_url: `${world.origin}/@${author.handle}`,
    url: `${world.origin}/@${author.handle}/a-quoted-title`,
    published: post.publishedAt,
    updated: facts.updated,
    language: 'en-GB',
    ai_disclosure: 'ai-assisted',
    ai_disclosure_words: 'Written by a human with the help of AI. The author adds: Spelling',
    tags: ['Sea'],
    price: '0.25 XNO',
    access_url: `${world.origin}/api/posts/${post.id}/access`,
  })
  ok(body!.startsWith(paid.freeContentMarkdown))
  const negotiated = await visit(world, `/posts/${post.id}`, { accept: 'text/markdown' })
  equal(negotiated.text, twin.text)
  deepEqual(
    [negotiated.headers['content-type'], negotiated.headers.vary],
    ['text/markdown; charset=utf-8', 'Accept, Accept-Encoding'],
  )
  const free = await publishes(author, { enablePaywall: false })
  match((await visit(world, `/posts/${free.id}.md`)).text, /\nprice: "free"\n/)
})

test('a page that a client has already is 304, until anything on it changes', async (t) => {
  const { world, author } = await authorIn(t)
  const post = await publishes(author)
  for (const path of [`/posts/${post.id}`, `/posts/${post.id}.md`, `/@${author.handle}`, '/']) {
    const { headers } = await visit(world, path)
    ok(headers.etag, path)
    const again = await visit(world, path, { 'if-none-match': `"other", ${headers.etag}` })
    deepEqual([again.status, again.text, again.headers.etag], [304, '', headers.etag], path)
    equal(again.headers['cache-control'], 'public, max-age=30, must-revalidate')
  }
  const before = (await visit(world, `/posts/${post.id}`)).headers.etag!
  const asMarkdown = await visit(world, `/posts/${post.id}`, { accept: 'text/markdown', 'if-none-match': before })
  equal(asMarkdown.status, 200)
  await author.publisher.calls(updatePost, {
    params: { postId: post.id },
    headers: { 'x-post-revision': post.updatedAt },
    body: { title: 'On other engines' },
  })
  equal((await visit(world, `/posts/${post.id}`, { 'if-none-match': before })).status, 200)
})

test('a creator page has the profile, the pinned Post first, then the newest, in pages', async (t) => {
  const { world, author } = await authorIn(t, { name: 'Ada L', handle: 'Ada_Love' })
  const posts = []
  for (let index = 0; index < 26; index += 1) {
    posts.push(await publishes(author, { title: `Post ${index}` }))
    await world.advance(60)
  }
  await author.publisher.calls(createPost, { body: { ...paid, title: 'A draft' } })
  const body = { bio: 'First line\nSecond line', pinnedPostId: posts[3].id }
  equal((await author.publisher.calls(updateProfile, { body })).status, 200)
  const first = await visit(world, '/@Ada_Love')
  equal(first.status, 200)
  const newest = Array.from({ length: 26 }, (_, index) => `Post ${25 - index}`).filter((title) => title !== 'Post 3')
  deepEqual(titlesOn(first.text), ['Post 3', ...newest.slice(0, 24)])
  ok(
    textOf(elementsOf(first.text).find((found) => attributeOf(found, 'class')?.split(' ')[0] === 'bio')).includes(
      'Second line',
    ),
  )
  const next = elementsOf(first.text).find((found) => attributeOf(found, 'rel') === 'next')
  const second = await visit(world, attributeOf(next, 'href')!)
  deepEqual(titlesOn(second.text), ['Post 0'])
  ok(!elementsOf(second.text).some((found) => attributeOf(found, 'rel') === 'next'))
  equal((await visit(world, '/@Ada_Love?page=0')).status, 400)
  equal((await visit(world, '/@Ada_Love?page=1999')).status, 400)
})

test('a handle in another case leads to its own spelling; nobody and who never chose a handle are 404', async (t) => {
  const { world, author } = await authorIn(t, { handle: 'Ada_Love' }, { isolation: 'emptied' })
  await publishes(author, { tags: ['Deep Sea'] })
  const expected = [
    ['/@ada_love', '/@Ada_Love'],
    ['/@ADA_LOVE?page=2', '/@Ada_Love?page=2'],
    ['/@ada_love/tags/deep-sea', '/@Ada_Love/tags/deep-sea'],
    ['/@Ada_Love/tags/Deep-Sea', '/@Ada_Love/tags/deep-sea'],
    ['/@ada_love/feed.xml', '/@Ada_Love/feed.xml'],
    ['/@ada_love/tags/deep-sea/feed.json', '/@Ada_Love/tags/deep-sea/feed.json'],
  ]
  for (const [from, to] of expected) {
    const { status, headers } = await visit(world, from!)
    deepEqual([status, headers.location], [308, to], from)
    equal((await visit(world, to!)).status, 200, to)
  }
  const fresh = await world.reader({ handle: 'somebody' })
  await world.services.pool.query('UPDATE accounts SET handle = $2 WHERE id = $1', [fresh.accountId, 'user_0a1b2c3d'])
  for (const path of ['/@nobody_here', '/@user_0a1b2c3d', '/@x', '/@', '/@nobody_here/tags/x']) {
    const { status, headers } = await visit(world, path)
    deepEqual([status, headers['content-type']], [404, 'text/html; charset=utf-8'], path)
  }
})

test('an account that published nothing has a page that search engines leave out', async (t) => {
  const { world, author } = await authorIn(t)
  const { status, text } = await visit(world, `/@${author.handle}`)
  equal(status, 200)
  ok(elementsOf(text).some((found) => attributeOf(found, 'content') === 'noindex'))
  await publishes(author)
  ok(!(await visit(world, `/@${author.handle}`)).text.includes('noindex'))
})

test('a collection has the published Posts of one tag; its id leads to it', async (t) => {
  const { world, author } = await authorIn(t)
  const other = await authorOf(world)
  const older = await publishes(author, { title: 'Older', tags: ['深海 Sea'] })
  await world.advance(60)
  await publishes(author, { title: 'Newer', tags: ['深海 sea', 'Other'] })
  await publishes(author, { title: 'Without' })
  await publishes(other, { title: 'Of another', tags: ['深海 Sea'] })
  const { body: draft } = await author.publisher.calls(createPost, { body: { ...paid, tags: ['Only drafts'] } })
  const [tag] = older.tags
  const redirect = await visit(world, `/tags/${tag.id}`)
  equal(redirect.status, 308)
  const path = redirect.headers.location!
  equal(world.origin + path, tag.collectionUrl)
  const { status, text } = await visit(world, path)
  equal(status, 200)
  deepEqual(titlesOn(text), ['Newer', 'Older'])
  for (const missing of [
    `/tags/${draft.tags[0].id}`,
    `/tags/${randomUUID()}`,
    '/tags/nonsense',
    `/@${author.handle}/tags/only-drafts`,
  ])
    equal((await visit(world, missing)).status, 404, missing)
})

test('the catalog page lists what is public, keeps what was asked in its form, and explains a bad filter', async (t) => {
  const { world, author } = await authorIn(t, {}, { isolation: 'emptied' })
  ok((await visit(world, '/')).text.includes('No posts yet'))
  await publishes(author, { title: 'First' })
  await world.advance(60)
  await publishes(author, { title: 'Second' })
  await author.publisher.calls(createPost, { body: { ...paid, title: 'A draft' } })
  deepEqual(titlesOn((await visit(world, '/')).text), ['Second', 'First'])
  const form = elementsOf((await visit(world, '/')).text).filter(({ tagName }) => ['input', 'select'].includes(tagName))
  const names = form.map((field) => attributeOf(field, 'name'))
  for (const name of ['q', 'access', 'author', 'category', 'language', 'has_attachments', 'max_price_raw', 'asset'])
    ok(names.includes(name), name)
  const asked = await visit(world, '/?q=%22engines%22&sort=newest&access=&category=&language=&max_price_raw=7&asset=')
  equal(asked.status, 200)
  const elements = elementsOf(asked.text)
  equal(
    attributeOf(
      elements.find((found) => attributeOf(found, 'name') === 'q'),
      'value',
    ),
    '"engines"',
  )
  const chosen = elements.filter((found) => found.tagName === 'option' && attributeOf(found, 'selected') !== undefined)
  ok(chosen.map((option) => attributeOf(option, 'value')).includes('7'))
  ok(asked.text.includes('noindex'))
  const refused = await visit(world, '/?sort=sideways')
  equal(refused.status, 400)
  ok(textOf(elementsOf(refused.text).find(({ tagName }) => tagName === 'ul')).startsWith('sort '))
})

const classesOn = (html: string) => elementsOf(html).flatMap((found) => attributeOf(found, 'class')?.split(' ') ?? [])
const linkTo = (html: string, href: string) =>
  elementsOf(html).find((found) => found.tagName === 'a' && attributeOf(found, 'href') === href)

test('the first page tells guests what the site is, unless it is filtered, sorted or not the first', async (t) => {
  const { world, author } = await authorIn(t, {}, { isolation: 'emptied' })
  const admin = await administrator(world)
  const empty = (await visit(world, '/')).text
  ok(classesOn(empty).includes('welcome') && !classesOn(empty).includes('tabs') && !classesOn(empty).includes('search'))
  equal(textOf(linkTo(empty, '/studio')), 'Write the first post')
  await publishes(author)
  const home = (await visit(world, '/')).text
  ok(!classesOn(home).includes('welcome'))
  const introduction = elementsOf(home).find((found) => attributeOf(found, 'class') === 'introduction guests-only')
  match(textOf(introduction), /^Read for free, or buy a single post for a few cents\./)
  equal(textOf(linkTo(home, '/studio')), 'Start writing')
  equal(textOf(linkTo(home, '/join')), 'Sign up')
  for (const path of ['/?q=engines', '/?access=paid', '/?sort=newest', '/?page=2', '/?q=nothingofthekind']) {
    const classes = classesOn((await visit(world, path)).text)
    ok(!classes.includes('introduction') && !classes.includes('welcome'), path)
  }
  const body = { description: 'Letters from <Oban>', registration: 'closed' as const }
  equal((await admin.owner.calls(updateSiteSettings, { body })).status, 200)
  const own = (await visit(world, '/')).text
  ok(own.includes('<p class="lead" dir="auto">Letters from &lt;Oban&gt;</p>'))
  equal(linkTo(own, '/join'), undefined)
})

test('a new site greets strangers and the person who installed it, and shows its administrator what to do', async (t) => {
  const { world } = await authorIn(t, {}, { isolation: 'emptied' })
  const admin = await administrator(world)
  const change = async (body: object) =>
    equal((await admin.owner.sends(updateSiteSettings, { body })).status, 200, JSON.stringify(body))
  await change({ name: defaultSiteSettings.name, registration: 'open' })
  const { pool } = world.services
  await pool.query('UPDATE accounts SET is_admin = false')
  const home = async () => {
    await world.advance(11)
    return (await visit(world, '/')).text
  }
  const unclaimed = await home()
  match(unclaimed, /Open the link that the service printed when it started/)
  equal(textOf(linkTo(unclaimed, '/studio')), 'Write the first post')
  equal(textOf(linkTo(unclaimed, '/join')), 'Sign up')
  const stepsIn = (html: string) => elementsOf(html).find((found) => attributeOf(found, 'class') === 'admins-only')
  match(textOf(stepsIn(unclaimed)), /^Set up your site/)
  await pool.query('UPDATE accounts SET is_admin = true WHERE id = $1', [admin.accountId])
  const isNamed = async () => {
    const step = elementsOf(await home()).find(({ tagName }) => tagName === 'ol')!
    return attributeOf(step.childNodes[0] as Element, 'class') === 'done'
  }
  ok(!(await home()).includes('the service printed'))
  equal(await isNamed(), false)
  await change({ name: 'The Gazette', registration: 'closed' })
  equal(await isNamed(), true)
  const closed = await home()
  match(closed, /Please come back later/)
  equal(linkTo(closed, '/join'), undefined)
  await change({ name: defaultSiteSettings.name, registration: 'open' })
})

test('authors and tags that match are among the results of a search, unless it is filtered or on a later page', async (t) => {
  const { world, author } = await authorIn(t, { name: 'Ada Windham', handle: 'ada_w' })
  await publishes(author, { title: 'On wind', tags: ['Wind Power'] })
  const { text } = await visit(world, '/?q=wind')
  equal(textOf(linkTo(text, '/tags/wind-power')), 'Wind Power')
  const authors = elementsOf(text).find((found) => attributeOf(found, 'aria-label') === 'Authors')
  match(textOf(authors), /Ada Windham$/)
  deepEqual(markupErrors(text), [])
  for (const path of ['/', '/?q=wind&access=paid', '/?q=wind&page=2', '/?q=nothingofthekind'])
    ok(!classesOn((await visit(world, path)).text).includes('other-results'), path)
})

test('cards show reading time and comments; on the page of their author they do not name the author again', async (t) => {
  const { world, author } = await authorIn(t, { name: 'Ada Lovelace' })
  const { id } = await publishes(author)
  const cardOn = async (path: string) => {
    const item = elementsOf((await visit(world, path)).text).find((found) => attributeOf(found, 'data-item') === '')
    return textOf(item)
  }
  const reader = await world.reader()
  await comments(reader, id, 'Well said.')
  await comments(reader, id, 'And again.')
  await indexStalePosts.run(world.services, {})
  await world.runJobs()
  await world.advance(11)
  match(await cardOn('/'), /Ada Lovelace, .* 20\d\d1 min read2 comments \$0\.31/)
  const profile = await cardOn(`/@${author.handle}`)
  match(profile, /1 min read2 comments/)
  ok(!profile.includes('Ada'))
})

test('the orders are links that keep the filters and have no empty parameters', async (t) => {
  const { world, author } = await authorIn(t)
  await publishes(author)
  const ordersOn = async (path: string) => {
    const { status, text } = await visit(world, path)
    equal(status, 200, path)
    const nav = elementsOf(text).find((found) => attributeOf(found, 'aria-label') === 'Order')
    const links = nav!.childNodes.filter((node) => 'tagName' in node)
    const current = links.filter((link) => attributeOf(link, 'aria-current') === 'page').map(textOf)
    return { links: links.map((link) => [textOf(link), attributeOf(link, 'href')]), current }
  }
  const tabs = [
    ['Recommended', '/'],
    ['New', '/?sort=newest'],
    ['Popular', '/?sort=popular'],
    ['Following', '/following'],
  ]
  deepEqual(await ordersOn('/?q=&access='), { links: tabs, current: ['Recommended'] })
  deepEqual(await ordersOn('/?sort=newest'), { links: tabs, current: ['New'] })
  deepEqual(await ordersOn('/?sort=recommended'), { links: tabs, current: ['Recommended'] })
  deepEqual(await ordersOn('/following'), { links: tabs, current: ['Following'] })
  deepEqual((await ordersOn('/?sort=price_asc')).current, ['Cheapest'])
  deepEqual((await ordersOn('/?access=paid')).links[1], ['New', '/?sort=newest&access=paid'])
  const { links, current } = await ordersOn('/?q=two%20words&category=&access=paid&sort=popular&page=2')
  deepEqual(links, [
    ['Best match', '/?q=two+words&access=paid'],
    ['New', '/?q=two+words&sort=newest&access=paid'],
    ['Popular', '/?q=two+words&sort=popular&access=paid'],
    ['Oldest', '/?q=two+words&sort=oldest&access=paid'],
    ['Cheapest', '/?q=two+words&sort=price_asc&access=paid'],
    ['Most expensive', '/?q=two+words&sort=price_desc&access=paid'],
  ])
  deepEqual(current, ['Popular'])
  // A search from this page keeps the order.
  const { text } = await visit(world, '/?sort=popular')
  const hidden = elementsOf(text).find((found) => attributeOf(found, 'type') === 'hidden')
  deepEqual([attributeOf(hidden, 'name'), attributeOf(hidden, 'value')], ['sort', 'popular'])
})

test('a card has the price of the post page, and a badge only if AI took part', async (t) => {
  const { world, author } = await authorIn(t, { name: 'Ada L' }, { isolation: 'emptied' })
  const posts = [
    await publishes(author, { tags: ['Sea'] }),
    await publishes(author, { tags: ['Sea'], priceCurrency: 'USDC', priceAtomic: '250000', creationMethod: 'human' }),
    await publishes(author, { tags: ['Sea'], enablePaywall: false, creationMethod: 'autonomous_agent' }),
  ]
  const partsOf = (html: string, name: string) =>
    elementsOf(html)
      .filter((found) => attributeOf(found, 'class')?.split(' ')[0] === name)
      .map(textOf)
  const onPages = []
  for (const { id } of posts) onPages.push(partsOf((await visit(world, `/posts/${id}`)).text, 'price')[0] ?? 'Free')
  equal(onPages[0], '$0.31 · 0.25 XNO')
  match(onPages[1]!, /^\$0\.25 · /)
  for (const path of ['/?sort=oldest', `/@${author.handle}`, `/@${author.handle}/tags/sea`, '/tags/sea']) {
    const { text } = await visit(world, path)
    deepEqual(partsOf(text, 'price').sort(), onPages.toSorted(), path)
    deepEqual(partsOf(text, 'badge').sort(), ['AI agent', 'AI-assisted'], path)
    // Pages of one author name the author only once.
    const bylines = elementsOf(text).filter((found) => attributeOf(found, 'rel') === 'author').length
    equal(bylines, path.startsWith('/@') ? 0 : 3, path)
  }
})

test('every page is markup without a fault, with one main part, one heading of the page and no id twice', async (t) => {
  const { world, author } = await authorIn(t)
  const post = await publishes(author, {
    tags: ['Sea'],
    freeContentMarkdown: 'Text[^1]\n\n- [x] done\n\n|a|\n|-|\n|b|\n\n[^1]: Note',
  })
  for (const path of [
    '/?sort=newest',
    `/posts/${post.id}`,
    `/@${author.handle}`,
    `/@${author.handle}/tags/sea`,
    '/posts/x',
  ]) {
    const { text } = await visit(world, path)
    deepEqual(markupErrors(text), [], path)
    const elements = elementsOf(text)
    for (const name of ['main', 'h1', 'title'])
      equal(elements.filter(({ tagName }) => tagName === name).length, 1, path)
    const ids = elements.flatMap((element) => attributeOf(element, 'id') ?? [])
    equal(new Set(ids).size, ids.length, path)
  }
})

test('the form of the catalog page filters as the API does', async (t) => {
  const { world, author } = await authorIn(t, {}, { isolation: 'emptied' })
  await publishes(author, { title: 'Paid whales', language: 'en' })
  await publishes(author, { title: 'Free whales', enablePaywall: false, language: 'de' })
  await publishes(author, { title: 'Free engines', enablePaywall: false, category: 'arts' })
  const expected: [string, string[]][] = [
    ['q=whales&access=free', ['Free whales']],
    ['access=paid&q=&category=', ['Paid whales']],
    ['category=arts', ['Free engines']],
    ['language=de', ['Free whales']],
    ['asset=XNO', ['Paid whales']],
    ['author=agent', []],
    [`max_price_raw=1${'0'.repeat(28)}&q=whales`, ['Free whales']],
  ]
  for (const [query, titles] of expected) deepEqual(titlesOn((await visit(world, `/?${query}`)).text), titles, query)
  for (const query of [
    'asset=USDC&network=nano-mainnet',
    'max_amount_atomic=1',
    'max_price_raw=x',
    'has_attachments=maybe',
  ])
    equal((await visit(world, `/?${query}`)).status, 400, query)
})

test('who opens the page or the twin of a Post is counted as its reader, once', async (t) => {
  const { world, author } = await authorIn(t)
  const { id } = await publishes(author)
  const open = (url: string, remoteAddress: string) => world.server.inject({ url, remoteAddress })
  await open(`/posts/${id}`, '192.0.2.1')
  await open(`/posts/${id}.md`, '192.0.2.1')
  await open(`/posts/${id}.md`, '192.0.2.2')
  await world.services.readers.flush()
  const { rows } = await world.services.pool.query('SELECT reader_count FROM post_figures WHERE post_id = $1', [id])
  deepEqual(rows, [{ reader_count: 2 }])
})
