import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { getPublicPost } from '@pennypost/contract/discovery'
import {
  associateUpload,
  cancelUpload,
  getMedia,
  getUploadOperation,
  listUploadOperations,
  uploadHeader,
  uploadPostImage,
} from '@pennypost/contract/images'
import { issueKey, rotateKey } from '@pennypost/contract/keys'
import { deletePost, getPost, updatePost } from '@pennypost/contract/posts'
import { getProfile, removeHeaderImage, savePayoutAddress } from '@pennypost/contract/profiles'
import { publishPost } from '@pennypost/contract/publishing'
import { draft, nanoAddress } from '../posts/posts.fixture.ts'
import { Person } from '../test/person.ts'
import { emptiedWorld } from '../test/world.ts'
import { mediaKey } from './object-keys.ts'
import { form, illustratedPost, picture, type SentImage, sendAvatar, sendImage } from './uploads.fixture.ts'

async function authorIn(t: TestContext) {
  const world = await emptiedWorld(t)
  const author = await world.creator()
  return { world, author, publisher: author.publisher }
}

const fileOf = (url: string) => ({ params: { file: url.split('/media/')[1]! } })
const operation = (body: { safety: { operationId: string } }) => ({ params: { operationId: body.safety.operationId } })

test('an avatar is received with 202, screened in the background, and shown once it is cleared', async (t) => {
  const { world, author, publisher } = await authorIn(t)
  const sent = await sendAvatar(publisher)
  equal(sent.status, 202)
  const { safety, publicUrl, currentRevision, replayed, actions } = sent.body
  deepEqual(
    { ...safety, operationId: '', policyVersion: '' },
    {
      operationId: '',
      targetKind: 'avatar',
      targetId: author.accountId,
      targetKey: '',
      generation: 1,
      currentGeneration: 1,
      associated: false,
      desired: true,
      held: false,
      received: true,
      eligible: false,
      reuploadAllowed: false,
      state: 'queued',
      policyVersion: '',
      lastError: null,
      retryAfterSeconds: 2,
    },
  )
  deepEqual([publicUrl, currentRevision, replayed], [null, null, false])
  const status = `/api/v1/upload-operations/${safety.operationId}`
  deepEqual(actions, { status, cancel: status, associate: `${status}/associate` })
  equal((await publisher.calls(getUploadOperation, operation(sent.body))).status, 202)

  await world.runJobs()
  const cleared = await publisher.calls(getUploadOperation, operation(sent.body))
  equal(cleared.status, 200)
  equal(cleared.body.safety.state, 'cleared')
  ok(cleared.body.safety.eligible && cleared.body.safety.associated)
  match(cleared.body.publicUrl, /^http:\/\/pennypost\.test\/media\/[0-9a-f-]{36}\.png$/)
  equal((await publisher.calls(getProfile, {})).body.avatarUrl, cleared.body.publicUrl)
})

test('public bytes are immutable, have an ETag and can be read in part', async (t) => {
  const { world, publisher } = await authorIn(t)
  const sent = await sendAvatar(publisher, { bytes: await picture('jpeg', 64), type: 'image/jpeg' })
  await world.runJobs()
  const { body } = await publisher.calls(getUploadOperation, operation(sent.body))
  const anyone = world.stranger()
  const file = fileOf(body.publicUrl)
  const whole = await anyone.calls(getMedia, file)
  equal(whole.status, 200)
  equal(whole.headers.get('content-type'), 'image/jpeg')
  equal(whole.headers.get('cache-control'), 'public, max-age=31536000, immutable')
  equal(whole.headers.get('x-content-type-options'), 'nosniff')
  equal(whole.headers.get('accept-ranges'), 'bytes')
  equal(Number(whole.headers.get('content-length')), whole.body.length)
  const etag = whole.headers.get('etag')!
  const read = (headers: Record<string, string>) => anyone.calls(getMedia, { ...file, headers })

  const part = await read({ range: 'bytes=2-9' })
  deepEqual([part.status, part.body.length], [206, 8])
  deepEqual(Buffer.from(part.body), Buffer.from(whole.body.slice(2, 10)))
  equal(part.headers.get('content-range'), `bytes 2-9/${whole.body.length}`)
  const beyond = await read({ range: `bytes=${whole.body.length}-` })
  deepEqual([beyond.status, beyond.headers.get('content-range')], [416, `bytes */${whole.body.length}`])
  equal((await read({ 'if-none-match': etag })).status, 304)
  equal((await read({ 'if-none-match': '"other", *' })).status, 304)
  equal((await read({ 'if-none-match': '"other"' })).status, 200)
  equal((await read({ range: 'bytes=0-1', 'if-range': '"other"' })).status, 200)
  equal((await read({ range: 'bytes=0-1', 'if-range': etag })).status, 206)
  equal((await anyone.calls(getMedia, { params: { file: `${randomUUID()}.jpg` } })).status, 404)
  equal((await anyone.calls(getMedia, { params: { file: file.params.file.replace('.jpg', '.png') } })).status, 404)
  equal((await anyone.calls(getMedia, { params: { file: '../../etc/passwd' } })).status, 404)
})

test('every permitted format is published as itself; a type that does not agree with the bytes is rejected', async (t) => {
  const { world, publisher } = await authorIn(t)
  for (const [format, extension] of [
    ['png', 'png'],
    ['jpeg', 'jpg'],
    ['webp', 'webp'],
    ['gif', 'gif'],
  ] as const) {
    const sent = await sendAvatar(publisher, { bytes: await picture(format), type: `image/${format}` })
    await world.runJobs()
    const { body } = await publisher.calls(getUploadOperation, operation(sent.body))
    ok(body.publicUrl.endsWith(`.${extension}`), body.publicUrl)
  }
  const shown = (await publisher.calls(getProfile, {})).body.avatarUrl
  for (const wrong of [
    { bytes: await picture('gif'), type: 'image/png' },
    { bytes: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), type: 'image/svg+xml' },
    { bytes: Buffer.from('nothing like an image'), type: 'image/png' },
  ]) {
    const sent = await sendAvatar(publisher, wrong)
    await world.runJobs()
    const { status, body } = await publisher.calls(getUploadOperation, operation(sent.body))
    equal(status, 200)
    equal(body.safety.state, 'rejected', wrong.type)
    ok(typeof body.safety.lastError === 'string' && body.publicUrl === null)
    // A rejected avatar leaves the previous one.
    equal((await publisher.calls(getProfile, {})).body.avatarUrl, shown)
    equal((await world.stranger().calls(getMedia, fileOf(shown))).status, 200)
  }
})

test('the same key is one operation, with any credential of the owner and however often it is sent', async (t) => {
  const { world, author, publisher } = await authorIn(t)
  const bytes = await picture()
  const key = randomUUID()
  const replies = await Promise.all(Array.from({ length: 50 }, () => sendAvatar(publisher, { bytes, key })))
  equal(new Set(replies.map(({ body }) => body.safety.operationId)).size, 1)
  equal(replies.filter(({ body }) => !body.replayed).length, 1)
  for (const { status, body, headers } of replies) {
    equal(status, 202)
    equal(headers.get('x-idempotency-replay'), body.replayed ? 'true' : null)
    equal(body.safety.received, true)
  }
  const { rows } = await world.services.pool.query('SELECT count(*)::int AS n FROM upload_operations')
  equal(rows[0].n, 1)
  await world.runJobs()

  // Another active key of the same owner recovers it.
  const issued = await author.owner.calls(issueKey, { body: {} })
  const other = new Person(world, publisher.address, issued.body.key)
  const replay = await sendAvatar(other, { bytes, key })
  deepEqual([replay.status, replay.body.replayed, replay.body.safety.state], [200, true, 'cleared'])
  const query = { requestKey: key, targetKind: 'avatar' as const, targetId: author.accountId, targetKey: '' }
  const recovered = await other.calls(listUploadOperations, { query })
  deepEqual(recovered.body.operations[0].safety, replay.body.safety)
  const unknown = await other.calls(listUploadOperations, { query: { ...query, requestKey: randomUUID() } })
  deepEqual(unknown.body, { operations: [] })
})

test('the same key with other bytes is refused, with what is needed to recover', async (t) => {
  const { world, author, publisher } = await authorIn(t)
  const key = 'a key/ä'.replaceAll(' ', '_')
  const first = await sendAvatar(publisher, { key: encodeURIComponent(key) })
  const refused = await sendAvatar(publisher, { key: encodeURIComponent(key) })
  deepEqual([refused.status, refused.body.code], [409, 'idempotency-mismatch'])
  const { recovery } = refused.body
  equal(recovery.requestKey, encodeURIComponent(key))
  equal(recovery.operationId, first.body.safety.operationId)
  const query = Object.fromEntries(new URL(recovery.statusUrl, world.origin).searchParams)
  equal(query.targetId, author.accountId)
  const found = await publisher.sends(listUploadOperations, { query })
  equal(found.body.operations[0].safety.operationId, first.body.safety.operationId)
  await world.runJobs()
})

test('a key is required, and one of white space is none', async (t) => {
  const { publisher } = await authorIn(t)
  const body = form(await picture(), 'image/png')
  const missing = await publisher.sends(uploadHeader, { body })
  deepEqual([missing.status, missing.body.code], [400, 'idempotency-key-required'])
  for (const key of ['a b', 'x'.repeat(256)]) equal((await sendAvatar(publisher, { key })).status, 400)
})

test('an inline image is associated when the saved Post has its key, and rendered once it is cleared', async (t) => {
  const { world, author, publisher } = await authorIn(t)
  await author.owner.calls(savePayoutAddress, { body: { payoutAddress: nanoAddress } })
  const post = await draft(publisher, { ...illustratedPost, freeContentMarkdown: 'No image yet' })
  const params = { postId: post.id }
  const sent = await sendImage(publisher, post.id)
  equal(sent.status, 202)
  deepEqual(
    [sent.body.safety.targetKind, sent.body.safety.targetId, sent.body.safety.targetKey, sent.body.currentRevision],
    ['inline', post.id, 'cover', post.updatedAt],
  )
  await world.runJobs()
  const waiting = await publisher.calls(getUploadOperation, operation(sent.body))
  deepEqual([waiting.body.safety.eligible, waiting.body.safety.associated], [true, false])
  equal(waiting.body.currentRevision, post.updatedAt, 'only an association moves the revision')

  const saved = await publisher.calls(updatePost, {
    params,
    headers: { 'x-post-revision': post.updatedAt },
    body: { freeContentMarkdown: 'Look: ![an engine](image:cover) ![another](image:missing)' },
  })
  const there = await publisher.calls(associateUpload, operation(sent.body))
  deepEqual([there.status, there.body.safety.associated], [200, true])
  equal(there.body.currentRevision, saved.body.updatedAt)
  await publisher.calls(publishPost, { params })
  const { body: shown } = await world.stranger().calls(getPublicPost, { params })
  ok(shown.freeContentHtml.includes(`<img src="${there.body.publicUrl}" alt="an engine"`), shown.freeContentHtml)
  ok(!shown.freeContentHtml.includes('another') && !shown.freeContentHtml.includes('data-image-key'))

  await publisher.calls(cancelUpload, operation(sent.body))
  ok(!(await world.stranger().calls(getPublicPost, { params })).body.freeContentHtml.includes('<img'))
  equal((await world.stranger().calls(getMedia, fileOf(there.body.publicUrl))).status, 404)
  await world.runJobs()
})

test('an image that is cleared for a Post that waits for it moves the revision once', async (t) => {
  const { world, publisher } = await authorIn(t)
  const post = await draft(publisher, illustratedPost)
  const sent = await sendImage(publisher, post.id)
  equal(sent.body.safety.associated, true)
  await world.runJobs()
  const { body: moved } = await publisher.calls(getPost, { params: { postId: post.id } })
  notEqual(moved.updatedAt, post.updatedAt)
  const read = await publisher.calls(getUploadOperation, operation(sent.body))
  equal(read.body.currentRevision, moved.updatedAt)
  await publisher.calls(associateUpload, operation(sent.body))
  equal((await publisher.calls(getPost, { params: { postId: post.id } })).body.updatedAt, moved.updatedAt)
})

test('an OG image becomes that of the Post; intent comes from the query, then the field, else content', async (t) => {
  const { world, publisher } = await authorIn(t)
  const post = await draft(publisher, illustratedPost)
  const kindOf = async (sent: object) => {
    const reply = await sendImage(publisher, post.id, sent)
    await world.runJobs()
    return reply.status === 422 ? reply.body.code : reply.body.safety.targetKind
  }
  equal(await kindOf({ fields: { intent: 'og' } }), 'og')
  equal(await kindOf({ query: { intent: 'og' }, fields: { intent: 'content' } }), 'og')
  equal(await kindOf({ query: { intent: 'content' }, fields: { intent: 'og' } }), 'inline')
  equal(await kindOf({}), 'inline')
  equal(await kindOf({ query: { intent: 'poster' } }), 'validation')
  equal(await kindOf({ fields: { intent: '' } }), 'validation')
  equal(await kindOf({ fields: { title: 'x' } }), 'validation')
  const { body: before } = await publisher.calls(getPost, { params: { postId: post.id } })
  const og = await sendImage(publisher, post.id, {
    query: { intent: 'og' },
    headers: { 'if-match': `"${before.updatedAt}"` },
  })
  equal(og.status, 202, JSON.stringify(og.body))
  equal(og.body.safety.targetKey, '')
  await world.runJobs()
  const { body: after } = await publisher.calls(getPost, { params: { postId: post.id } })
  equal(after.ogImageUrl, (await publisher.calls(getUploadOperation, operation(og.body))).body.publicUrl)
  notEqual(after.updatedAt, before.updatedAt)
})

test('a Post image needs the present revision, in either header or in both alike', async (t) => {
  const { world, publisher } = await authorIn(t)
  const post = await draft(publisher, illustratedPost)
  const key = { 'x-upload-target-key': 'cover' }
  const stale = '2020-01-01T00:00:00.000001Z'
  const cases: [Record<string, string>, number, string][] = [
    [key, 428, 'post-revision-required'],
    [{ ...key, 'x-post-revision': stale }, 409, 'revision-conflict'],
    [{ ...key, 'x-post-revision': 'yesterday' }, 400, 'invalid-request'],
    [{ ...key, 'if-match': stale }, 409, 'revision-conflict'],
    [{ ...key, 'x-post-revision': post.updatedAt, 'if-match': `"${stale}"` }, 400, 'invalid-request'],
    [{ 'x-post-revision': post.updatedAt }, 400, 'invalid-request'],
    [{ 'x-post-revision': post.updatedAt, 'x-upload-target-key': 'a b' }, 400, 'invalid-request'],
  ]
  for (const [headers, status, code] of cases) {
    const reply = await sendImage(publisher, post.id, { headers })
    deepEqual([reply.status, reply.body.code], [status, code])
    if (code === 'revision-conflict') equal(reply.body.currentRevision, post.updatedAt)
  }
  const both = { ...key, 'x-post-revision': post.updatedAt, 'if-match': post.updatedAt }
  const bytes = await picture()
  equal((await sendImage(publisher, post.id, { headers: both, bytes, key: 'one' })).status, 202)
  await world.runJobs()
  // A replay succeeds although the post has a newer revision.
  const replay = await sendImage(publisher, post.id, { headers: both, bytes, key: 'one' })
  deepEqual([replay.status, replay.body.replayed], [200, true])
})

test('a newer upload for the same target makes the older obsolete; other targets are not touched', async (t) => {
  const { world, publisher } = await authorIn(t)
  const post = await draft(publisher, illustratedPost)
  const other = { 'x-post-revision': post.updatedAt, 'x-upload-target-key': 'other' }
  const first = await sendImage(publisher, post.id)
  const beside = await sendImage(publisher, post.id, { headers: other })
  const second = await sendImage(publisher, post.id)
  deepEqual([second.body.safety.generation, second.body.safety.currentGeneration], [2, 2])
  deepEqual([beside.body.safety.generation, beside.body.safety.currentGeneration], [1, 1])
  await world.runJobs()
  const { body: obsolete } = await publisher.calls(getUploadOperation, operation(first.body))
  deepEqual([obsolete.safety.generation, obsolete.safety.currentGeneration, obsolete.safety.eligible], [1, 2, false])
  deepEqual([obsolete.safety.state, obsolete.safety.desired, obsolete.publicUrl], ['cancelled', false, null])
  equal((await publisher.calls(getUploadOperation, operation(second.body))).body.safety.eligible, true)
  equal((await publisher.calls(getUploadOperation, operation(beside.body))).body.safety.eligible, true)
})

test('the replay of an upload that a newer one replaced on its way is gone', async (t) => {
  const { world, publisher } = await authorIn(t)
  const post = await draft(publisher, illustratedPost)
  const bytes = await picture()
  for (const send of [
    (sent: SentImage) => sendAvatar(publisher, sent),
    (sent: SentImage) => sendAvatar(publisher, sent, uploadHeader),
    (sent: SentImage) => sendImage(publisher, post.id, sent),
  ]) {
    await send({ bytes, key: 'first' })
    await send({})
    const replay = await send({ bytes, key: 'first' })
    deepEqual([replay.status, replay.body.code], [410, 'resource-gone'])
  }
  await world.runJobs()
})

test('a shown avatar stays until the next one is cleared, then its bytes go', async (t) => {
  const { world, publisher } = await authorIn(t)
  await sendAvatar(publisher)
  await world.runJobs()
  const first = (await publisher.calls(getProfile, {})).body.avatarUrl
  const next = await sendAvatar(publisher)
  equal((await publisher.calls(getProfile, {})).body.avatarUrl, first)
  equal((await world.stranger().calls(getMedia, fileOf(first))).status, 200)
  await world.runJobs()
  const second = (await publisher.calls(getProfile, {})).body.avatarUrl
  equal(second, (await publisher.calls(getUploadOperation, operation(next.body))).body.publicUrl)
  notEqual(second, first)
  equal((await world.stranger().calls(getMedia, fileOf(first))).status, 404)
  equal(await world.services.files.sizeOf(mediaKey(first.slice(-40, -4))), undefined)
})

test('removing the header takes the shown one away and invalidates what is on its way', async (t) => {
  const { world, publisher } = await authorIn(t)
  const shown = await sendAvatar(publisher, {}, uploadHeader)
  await world.runJobs()
  ok((await publisher.calls(getProfile, {})).body.headerImageUrl)
  const pending = await sendAvatar(publisher, {}, uploadHeader)
  deepEqual((await publisher.calls(removeHeaderImage, {})).body, { headerImageUrl: null })
  await world.runJobs()
  for (const { body } of [shown, pending]) {
    const { safety } = (await publisher.calls(getUploadOperation, operation(body))).body
    deepEqual([safety.state, safety.desired], ['cancelled', false])
  }
  equal((await publisher.calls(getProfile, {})).body.headerImageUrl, null)
  equal((await publisher.calls(removeHeaderImage, {})).status, 200)
})

test('a cancelled upload is not shown, keeps nothing, and its replay is gone', async (t) => {
  const { world, publisher } = await authorIn(t)
  const bytes = await picture()
  const sent = await sendAvatar(publisher, { bytes, key: 'mine' })
  const cancelled = await publisher.calls(cancelUpload, operation(sent.body))
  deepEqual([cancelled.status, cancelled.body.safety.state, cancelled.body.safety.desired], [200, 'cancelled', false])
  await world.runJobs()
  equal((await publisher.calls(getProfile, {})).body.avatarUrl, null)
  const { rows } = await world.services.pool.query('SELECT received_key, media_key FROM upload_operations')
  deepEqual(rows, [{ received_key: null, media_key: null }])
  const replay = await sendAvatar(publisher, { bytes, key: 'mine' })
  deepEqual([replay.status, replay.body.code], [410, 'resource-gone'])
  equal(replay.body.recovery.operationId, sent.body.safety.operationId)
  equal((await publisher.calls(cancelUpload, operation(sent.body))).status, 200)
})

test('lists hold the images of a Post or of the profile, and nobody sees those of another', async (t) => {
  const { world, author, publisher } = await authorIn(t)
  const post = await draft(publisher, illustratedPost)
  const avatar = await sendAvatar(publisher)
  const inline = await sendImage(publisher, post.id)
  await world.runJobs()
  const idsOf = (reply: { body: { operations: { safety: { operationId: string } }[] } }) =>
    reply.body.operations.map(({ safety }) => safety.operationId)
  deepEqual(idsOf(await publisher.calls(listUploadOperations, {})), [avatar.body.safety.operationId])
  deepEqual(idsOf(await publisher.calls(listUploadOperations, { query: { postId: post.id } })), [
    inline.body.safety.operationId,
  ])

  // The list goes on to the last one.
  await world.services.pool.query(
    `INSERT INTO upload_operations SELECT (jsonb_populate_record(operation, jsonb_build_object('id', gen_random_uuid(),
       'request_key', 'again ' || n, 'desired', false, 'generation', 1 + n, 'media_key', operation.media_key || n,
       'created_at', operation.created_at - interval '2 days' - n % 7 * interval '1 s'))).*
     FROM upload_operations operation, generate_series(1, 230) n WHERE operation.id = $1`,
    [avatar.body.safety.operationId],
  )
  const first = await publisher.calls(listUploadOperations, {})
  const rest = await publisher.calls(listUploadOperations, { query: { cursor: first.body.nextCursor } })
  deepEqual([idsOf(first).length, idsOf(rest).length, rest.body.nextCursor], [200, 31, null])
  equal(new Set([...idsOf(first), ...idsOf(rest)]).size, 231)

  const { publisher: stranger } = await world.creator()
  equal((await stranger.calls(listUploadOperations, { query: { postId: post.id } })).status, 404)
  for (const endpoint of [getUploadOperation, associateUpload, cancelUpload]) {
    const foreign = await stranger.calls(endpoint, operation(avatar.body))
    const unknown = await stranger.calls(endpoint, { params: { operationId: randomUUID() } })
    deepEqual([foreign.status, foreign.body.code, foreign.body.detail], [404, unknown.body.code, unknown.body.detail])
  }
  equal((await sendImage(publisher, post.id, { key: 'x' })).status, 202)
  const theft = await stranger.sends(uploadPostImage, {
    params: { postId: post.id },
    headers: { 'x-post-revision': post.updatedAt, 'x-upload-target-key': 'cover' },
    idempotencyKey: 'x',
    body: form(await picture(), 'image/png'),
  })
  equal(theft.status, 404)
  for (const query of [
    { requestKey: 'x' },
    { requestKey: 'x', targetKind: 'og' },
    { ...{ requestKey: 'x', targetKind: 'inline', targetId: post.id }, cursor: 'x' },
    { cursor: 'x' },
    { targetKind: 'og' },
    { postId: 'x' },
  ])
    equal((await publisher.sends(listUploadOperations, { query })).status, 400, JSON.stringify(query))
  const exact = { requestKey: 'x', targetKind: 'inline' as const, targetId: post.id, targetKey: 'cover' }
  equal(idsOf(await publisher.calls(listUploadOperations, { query: exact })).length, 1)
  deepEqual((await stranger.calls(listUploadOperations, { query: exact })).body, { operations: [] })
  await world.runJobs()
  ok(author)
})

test('deleting a draft gives up its uploads', async (t) => {
  const { world, publisher } = await authorIn(t)
  const post = await draft(publisher, illustratedPost)
  const sent = await sendImage(publisher, post.id)
  const deleted = await publisher.calls(deletePost, {
    params: { postId: post.id },
    headers: { 'x-post-revision': post.updatedAt },
  })
  equal(deleted.status, 200)
  await world.runJobs()
  const { body } = await publisher.calls(getUploadOperation, operation(sent.body))
  deepEqual([body.safety.state, body.safety.desired, body.currentRevision], ['cancelled', false, null])
})

test('an upload survives the rotation of the key it was sent with', async (t) => {
  const { world, author, publisher } = await authorIn(t)
  const sent = await sendAvatar(publisher, { key: 'kept', bytes: await picture() })
  const rotated = await author.owner.calls(rotateKey, { params: { keyId: author.keyId }, body: {} })
  const renewed = new Person(world, publisher.address, rotated.body.key)
  await world.runJobs()
  equal((await renewed.calls(getUploadOperation, operation(sent.body))).body.safety.state, 'cleared')
})

test('concurrent uploads for one target each have their own generation, and the last one is shown', async (t) => {
  const { world, publisher } = await authorIn(t)
  const post = await draft(publisher, illustratedPost)
  const headers = { 'x-post-revision': post.updatedAt, 'x-upload-target-key': 'cover' }
  const sent = Promise.all(Array.from({ length: 8 }, () => sendImage(publisher, post.id, { headers })))
  // Checks run while others are still received, and move the revision under them.
  await Promise.all([sent, world.runJobs()])
  await world.runJobs()
  // One that was made obsolete before it was answered has come to its end: 200.
  const accepted = (await sent).filter(({ status }) => status === 202 || status === 200)
  for (const { body } of await sent) ok(body.safety || body.code === 'revision-conflict', JSON.stringify(body))
  const generations = accepted.map(({ body }) => body.safety.generation).sort()
  deepEqual(
    generations,
    generations.map((_, index) => index + 1),
  )
  const read = await Promise.all(accepted.map(({ body }) => publisher.calls(getUploadOperation, operation(body))))
  const eligible = read.filter(({ body }) => body.safety.eligible)
  deepEqual(
    eligible.map(({ body }) => body.safety.generation),
    [accepted.length],
  )
  const { rows } = await world.services.pool.query('SELECT image_paths FROM post_uploads')
  deepEqual(rows, [{ image_paths: { cover: new URL(eligible[0]!.body.publicUrl).pathname } }])
})

test('an image for a post that does not exist is 404, with nothing to recover', async (t) => {
  const { publisher } = await authorIn(t)
  const reply = await publisher.sends(uploadPostImage, {
    params: { postId: randomUUID() },
    query: {},
    headers: { 'x-post-revision': '2026-11-16T12:00:00Z', 'x-upload-target-key': 'cover' },
    idempotencyKey: randomUUID(),
    body: form(await picture(), 'image/png'),
  })
  deepEqual([reply.status, reply.body.code, 'recovery' in reply.body], [404, 'post-not-found', false])
})
