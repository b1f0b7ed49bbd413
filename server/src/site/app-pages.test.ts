import { deepEqual, equal, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { adminSections, earningsSections, settingsSections } from '@pennypost/contract/app-pages'
import { addComment, deleteComment } from '@pennypost/contract/comments'
import { updateFollow } from '@pennypost/contract/follows'
import { updateProfile } from '@pennypost/contract/profiles'
import { rowsRead } from '../test/rows-read.ts'
import { sharedWorld } from '../test/world.ts'
import { pageComments } from './page-comment-store.ts'
import { attributeOf, authorIn, elementsOf, markupErrors, publishes, textOf, visit } from './site-world.fixture.ts'

test('every page for signed-in readers is the same for everyone, and hidden from search engines', async (t) => {
  const world = await sharedWorld(t)
  const { pair } = await world.reader()
  const cookie = `pennypost=${pair.accessToken}~${pair.refreshToken}`
  const paths = [
    ...[
      '/sign-in',
      '/join',
      '/notifications',
      '/following',
      '/library',
      '/studio',
      '/studio/gift-links',
      '/studio/subscribers',
      '/studio/statistics',
      '/studio/series',
      '/claim',
      '/admin',
      '/offline',
    ],
    ...[`/studio/posts/${randomUUID()}`, `/studio/posts/${randomUUID()}/statistics`, `/library/${randomUUID()}`],
    ...settingsSections.map((section) => `/settings/${section}`),
    ...earningsSections.map((section) => `/studio/earnings/${section}`),
    ...adminSections.map((section) => `/admin/${section}`),
  ]
  for (const path of paths) {
    const { status, text, headers } = await visit(world, path)
    equal(status, 200, path)
    deepEqual(markupErrors(text), [], path)
    equal((await visit(world, path, { cookie })).text, text, path)
    ok(
      elementsOf(text).some((found) => attributeOf(found, 'content') === 'noindex'),
      path,
    )
    const policy = headers['content-security-policy']!
    ok(policy.includes("script-src 'self'") && policy.includes("require-trusted-types-for 'script'"), path)
    ok(!policy.includes('unsafe'), path)
  }
  for (const path of [
    '/settings/nothing',
    '/admin/nothing',
    '/studio/posts/nothing',
    '/studio/posts/nothing/statistics',
    '/studio/earnings/nothing',
    '/settings/',
    '/library/nothing',
  ])
    equal((await visit(world, path, { accept: 'text/html' })).status, 404, path)
  for (const [path, first] of [
    ['/settings', '/settings/profile'],
    ['/studio/earnings', '/studio/earnings/overview'],
  ] as const) {
    const { status, headers } = await visit(world, path)
    deepEqual([status, headers.location], [308, first])
  }
})

test('the leaderboard page has who leads, by what they have, in pages', async (t) => {
  const { world, author } = await authorIn(t, { name: 'Ada L', handle: 'ada_l' })
  ok((await visit(world, '/leaderboards')).text.includes('Nobody is here yet.'))
  const reader = await world.reader()
  await reader.owner.calls(updateFollow, { params: { creatorId: author.accountId }, body: { following: true } })
  await world.runJobs()
  const { text } = await visit(world, '/leaderboards?board=creators_followers')
  deepEqual(markupErrors(text), [])
  const [row] = elementsOf(text).filter((found) => attributeOf(found, 'data-item') !== undefined)
  ok(/1.*Ada L.*1 follower$/s.test(textOf(row).trim()), textOf(row))
  for (const board of ['creators_sales', 'creators_earnings', 'supporters'])
    equal((await visit(world, `/leaderboards?board=${board}`)).status, 200, board)
  equal((await visit(world, '/leaderboards?board=sideways')).status, 400)
})

test('the page of a Post has its comments: threads with their answers, mentions that lead to people, deleted ones empty', async (t) => {
  const { world, author } = await authorIn(t, { name: 'Ada L', handle: 'ada_l' }, { isolation: 'emptied' })
  const post = await publishes(author)
  const reader = await world.reader({ name: 'Tom <b>', handle: 'tom_b' })
  const say = async (content: string, more: object = {}) =>
    (
      await reader.owner.calls(addComment, {
        params: { postId: post.id },
        idempotencyKey: randomUUID(),
        body: { content, ...more },
      })
    ).body
  const root = await say('Hello @ada_l and <script>', { mentions: [{ profileId: author.accountId, handle: 'ada_l' }] })
  await say('Another thread for @constructor and @nobody')
  await say('An answer', { parentCommentId: root.id })
  const regretted = await say('Regretted')
  await reader.owner.calls(deleteComment, { params: { commentId: regretted.id } })
  await author.publisher.calls(updateProfile, { body: { handle: 'ada_k' } })
  await world.runJobs()
  const { text } = await visit(world, `/posts/${post.id}`)
  deepEqual(markupErrors(text), [])
  const words = elementsOf(text)
    .filter((found) => attributeOf(found, 'class') === 'comment-text')
    .map(textOf)
  deepEqual(words, [
    'Hello @ada_l and <script>',
    'An answer',
    'Another thread for @constructor and @nobody',
    'This comment was deleted.',
  ])
  // Where she is now; and nowhere for whom nobody meant.
  const links = elementsOf(text).filter((found) => textOf(found).startsWith('@') && found.tagName === 'a')
  deepEqual(
    links.map((link) => [attributeOf(link, 'href'), textOf(link)]),
    [['/@ada_k', '@ada_l']],
  )
  ok(text.includes('Tom &lt;b&gt;'))
})

test('a page with many comments reads those it shows, their authors and whom they mention', async (t) => {
  const { world, author } = await authorIn(t)
  const { pool } = world.services
  const { id } = await publishes(author)
  await pool.query(
    `INSERT INTO accounts SELECT (jsonb_populate_record(account, jsonb_build_object('id', gen_random_uuid(),
       'handle', 'somebody-' || n, 'email', NULL, 'email_confirmed_at', NULL))).*
     FROM accounts account, generate_series(1, 500) n WHERE account.id = $1`,
    [author.accountId],
  )
  await pool.query(
    `INSERT INTO comments (id, post_id, author_id, thread_root_id, content, mentions, created_at)
     SELECT made.id, $1, $2, made.id, 'said', jsonb_build_array(jsonb_build_object('profileId', $2::uuid, 'handle', 'ana')),
       timestamptz '2030-01-01' + made.n * interval '1 second'
     FROM (SELECT gen_random_uuid() AS id, n FROM generate_series(1, 5000) n) made`,
    [id, author.accountId],
  )
  await pool.query('ANALYZE comments, accounts')
  // Four rows per comment: the comment, its author, their profile and whom it mentions.
  ok((await rowsRead(pool, pageComments, [id, 21])) <= 21 * 4)
  await pool.query('INSERT INTO post_figures (post_id, comment_count) VALUES ($1, 5000)', [id])
  const { text } = await visit(world, `/posts/${id}`)
  equal(elementsOf(text).filter((found) => attributeOf(found, 'class') === 'comment').length, 20)
  // The rest is behind a button.
  ok(elementsOf(text).some((found) => attributeOf(found, 'data-more-comments') !== undefined))
})

test('a file of the site that does not exist is 404', async (t) => {
  const world = await sharedWorld(t)
  for (const file of ['main-AAAAAAAA.js', '../package.json', '..%2fpackage.json', 'manifest.json', 'main.js.br'])
    equal((await visit(world, `/assets/${file}`)).status, 404, file)
  const icon = await visit(world, '/favicon.svg')
  deepEqual([icon.status, icon.headers['content-type']], [200, 'image/svg+xml'])
})
