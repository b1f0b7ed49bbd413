import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { createGiftLink } from '@pennypost/contract/gift-links'
import { createPost, updatePost } from '@pennypost/contract/posts'
import { updateProfile } from '@pennypost/contract/profiles'
import { publishPost, withdrawPost } from '@pennypost/contract/publishing'
import { publicPostBySlug } from '../discovery/public-post-store.ts'
import { freeAgain } from '../posts/posts.fixture.ts'
import type { Creator } from '../test/people.ts'
import { readsOf, rowsRead } from '../test/rows-read.ts'
import type { World } from '../test/world.ts'
import {
  attributeOf,
  authorIn,
  authorOf,
  elementsOf,
  paid,
  paidMarker,
  publishes,
  textOf,
  visit,
} from './site-world.fixture.ts'

const retitles = async ({ publisher }: Creator, post: { id: string; updatedAt: string }, title: string) => {
  const reply = await publisher.calls(updatePost, {
    params: { postId: post.id },
    headers: { 'x-post-revision': post.updatedAt },
    body: { title },
  })
  equal(reply.status, 200, JSON.stringify(reply.body))
  return reply.body
}

const locationOf = async (world: World, path: string) => {
  const { status, headers } = await visit(world, path)
  return [status, headers.location]
}

test('a post is at the handle and the slug of its title, where it is the same page as at its id', async (t) => {
  const { world, author } = await authorIn(t)
  const post = await publishes(author, { title: 'Crème brûlée, again' })
  equal(post.slug, 'creme-brulee-again')
  const path = `/@${author.handle}/creme-brulee-again`
  const [byId, bySlug] = [await visit(world, `/posts/${post.id}`), await visit(world, path)]
  deepEqual([byId.status, bySlug.status], [200, 200])
  equal(bySlug.text, byId.text)
  deepEqual(bySlug.headers.etag, byId.headers.etag)
  ok(!bySlug.text.includes(paidMarker))
  equal((await visit(world, path, { 'if-none-match': bySlug.headers.etag! })).status, 304)
  const elements = elementsOf(bySlug.text)
  const attributeWith = (attribute: string, value: string, wanted: string) =>
    attributeOf(
      elements.find((found) => attributeOf(found, attribute) === value),
      wanted,
    )
  equal(attributeWith('rel', 'canonical', 'href'), world.origin + path)
  equal(attributeWith('property', 'og:url', 'content'), world.origin + path)
  const facts = JSON.parse(textOf(elements.find((found) => attributeOf(found, 'type') === 'application/ld+json')))
  deepEqual(
    [facts['@id'], facts.url, facts.mainEntityOfPage],
    [`${world.origin}/posts/${post.id}`, world.origin + path, world.origin + path],
  )
  const markdown = await visit(world, path, { accept: 'text/markdown' })
  equal(markdown.headers.link, `<${world.origin}${path}>; rel="canonical"`)
  equal(markdown.text, (await visit(world, `/posts/${post.id}.md`)).text)
})

test('titles of other scripts stay readable; one without letters has a short id', async (t) => {
  const { world, author } = await authorIn(t)
  const deep = await publishes(author, { title: '深海 が' })
  equal(deep.slug, '深海-が')
  equal((await visit(world, `/@${author.handle}/${encodeURIComponent('深海-が')}`)).status, 200)
  // The same letters, spelled in pieces.
  deepEqual(await locationOf(world, `/@${author.handle}/${encodeURIComponent('深海-が'.normalize('NFD'))}`), [
    301,
    `/@${author.handle}/${encodeURIComponent('深海-が')}`,
  ])
  const engine = await publishes(author, { title: '🚂' })
  equal(engine.slug, engine.id.slice(0, 8))
  equal((await visit(world, `/@${author.handle}/${engine.slug}`)).status, 200)
})

test('an author has each slug once; another author may have it too', async (t) => {
  const { world, author } = await authorIn(t)
  const posts = []
  for (let count = 0; count < 6; count += 1) posts.push(await publishes(author, { title: 'Notes' }))
  deepEqual(
    posts.map(({ slug }) => slug),
    ['notes', 'notes-2', 'notes-3', 'notes-4', ...posts.slice(4).map(({ id }) => `notes-${id.slice(0, 8)}`)],
  )
  for (const { id, slug } of posts)
    match((await visit(world, `/@${author.handle}/${slug}`)).text, new RegExp(`data-post="${id}"`))
  const other = await authorOf(world)
  equal((await publishes(other, { title: 'Notes' })).slug, 'notes')
  // Saving the same title again keeps the number.
  equal((await retitles(author, posts[2], 'Notes')).slug, 'notes-3')
})

test('of two posts that get the same title at the same time, each has a slug', async (t) => {
  const { author } = await authorIn(t)
  const posts = []
  for (let count = 0; count < 4; count += 1) posts.push(await publishes(author, { title: `Draft title ${count}` }))
  const renamed = await Promise.all(posts.map((post) => retitles(author, post, 'Notes')))
  deepEqual(renamed.map(({ slug }) => slug).sort(), ['notes', 'notes-2', 'notes-3', 'notes-4'])
})

test('a new title moves the page, and the old slugs redirect to it', async (t) => {
  const { world, author } = await authorIn(t)
  const at = (slug: string) => `/@${author.handle}/${slug}`
  const first = await publishes(author, { title: 'First title' })
  const second = await retitles(author, first, 'Second title')
  const third = await retitles(author, second, 'Third title')
  equal((await visit(world, at('third-title'))).status, 200)
  for (const old of ['first-title', 'second-title', 'First-Title', 'THIRD-title'])
    deepEqual(await locationOf(world, at(old)), [301, at('third-title')], old)
  const redirect = await visit(world, at('first-title'))
  // Briefly, because the title may change back.
  equal(redirect.headers['cache-control'], 'public, max-age=30, must-revalidate')
  // The old slug stays with its post: a link must never lead to another one.
  equal((await publishes(author, { title: 'First title' })).slug, 'first-title-2')
  const back = await retitles(author, third, 'First title')
  equal(back.slug, 'first-title')
  deepEqual(await locationOf(world, at('third-title')), [301, at('first-title')])
})

test('drafts claim no slug, and a withdrawn post is gone at all its slugs until it is published again', async (t) => {
  const { world, author } = await authorIn(t)
  const { body: draft } = await author.publisher.calls(createPost, { body: { ...paid, title: 'Notes' } })
  const post = await publishes(author, { title: 'Notes' })
  deepEqual([draft.slug, post.slug], ['notes', 'notes'])
  const params = { postId: post.id }
  const { body: withdrawn } = await author.publisher.calls(withdrawPost, { params })
  const renamed = await retitles(author, withdrawn, 'Other notes')
  for (const slug of ['notes', 'other-notes', 'never'])
    equal((await visit(world, `/@${author.handle}/${slug}`)).status, 404, slug)
  const { body: again } = await author.publisher.calls(publishPost, { params })
  deepEqual([renamed.slug, again.slug], ['other-notes', 'other-notes'])
  deepEqual(await locationOf(world, `/@${author.handle}/notes`), [301, `/@${author.handle}/other-notes`])
  const { body: published } = await author.publisher.calls(publishPost, { params: { postId: draft.id } })
  equal(published.slug, 'notes-2')
})

test('a handle that changes takes its links along, until another author has it', async (t) => {
  const { world, author } = await authorIn(t, { handle: 'ada_before' })
  await publishes(author, { title: 'Notes', tags: ['Sea'] })
  const rename = async (person: Creator, handle: string) =>
    equal((await person.publisher.calls(updateProfile, { body: { handle } })).status, 200)
  await rename(author, 'ada_between')
  await rename(author, 'Ada_After')
  equal((await visit(world, '/@Ada_After/notes')).status, 200)
  for (const old of ['ada_before', 'ADA_BEFORE', 'ada_between', 'ada_after']) {
    deepEqual(await locationOf(world, `/@${old}/notes`), [301, '/@Ada_After/notes'], old)
    deepEqual(await locationOf(world, `/@${old}`), [308, '/@Ada_After'], old)
    deepEqual(await locationOf(world, `/@${old}/feed.xml`), [308, '/@Ada_After/feed.xml'], old)
    deepEqual(await locationOf(world, `/@${old}/tags/sea`), [308, '/@Ada_After/tags/sea'], old)
  }
  const other = await authorOf(world, { handle: 'ada_before' })
  equal((await visit(world, '/@ada_before/notes')).status, 404)
  match((await visit(world, '/@ada_before')).text, new RegExp(`${other.handle}`))
  await publishes(other, { title: 'Notes' })
  equal((await visit(world, '/@ada_before/notes')).status, 200)
})

test('a reader who never published leaves no trace of an old handle', async (t) => {
  const { world } = await authorIn(t)
  const reader = await world.creator({ handle: 'silent_before' })
  equal((await reader.publisher.calls(updateProfile, { body: { handle: 'silent_after' } })).status, 200)
  equal((await visit(world, '/@silent_before')).status, 404)
})

test('a post keeps its last fifty slugs', async (t) => {
  const { world, author } = await authorIn(t)
  let post = await publishes(author, { title: 'Title 0' })
  for (let count = 1; count <= 52; count += 1) post = await retitles(author, post, `Title ${count}`)
  const { rows } = await world.services.pool.query('SELECT slug FROM post_slugs WHERE post_id = $1', [post.id])
  equal(rows.length, 50)
  ok(rows.some(({ slug }) => slug === 'title-52') && !rows.some(({ slug }) => slug === 'title-0'))
  equal((await visit(world, `/@${author.handle}/title-52`)).status, 200)
})

test('a gift link opens the post at its slug too, and survives the redirect', async (t) => {
  const { world, author } = await authorIn(t)
  const post = await publishes(author, { title: 'First title' })
  const { giftLink } = (await author.owner.calls(createGiftLink, { params: { postId: post.id } })).body
  await retitles(author, post, 'Second title')
  const redirect = await visit(world, `/@${author.handle}/first-title?gift=${giftLink.token}`)
  equal(redirect.status, 301)
  equal(redirect.headers.location, `/@${author.handle}/second-title?gift=${giftLink.token}`)
  equal(redirect.headers['cache-control'], 'private, no-store')
  const opened = await visit(world, redirect.headers.location!)
  ok(opened.text.includes(paidMarker))
  equal(opened.headers['cache-control'], 'private, no-store')
  for (const gift of ['', '?gift=', '?gift=wrong'])
    ok(!(await visit(world, `/@${author.handle}/second-title${gift}`)).text.includes(paidMarker), gift)
})

test('lists, feeds and the sitemap link to the canonical URL; the API names it beside the permanent one', async (t) => {
  const { world, author } = await authorIn(t, {}, { isolation: 'emptied' })
  const post = await publishes(author, { ...freeAgain, title: 'First title', tags: ['Sea'] })
  const other = await publishes(author, { ...freeAgain, title: 'Another', tags: ['Sea'] })
  const path = `/@${author.handle}/first-title`
  for (const list of ['/', `/@${author.handle}`, `/@${author.handle}/tags/sea`, '/tags/sea']) {
    const links = elementsOf((await visit(world, list)).text).map((found) => attributeOf(found, 'href'))
    ok(links.includes(path), list)
    ok(!links.some((link) => link?.startsWith('/posts/')), list)
  }
  for (const file of ['/feed.xml', '/atom.xml', '/feed.json', '/sitemaps/posts-1.xml'])
    ok((await visit(world, file)).text.includes(`${world.origin}${path}`), file)
  ok((await visit(world, '/atom.xml')).text.includes(`href="${world.origin}/posts/${post.id}.md"`))
  for (const url of [`/api/posts/${post.id}`, '/api/posts', `/api/posts/${other.id}/related`])
    ok((await visit(world, url)).text.includes(`"pageUrl":"${world.origin}${path}"`), url)
  equal(JSON.parse((await visit(world, `/api/posts/${post.id}`)).text).contentUrl, `${world.origin}/posts/${post.id}`)
})

test('finding a post by its slug reads a handful of rows, however many posts, old slugs and accounts there are', async (t) => {
  const { world, author } = await authorIn(t, {}, { isolation: 'own' })
  const { pool } = world.services
  await publishes(author, { title: 'Needle' })
  await pool.query(
    `INSERT INTO posts (id, account_id, status, slug, title, renderer_version, created_at, updated_us, published_at)
     SELECT gen_random_uuid(), $1, 'published', 'p' || n, 'Post', 1, now(), n, now() FROM generate_series(1, 3000) n`,
    [author.accountId],
  )
  // With ids before the author's. If that one were among the first, PostgreSQL would read these in order up to it, which is as good.
  await pool.query(
    `INSERT INTO accounts (id, name, handle, created_at)
     SELECT lpad(to_hex(n), 32, '0')::uuid, 'Name', 'z' || n, now() FROM generate_series(1, 3000) n`,
  )
  await pool.query('VACUUM ANALYZE posts, post_slugs, accounts')
  // The handle, the slug, the post, its card, its author, profile, address, figures and tags.
  const reads = await readsOf(pool, publicPostBySlug, [author.handle, 'needle'])
  const read = reads.reduce((sum, { rows }) => sum + rows, 0)
  ok(read >= 4 && read <= 9, JSON.stringify(reads))
  equal(await rowsRead(pool, publicPostBySlug, ['nobody_here', 'needle']), 0)
})
