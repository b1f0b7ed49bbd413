import { deepEqual, equal } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { createPost, listPosts, previewMarkdown } from '@pennypost/contract/posts'
import { sharedWorld } from '../test/world.ts'

test('a preview is what would be saved, made safe; nothing is saved', async (t) => {
  const world = await sharedWorld(t)
  const { publisher } = await world.creator()
  const markdown = '# Fog\n\n<script>alert(1)</script> [x](javascript:alert(1)) ![gone](image:nowhere)'
  const { status, body } = await publisher.calls(previewMarkdown, { body: { markdown } })
  equal(status, 200)
  equal(/<script|javascript:|<img/.test(body.html.replaceAll('javascript:alert(1))', '')), false, body.html)
  equal(/<h1[^>]*>Fog<\/h1>/.test(body.html), true)
  deepEqual((await publisher.calls(listPosts, {})).body.data, [])
})

test('a preview shows only images of posts of the same author', async (t) => {
  const world = await sharedWorld(t)
  const [author, other] = [await world.creator(), await world.creator()]
  const { body: draft } = await author.publisher.calls(createPost, { body: { title: 'Mine' } })
  await world.services.pool.query(
    `INSERT INTO post_uploads (post_id, image_paths) VALUES ($1, '{"sea":"/media/sea.png"}')
     ON CONFLICT (post_id) DO UPDATE SET image_paths = excluded.image_paths`,
    [draft.id],
  )
  const body = { markdown: '![The sea](image:sea)', postId: draft.id }
  const own = await author.publisher.calls(previewMarkdown, { body })
  equal(own.body.html.includes(`src="${world.origin}/media/sea.png"`), true, own.body.html)
  for (const asked of [
    other.publisher.calls(previewMarkdown, { body }),
    author.publisher.calls(previewMarkdown, { body: { ...body, postId: randomUUID() } }),
  ]) {
    const refused = await asked
    deepEqual([refused.status, refused.body.code], [404, 'post-not-found'])
  }
  equal((await author.publisher.calls(previewMarkdown, { body: { markdown: body.markdown } })).body.html, '')
})

test('a preview knows the footnotes of the other part', async (t) => {
  const world = await sharedWorld(t)
  const { publisher } = await world.creator()
  const { body: draft } = await publisher.calls(createPost, {
    body: { title: 'Notes', freeContentMarkdown: 'One[^1].', paidContentMarkdown: 'Two.\n\n[^1]: A note.' },
  })
  const preview = async (markdown: string, part: 'free' | 'paid') =>
    (await publisher.calls(previewMarkdown, { body: { markdown, postId: draft.id, part } })).body.html
  equal(/href="#paid-content-fn\.1"/.test(await preview('One more[^1].', 'free')), true)
  equal(/href="#content-ref\.1"/.test(await preview('[^1]: Another note.', 'paid')), true)
  const { body: alone } = await publisher.calls(previewMarkdown, { body: { markdown: 'One[^1].' } })
  equal(alone.html, '<p>One[^1].</p>\n')
})
