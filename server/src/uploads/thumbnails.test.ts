import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { cancelUpload } from '@pennypost/contract/images'
import sharp from 'sharp'
import { payable, publish } from '../posts/posts.fixture.ts'
import { createWorld } from '../test/world.ts'
import { illustratedPost, picture, sendImage } from './uploads.fixture.ts'

test('lists load a small copy of a cover, which goes with the cover', async (t) => {
  const world = await createWorld(t)
  const author = await payable(await world.creator())
  const { id: postId } = await publish(author, illustratedPost)
  const bytes = await picture('png', 1500)
  const { body: cover } = await sendImage(author.publisher, postId, { bytes, query: { intent: 'og' } })
  const { body: inline } = await sendImage(author.publisher, postId)
  await world.runJobs()
  const [coverId, inlineId] = [cover.safety.operationId, inline.safety.operationId]
  const visit = (url: string, headers: Record<string, string> = {}) => world.server.inject({ url, headers })

  const { payload: home } = await visit('/')
  const thumbnail = /<img class="thumbnail" src="([^"]*)"/.exec(home)?.[1]
  equal(thumbnail, `/thumbnails/${coverId}.webp`)
  const reply = await visit(thumbnail!)
  deepEqual([reply.statusCode, reply.headers['content-type']], [200, 'image/webp'])
  equal(reply.headers['cache-control'], 'public, max-age=31536000, immutable')
  const { width, height } = await sharp(reply.rawPayload).metadata()
  deepEqual([width, height], [432, 288])
  ok(reply.rawPayload.length < bytes.length)
  equal((await visit(thumbnail!, { 'if-none-match': String(reply.headers.etag) })).statusCode, 304)
  ok((await visit(thumbnail!)).rawPayload.equals(reply.rawPayload))

  // Other images have none, and neither has a cover that is gone.
  equal((await visit(`/thumbnails/${inlineId}.webp`)).statusCode, 404)
  await author.publisher.calls(cancelUpload, { params: { operationId: coverId } })
  await world.runJobs()
  equal((await visit(thumbnail!)).statusCode, 404)
  for await (const { key } of world.services.files.list('thumbnails/')) ok(!key, key)
})
