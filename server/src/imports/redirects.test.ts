import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { startImport } from '@pennypost/contract/imports'
import { withdrawPost } from '@pennypost/contract/publishing'
import { payable } from '../posts/posts.fixture.ts'
import { emptiedWorld, sharedWorld, type World } from '../test/world.ts'
import { imports, oldPost, sends, startsImport } from './imports.fixture.ts'

const opens = async (world: World, url: string, method: 'GET' | 'HEAD' | 'POST' = 'GET') => {
  const { statusCode, headers } = await world.server.inject({ method, url, headers: { accept: 'text/html' } })
  return [statusCode, headers.location]
}

const admin = async (world: World) => {
  const author = await payable(await world.creator())
  await world.services.pool.query('UPDATE accounts SET is_admin = true WHERE id = $1', [author.accountId])
  return author
}

test('an old path leads to the post, under the handle of its author', async (t) => {
  const world = await sharedWorld(t)
  const author = await payable(await world.creator())
  const oldPaths = ['/2019/05/my-post/', '/my-post', '/über/é b'.replace(' ', '%20')]
  const { redirects, pagePath, postId } = await imports(author, { ...oldPost, oldPaths })
  const prefix = `/@${author.handle}`
  deepEqual(redirects, [`${prefix}/%C3%BCber/%C3%A9%20b`, `${prefix}/2019/05/my-post`, `${prefix}/my-post`])
  for (const path of ['/2019/05/my-post/', '/2019/05/my-post?utm=1', '/my-post', '/my-post/', '/%C3%BCber/%c3%a9%20b'])
    deepEqual((await opens(world, `${prefix}${path}`)).slice(0, 2), [301, pagePath], path)
  deepEqual(await opens(world, `${prefix}/2019/05/my-post`, 'HEAD'), [301, pagePath])
  equal((await opens(world, `${prefix}/2019/05/my-post`, 'POST'))[0], 404)
  // Without the handle it belongs to nobody.
  equal((await opens(world, '/2019/05/my-post'))[0], 404)
  const other = await world.creator()
  equal((await opens(world, `/@${other.handle}/2019/05/my-post`))[0], 404)
  await author.publisher.calls(withdrawPost, { params: { postId } })
  equal((await opens(world, `${prefix}/2019/05/my-post`))[0], 404)
})

test('a post keeps its page when another names its path as an old one', async (t) => {
  const world = await sharedWorld(t)
  const author = await payable(await world.creator())
  const importId = await startsImport(author)
  const first = await imports(author, { ...oldPost, slug: 'first', oldPaths: ['/shared'] }, importId)
  const second = await imports(
    author,
    { ...oldPost, sourceId: 'ghost:2', slug: 'second', oldPaths: ['/first', '/shared', '/tags/x', '/feed.xml'] },
    importId,
  )
  const prefix = `/@${author.handle}`
  equal((await opens(world, `${prefix}/first`))[0], 200)
  deepEqual(await opens(world, `${prefix}/shared`), [301, first.pagePath])
  equal((await opens(world, `${prefix}/feed.xml`))[0], 200)
  equal(second.redirects.includes(`${prefix}/shared`), false)
  // A second run without a path frees it.
  await imports(author, { ...oldPost, slug: 'first', oldPaths: [] }, importId)
  await imports(author, { ...oldPost, sourceId: 'ghost:2', slug: 'second', oldPaths: ['/shared'] }, importId)
  deepEqual(await opens(world, `${prefix}/shared`), [301, second.pagePath])
})

test('only an administrator claims paths without a handle, and never one that the site has', async (t) => {
  const world = await emptiedWorld(t)
  const author = await payable(await world.creator())
  const refused = await author.owner.sends(startImport, {
    body: { source: 'ghost', attested: true, claimSitePaths: true },
  })
  deepEqual([refused.status, refused.body.code], [403, 'admin-required'])

  const owner = await admin(world)
  const importId = await startsImport(owner, { claimSitePaths: true })
  const { pagePath, redirects } = await imports(
    owner,
    { ...oldPost, oldPaths: ['/2019/05/my-post/', '/my-post', '/search', '/api/v1/me'] },
    importId,
  )
  equal(redirects.includes('/my-post'), true)
  await world.advance(11)
  for (const path of ['/2019/05/my-post', '/my-post/', '/my-post?x=1'])
    deepEqual(await opens(world, path), [301, pagePath], path)
  equal((await opens(world, '/'))[0], 200)
  equal((await opens(world, '/api/v1/me'))[0], 401)
  equal((await opens(world, '/api/v1/nothing'))[0], 404)

  // The first to claim a path has it.
  const second = await admin(world)
  const later = await startsImport(second, { claimSitePaths: true })
  const result = await imports(second, { ...oldPost, oldPaths: ['/my-post'] }, later)
  deepEqual(result.redirects, [`/@${second.handle}/my-post`])
  deepEqual(await opens(world, '/my-post'), [301, pagePath])

  // A former administrator claims nothing.
  await world.services.pool.query('UPDATE accounts SET is_admin = false WHERE id = $1', [second.accountId])
  const demoted = await imports(second, { ...oldPost, sourceId: 'ghost:9', slug: 'nine', oldPaths: ['/nine'] }, later)
  deepEqual(demoted.redirects, [`/@${second.handle}/nine`])
})

test('what is no path is refused', async (t) => {
  const world = await sharedWorld(t)
  const author = await payable(await world.creator())
  const importId = await startsImport(author)
  const long = `/${'x'.repeat(300)}`
  for (const path of [
    'about',
    '',
    '/',
    '//evil.example',
    '/\\evil.example',
    '/a?b=1',
    '/a#b',
    '/a\nb',
    'https://a.example/b',
    long,
  ]) {
    const { status } = await sends(author, importId, { ...oldPost, oldPaths: [path] })
    equal(status, 422, path)
  }
  equal(
    (await sends(author, importId, { ...oldPost, oldPaths: Array.from({ length: 6 }, (_, n) => `/${n}a`) })).status,
    422,
  )
  for (const slug of ['', 'Upper', 'a--b', '-a', 'a/b', '..', 'a b', 'x'.repeat(201)])
    equal((await sends(author, importId, { ...oldPost, slug })).status, 422, slug)
})
