import { equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { getPublicPost } from '@pennypost/contract/discovery'
import { getPost, previewMarkdown, updatePost } from '@pennypost/contract/posts'
import { sharedWorld } from '../test/world.ts'
import { payable, publish, wholePost } from './posts.fixture.ts'

test('an author turns formulas on and off, and both parts are rendered again', async (t) => {
  const world = await sharedWorld(t)
  const author = await payable(await world.creator())
  const input = { ...wholePost, freeContentMarkdown: 'So $x^2$', paidContentMarkdown: 'And $y^2$' }
  const { id: postId, math } = await publish(author, input)
  equal(math, false)
  const params = { postId }
  const parts = async () => {
    const { rows } = await world.services.pool.query('SELECT free_html, paid_html FROM posts WHERE id = $1', [postId])
    return `${rows[0].free_html} ${rows[0].paid_html}`
  }
  const switchTo = async (to: boolean) => {
    const { body: post } = await author.publisher.calls(getPost, { params })
    const headers = { 'x-post-revision': post.updatedAt }
    const { status, body } = await author.publisher.calls(updatePost, { params, headers, body: { math: to } })
    equal(status, 200)
    equal(body.math, to)
    equal(body.freeContentMarkdown, 'So $x^2$')
  }
  ok(!(await parts()).includes('<math'))
  await switchTo(true)
  equal((await parts()).split('<math').length, 3)
  const { body } = await world.stranger().calls(getPublicPost, { params })
  match(body.freeContentHtml, /<math><msup><mi>x<\/mi><mn>2<\/mn><\/msup><\/math>/)
  const preview = async (given: object) =>
    (await author.publisher.calls(previewMarkdown, { body: { markdown: '$z$', ...given } })).body.html.includes('<math')
  equal(await preview({}), false)
  equal(await preview({ math: true }), true)
  // As the post is saved, unless the request says otherwise.
  equal(await preview({ postId }), true)
  equal(await preview({ postId, math: false }), false)
  await switchTo(false)
  ok(!(await parts()).includes('<math'))
})
