import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { createGiftLink } from '@pennypost/contract/gift-links'
import { updatePost } from '@pennypost/contract/posts'
import type { World } from '../test/world.ts'
import { authorIn, paidMarker, publishes, visit } from './site-world.fixture.ts'

async function bytesOf(world: World, url: string, encoding?: string) {
  const { statusCode, headers, rawPayload } = await world.server.inject({
    method: 'GET',
    url,
    headers: { host: new URL(world.origin).host, ...(encoding !== undefined && { 'accept-encoding': encoding }) },
  })
  return { status: statusCode, headers: headers as Record<string, string | undefined>, bytes: rawPayload }
}

test('public pages and feeds are compressed for who names a coding, and are the same otherwise', async (t) => {
  const { world, author } = await authorIn(t, { name: 'Ada L', handle: 'ada_l' })
  const { id } = await publishes(author)
  for (const path of [
    '/',
    `/posts/${id}`,
    `/posts/${id}.md`,
    '/@ada_l',
    '/sign-in',
    '/feed.xml',
    '/@ada_l/feed.json',
    '/docs',
    '/openapi.json',
    '/api/posts',
    '/api/posts?q=engines&per_page=48',
  ]) {
    const plain = await bytesOf(world, path)
    deepEqual([plain.status, plain.headers['content-encoding']], [200, undefined], path)
    for (const [accepted, coding, open] of [
      ['br, gzip', 'br', brotliDecompressSync],
      ['gzip, deflate', 'gzip', gunzipSync],
      ['br;q=0, gzip', 'gzip', gunzipSync],
    ] as const) {
      // The second time it is what was kept.
      for (let time = 0; time < 2; time += 1) {
        const { headers, bytes } = await bytesOf(world, path, accepted)
        equal(headers['content-encoding'], coding, path)
        ok(open(bytes).equals(plain.bytes), path)
        deepEqual([headers.etag, headers['content-type']], [plain.headers.etag, plain.headers['content-type']])
        ok(headers.vary?.includes('Accept-Encoding') && plain.headers.vary?.includes('Accept-Encoding'), path)
        equal(Number(headers['content-length']), bytes.length)
      }
    }
    for (const accepted of ['*', 'identity', 'deflate', 'br;q=0', ''])
      equal((await bytesOf(world, path, accepted)).headers['content-encoding'], undefined, `${path} ${accepted}`)
    const held = await visit(world, path, { 'accept-encoding': 'br', 'if-none-match': plain.headers.etag! })
    deepEqual([held.status, held.text], [304, ''], path)
  }
})

test('what changed is there at once, compressed too', async (t) => {
  const { world, author } = await authorIn(t)
  const post = await publishes(author)
  const read = async () => brotliDecompressSync((await bytesOf(world, `/posts/${post.id}`, 'br')).bytes).toString()
  ok(!(await read()).includes('Another title'))
  await author.publisher.calls(updatePost, {
    params: { postId: post.id },
    headers: { 'x-post-revision': post.updatedAt },
    body: { title: 'Another title' },
  })
  ok((await read()).includes('Another title'))
})

test('what was given to one person is not compressed, nor are refusals', async (t) => {
  const { world, author } = await authorIn(t)
  const { id } = await publishes(author)
  const { giftLink } = (await author.owner.calls(createGiftLink, { params: { postId: id } })).body
  const { headers, bytes } = await bytesOf(world, `/posts/${id}?gift=${giftLink.token}`, 'br')
  ok(bytes.toString().includes(paidMarker))
  deepEqual([headers['content-encoding'], headers['cache-control']], [undefined, 'private, no-store'])
  const missing = await bytesOf(world, '/posts/0f0f0f0f-0f0f-4f0f-8f0f-0f0f0f0f0f0f', 'br')
  deepEqual([missing.status, missing.headers['content-encoding']], [404, undefined])
})
