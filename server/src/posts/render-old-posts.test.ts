import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { listPublicPosts } from '@pennypost/contract/discovery'
import { getPost } from '@pennypost/contract/posts'
import { createWorld } from '../test/world.ts'
import { rendererVersion } from './markdown/renderer-version.ts'
import { draft, paidPost, payable, publish } from './posts.fixture.ts'
import { renderOldPosts } from './render-old-posts.job.ts'

test('what an older renderer made is rendered again: both parts, drafts too, with the same revision', async (t) => {
  const world = await createWorld(t)
  const { pool } = world.services
  const author = await payable(await world.creator())
  const input = { ...paidPost, freeContentMarkdown: 'Hello **zebras**', paidContentMarkdown: 'The *secret*' }
  const [{ id }, { id: draftId }] = [await publish(author, input), await draft(author.publisher, input)]
  await world.runJobs()
  const read = async (postId: string) => {
    const { rows } = await pool.query(
      'SELECT free_html, free_text, paid_html, renderer_version, updated_us FROM posts WHERE id = $1',
      [postId],
    )
    return rows[0]
  }
  const before = await read(id)
  equal(before.renderer_version, rendererVersion)
  const { body: seen } = await author.publisher.calls(getPost, { params: { postId: id } })
  await pool.query(
    `UPDATE posts SET free_html = '<p>old</p>', free_text = 'old', paid_html = 'old', renderer_version = $1`,
    [rendererVersion - 1],
  )
  await renderOldPosts.run(world.services, {})
  deepEqual(await read(id), before)
  match((await read(draftId)).free_html, /<strong>zebras/)
  const { body: after } = await author.publisher.calls(getPost, { params: { postId: id } })
  equal(after.updatedAt, seen.updatedAt)
  const { body: found } = await world.stranger().calls(listPublicPosts, { query: { q: 'zebras' } })
  equal(found.data.length, 1)
})

test('what the renderer now finds too complex keeps its HTML and is not tried again', async (t) => {
  const world = await createWorld(t)
  const { pool } = world.services
  const author = await world.creator()
  const { id } = await draft(author.publisher)
  await pool.query(
    `UPDATE posts SET free_markdown = repeat(E'- a\\n', 30000), free_html = 'kept', renderer_version = 0`,
  )
  await renderOldPosts.run(world.services, {})
  const { rows } = await pool.query('SELECT free_html, renderer_version FROM posts WHERE id = $1', [id])
  deepEqual(rows, [{ free_html: 'kept', renderer_version: rendererVersion }])
  // Nothing is left to do.
  let renders = 0
  const { renderer } = world.services
  const counting = {
    ...world.services,
    renderer: { ...renderer, render: () => Promise.reject(new Error(String(++renders))) },
  }
  await renderOldPosts.run(counting, {})
  ok(renders === 0)
})
