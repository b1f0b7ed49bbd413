import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import type { UploadProgress } from '@pennypost/sdk'
import { paidAuthorIn } from '../../uploads/attachments.fixture.ts'
import { picture, zip } from '../../uploads/uploads.fixture.ts'
import { sharedWorld } from '../world.ts'
import { busy, sdkFor } from './sdk-client.fixture.ts'

const partOf = (path: string) => new URL(path, 'http://x').searchParams.get('part')

/** A ZIP of more than one part: random bytes do not get smaller. */
const largeZip = () => new Blob([new Uint8Array(zip({ 'numbers.bin': randomBytes(6 * 1024 * 1024) }))])

test('an image is uploaded, checked and shown; the same image again is the same upload', async (t) => {
  const world = await sharedWorld(t)
  const author = await world.creator()
  const { client } = sdkFor(world, { publishingKey: author.publisher.token }, () => world.runJobs())
  const avatar = new Uint8Array(await picture())
  const { publicUrl, safety } = await client.images.uploadAvatar(avatar, { type: 'image/png' })
  ok(publicUrl?.includes('/media/'))
  equal((await client.profile.get()).avatarUrl, publicUrl)
  const again = await client.images.uploadAvatar(avatar, { type: 'image/png' })
  deepEqual([again.safety.operationId, again.replayed], [safety.operationId, true])
  // Once it was removed, the same image is a new upload.
  await client.images.remove(safety.operationId)
  const newUpload = await client.images.uploadAvatar(avatar, { type: 'image/png' })
  ok(newUpload.safety.operationId !== safety.operationId)
  const post = await client.drafts.create({ title: 'With an image', freeContentMarkdown: '![an engine](image:engine)' })
  const image = new Blob([new Uint8Array(await picture())], { type: 'image/png' })
  const inline = await client.images.upload(post.id, 'engine', image)
  deepEqual([inline.safety.targetKind, inline.safety.targetKey], ['inline', 'engine'])
  deepEqual(
    (await client.images.list({ postId: post.id }).take(5)).map((operation) => operation.safety.operationId),
    [inline.safety.operationId],
  )
})

test('an image that is none is rejected with a reason', async (t) => {
  const world = await sharedWorld(t)
  const author = await world.creator()
  const { client } = sdkFor(world, { publishingKey: author.publisher.token }, () => world.runJobs())
  await rejects(client.images.uploadAvatar(new Uint8Array([1, 2, 3])), { name: 'TypeError' })
  await rejects(client.images.uploadAvatar(new Uint8Array([1, 2, 3]), { type: 'image/png' }), {
    name: 'PennypostError',
  })
})

test('a ZIP is sent in parts with progress; after an abort only the missing parts are sent', async (t) => {
  const { world, publisher, postId } = await paidAuthorIn(t)
  const file = largeZip()
  const options = { filename: 'numbers.zip', description: 'Random' }
  const abort = new AbortController()
  const first = sdkFor(world, { publishingKey: publisher.token })
  const seen: UploadProgress[] = []
  const stopped = first.client.attachments.upload(postId, file, {
    ...options,
    signal: abort.signal,
    onProgress: (progress) => {
      seen.push(progress)
      if (progress.sentBytes > 0) abort.abort(new Error('the laptop was closed'))
    },
  })
  await rejects(stopped, { message: 'the laptop was closed' })
  deepEqual(
    seen.map(({ stage, sentBytes }) => [stage, sentBytes]),
    [
      ['sending', 0],
      ['sending', 5_242_880],
    ],
  )
  // Another program, which knows nothing of the first.
  const second = sdkFor(world, { publishingKey: publisher.token }, () => world.runJobs())
  const progress: UploadProgress[] = []
  const ready = await second.client.attachments.upload(postId, file, {
    ...options,
    onProgress: (step) => progress.push(step),
  })
  deepEqual([ready.state, ready.filename, ready.sizeBytes], ['ready', 'numbers.zip', file.size])
  const parts = second.sent.filter(({ method }) => method === 'PUT')
  deepEqual(
    parts.map(({ path }) => partOf(path)),
    ['2'],
  )
  equal(parts[0]!.headers.get('authorization'), null)
  deepEqual(
    progress.map(({ stage }) => stage),
    ['sending', 'sending', 'checking', 'ready'],
  )
  // A third call finds everything done.
  second.sent.length = 0
  equal((await second.client.attachments.upload(postId, file, options)).id, ready.id)
  equal(second.sent.filter(({ method }) => method !== 'GET').length, 0)
  const { body } = await second.client.attachments.download(postId, ready.id)
  equal((await new Response(body).arrayBuffer()).byteLength, file.size)
})

test('a part that met 503, or whose response was lost, is sent again', async (t) => {
  const { world, publisher, postId } = await paidAuthorIn(t)
  const { client, sent, interfere, loseReplies } = sdkFor(world, { publishingKey: publisher.token }, () =>
    world.runJobs(),
  )
  interfere(({ method }, count) => (method === 'PUT' && count === 0 ? busy(503) : undefined))
  loseReplies(({ method }, count) => method === 'PUT' && count === 1)
  const file = new Blob([new Uint8Array(zip({ 'notes.txt': 'Hello' }))])
  const { state } = await client.attachments.upload(postId, file, { filename: 'notes.zip' })
  equal(state, 'ready')
  equal(sent.filter(({ method }) => method === 'PUT').length, 2)
})
