import { deepEqual, equal, ok } from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { listAttachments, removeAttachment, transportAttachment } from '@pennypost/contract/attachments'
import { cancelUpload, getUploadOperation, uploadAvatar, uploadHeader } from '@pennypost/contract/images'
import { rotateKey } from '@pennypost/contract/keys'
import { draft, paidPost } from '../posts/posts.fixture.ts'
import { Person } from '../test/person.ts'
import { openOnce, type Scope } from '../test/shared.ts'
import { until } from '../test/until.ts'
import { createWorld, sharedWorld, type World } from '../test/world.ts'
import { operationOf, reserve, revisionOf, sendForm, smallZip } from './attachments.fixture.ts'
import type { Screening } from './screening/screening.ts'
import { form, illustratedPost, picture, sendAvatar, sendImage } from './uploads.fixture.ts'

// Rejects every file at once: these tests are about counting.
const rejecting: Screening = {
  screenImage: async () => ({ kind: 'rejected', reason: 'corrupt' }),
  screenZip: async () => ({ kind: 'rejected', reason: 'not-zip' }),
  draw: () => Promise.reject(new Error('no drawing in this test')),
  screeners: [],
  close: async () => {},
}

const rejectingWorld = (t: Scope) => createWorld(t, { services: { screening: rejecting } })

async function authorIn(t: TestContext, isolation?: 'own') {
  const world = isolation ? await rejectingWorld(t) : await openOnce('a world that rejects files', rejectingWorld)
  t.after(() => world.checkIsClean())
  const author = await world.creator()
  return { world, author, publisher: author.publisher }
}

const bytesOf = (size: number): Buffer => randomBytes(size)
const zipOf = (size: number) => ({ sizeBytes: size, sha256: randomBytes(32).toString('hex') })
const nothing = Buffer.alloc(0)

test('ten unfinished images are all; a race does not pass an eleventh, and a finished one makes room', async (t) => {
  const { world, publisher } = await authorIn(t)
  const post = await draft(publisher, illustratedPost)
  const send = (name: string) =>
    sendImage(publisher, post.id, { headers: { 'x-post-revision': post.updatedAt, 'x-upload-target-key': name } })
  const replies = await Promise.all(Array.from({ length: 14 }, (_, index) => send(`k${index}`)))
  equal(replies.filter(({ status }) => status === 202).length, 10)
  for (const { status, body, headers } of replies.filter(({ status }) => status !== 202)) {
    deepEqual([status, body.code], [429, 'staging-limit'])
    ok(Number(headers.get('retry-after')) > 0)
    ok(body.recovery.requestKey)
  }
  await world.advance(61)
  equal((await send('next')).body.code, 'staging-limit')
  equal((await sendAvatar(publisher, {}, uploadHeader)).body.code, 'staging-limit')
  await world.runJobs()
  equal((await send('next')).status, 202)
  await world.runJobs()
})

test('cancelled images count until their bytes are cleaned up', async (t) => {
  const { world, publisher } = await authorIn(t)
  const post = await draft(publisher, illustratedPost)
  const headers = (name: string) => ({ 'x-post-revision': post.updatedAt, 'x-upload-target-key': name })
  for (let index = 0; index < 10; index += 1) {
    const sent = await sendImage(publisher, post.id, { headers: headers(`k${index}`) })
    await publisher.calls(cancelUpload, { params: { operationId: sent.body.safety.operationId } })
  }
  await world.advance(61)
  equal((await sendImage(publisher, post.id, { headers: headers('next') })).body.code, 'staging-limit')
  await world.runJobs()
  equal((await sendImage(publisher, post.id, { headers: headers('next') })).status, 202)
  await world.runJobs()
})

test('replaced images count until their bytes are cleaned up', async (t) => {
  const world = await sharedWorld(t)
  const { publisher } = await world.creator()
  const { files } = world.services
  const remove = files.remove.bind(files)
  files.remove = (key) => (key.startsWith('media/') ? Promise.reject(new Error('away')) : remove(key))
  for (let index = 0; index < 11; index += 1) {
    equal((await sendAvatar(publisher)).status, 202)
    await world.runJobs()
    await world.advance(61)
  }
  equal((await sendAvatar(publisher)).body.code, 'staging-limit')
  files.remove = remove
  await world.advance(3600)
  await world.runJobs()
  equal((await sendAvatar(publisher)).status, 202)
  await world.runJobs()
})

test('25 MiB of images may be staged', async (t) => {
  const { world, publisher } = await authorIn(t)
  const post = await draft(publisher, illustratedPost)
  const send = (name: string, size: number) =>
    sendImage(publisher, post.id, {
      bytes: bytesOf(size),
      headers: { 'x-post-revision': post.updatedAt, 'x-upload-target-key': name },
    })
  for (let index = 0; index < 5; index += 1) equal((await send(`k${index}`, 5 * 1024 * 1024)).status, 202)
  equal((await send('one', 1)).body.code, 'staging-limit')
  await world.runJobs()
  equal((await send('one', 1)).status, 202)
  await world.runJobs()
})

test('ten uploads a minute, images and ZIPs together, whatever key they are sent with; replays are free', async (t) => {
  const { world, author, publisher } = await authorIn(t)
  const post = await draft(publisher, paidPost)
  const bytes = await picture()
  for (let index = 0; index < 8; index += 1) {
    equal((await sendAvatar(publisher, { bytes, key: `k${index}` })).status, 202)
    await world.runJobs()
  }
  const rotated = await author.owner.calls(rotateKey, { params: { keyId: author.keyId }, body: {} })
  const renewed = new Person(world, publisher.address, rotated.body.key)
  for (let index = 0; index < 2; index += 1) equal((await reserve(renewed, post.id, nothing, zipOf(100))).status, 202)
  const eleventh = await reserve(renewed, post.id, nothing, zipOf(100))
  deepEqual([eleventh.status, eleventh.body.code], [429, 'rate-limited'])
  const wait = Number(eleventh.headers.get('retry-after'))
  ok(wait > 0 && wait <= 60)
  equal((await sendAvatar(renewed, { bytes, key: 'new' })).status, 429)
  equal((await sendAvatar(renewed, { bytes, key: 'k0' })).body.replayed, true)
  await world.advance(wait)
  equal((await sendAvatar(renewed, { bytes, key: 'new' })).status, 202)
  await world.runJobs()
})

/** As if this many uploads had been accepted earlier today. */
async function hadUploads({ services }: World, accountId: string, count: number, sizeBytes: number) {
  await services.pool.query(
    `INSERT INTO upload_operations (id, account_id, target_kind, target_id, request_key, fingerprint, generation, state, desired,
       size_bytes, sha256, content_type, policy_version, received_at, created_at, progress_at)
     SELECT gen_random_uuid(), $1, 'header', $1, 'past' || n, '', n, 'rejected', true, $3, repeat('a', 64), '', '', $4, $4, $4
     FROM generate_series(1, $2::int) n`,
    [accountId, count, sizeBytes, new Date(services.clock.now().getTime() - 3_600_000)],
  )
}

test('a hundred uploads a day', async (t) => {
  const { world, author, publisher } = await authorIn(t)
  await hadUploads(world, author.accountId, 99, 1)
  equal((await sendAvatar(publisher)).status, 202)
  const refused = await sendAvatar(publisher)
  deepEqual([refused.status, refused.body.code], [429, 'rate-limited'])
  const wait = Number(refused.headers.get('retry-after'))
  ok(wait > 22 * 3600 && wait <= 23 * 3600, String(wait))
  const [illustrated, paid] = [await draft(publisher, illustratedPost), await draft(publisher, paidPost)]
  for (const { status, body } of [
    await sendAvatar(publisher, {}, uploadHeader),
    await sendImage(publisher, illustrated.id),
    await sendForm(publisher, paid.id, smallZip()),
  ])
    deepEqual([status, body.code], [429, 'rate-limited'])
  await world.runJobs()
})

test('250 MiB a day', async (t) => {
  const { world, author, publisher } = await authorIn(t)
  await hadUploads(world, author.accountId, 1, 250 * 1024 * 1024 - 1000)
  equal((await sendAvatar(publisher, { bytes: bytesOf(1001) })).body.code, 'rate-limited')
  equal((await sendAvatar(publisher, { bytes: bytesOf(1000) })).status, 202)
  await world.advance(24 * 3600)
  equal((await sendAvatar(publisher, { bytes: bytesOf(2000) })).status, 202)
  await world.runJobs()
})

test('thirty images a minute from one address, no matter who sends them', async (t) => {
  const { world } = await authorIn(t)
  const statuses: number[] = []
  for (let person = 0; person < 4; person += 1) {
    const { publisher } = await world.creator()
    const here = new Person(world, '192.0.2.1', publisher.token)
    for (let index = 0; index < 8; index += 1) statuses.push((await sendAvatar(here)).status)
  }
  equal(statuses.filter((status) => status === 202).length, 30)
  deepEqual(statuses.slice(30), [429, 429])
  await world.runJobs()
})

test('a file over its limit, a form without length, without a file or with two', async (t) => {
  const { world, publisher } = await authorIn(t)
  const post = await draft(publisher, illustratedPost)
  const mebibyte = 1024 * 1024
  const og = { query: { intent: 'og' } }
  equal((await sendAvatar(publisher, { bytes: bytesOf(2 * mebibyte + 1) })).status, 413)
  equal((await sendAvatar(publisher, { bytes: bytesOf(2 * mebibyte) })).status, 202)
  equal((await sendImage(publisher, post.id, { ...og, bytes: bytesOf(2 * mebibyte + 1) })).status, 413)
  equal((await sendImage(publisher, post.id, { ...og, bytes: bytesOf(2 * mebibyte) })).status, 202)
  equal((await sendImage(publisher, post.id, { bytes: bytesOf(5 * mebibyte + 1) })).status, 413)
  equal((await sendImage(publisher, post.id, { bytes: bytesOf(5 * mebibyte) })).status, 202)

  const send = (body: FormData) => publisher.sends(uploadAvatar, { idempotencyKey: randomUUID(), body })
  const two = form(await picture(), 'image/png')
  two.append('file', new Blob(['x']), 'b.png')
  equal((await send(two)).status, 422)
  const none = new FormData()
  none.append('intent', 'content')
  equal((await send(none)).status, 422)
  const other = new FormData()
  other.append('picture', new Blob(['x']), 'b.png')
  equal((await send(other)).status, 422)
  const chunked = await world.server.inject({
    method: 'POST',
    url: '/api/v1/profile/avatar',
    headers: {
      authorization: `Bearer ${publisher.token}`,
      'idempotency-key': 'x',
      'content-type': 'multipart/form-data; boundary=x',
      'transfer-encoding': 'chunked',
    },
  })
  deepEqual([chunked.statusCode, chunked.json().code], [411, 'content-length-required'])
  await world.runJobs()
})

test('a client that goes away in the middle of a form or a part leaves nothing behind', async (t) => {
  const { world, publisher } = await authorIn(t, 'own')
  const post = await draft(publisher, paidPost)
  const reserved = await reserve(publisher, post.id, nothing, zipOf(100_000))
  const { transfer } = (
    await publisher.calls(transportAttachment, { ...operationOf(post.id, reserved.body), body: { partNumber: 1 } })
  ).body
  await world.server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = world.server.server.address() as AddressInfo
  const { pathname, search } = new URL(transfer.url)
  const formHead =
    '--b\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n'
  const cutOff = [
    [
      'POST /api/v1/profile/avatar',
      `Authorization: Bearer ${publisher.token}\r\nIdempotency-Key: gone\r\nContent-Type: multipart/form-data; boundary=b`,
      formHead,
    ],
    [
      `PUT ${pathname}${search}`,
      `X-Part-Capability: ${transfer.headers['x-part-capability']}\r\nContent-Type: application/octet-stream`,
      '',
    ],
  ]
  for (const [target, headers, begin] of cutOff) {
    const accepted = once(world.server.server, 'connection') as Promise<[Socket]>
    const socket = connect(port, '127.0.0.1')
    const sent = `${target} HTTP/1.1\r\nHost: x\r\n${headers}\r\nContent-Length: 100000\r\n\r\n${begin}${'x'.repeat(50_000)}`
    socket.write(sent)
    const [received] = await accepted
    await until('all of it has arrived', () => received.bytesRead >= sent.length)
    socket.destroy()
    await until('the server knows that the client is gone', () => received.destroyed)
  }
  // The server answered whatever it still could.
  await world.server.close()
  const { rows } = await world.services.pool.query(
    `SELECT request_key FROM upload_operations WHERE request_key = 'gone'`,
  )
  deepEqual(rows, [])
  for await (const { key } of world.services.files.list('')) throw new Error(`${key} is left`)
  const part = await world.services.pool.query('SELECT state FROM upload_parts')
  deepEqual(part.rows, [{ state: 'authorized' }])
})

test('a Post has three ZIPs and 10 MiB of them, a race does not pass more, and what is removed makes room', async (t) => {
  const { world, publisher } = await authorIn(t)
  const post = await draft(publisher, paidPost)
  const replies = await Promise.all(Array.from({ length: 6 }, () => reserve(publisher, post.id, nothing, zipOf(1000))))
  equal(replies.filter(({ status }) => status === 202).length, 3)
  for (const { body } of replies.filter(({ status }) => status !== 202)) equal(body.code, 'attachment-quota')
  equal((await sendForm(publisher, post.id, smallZip())).body.code, 'attachment-quota')
  const first = replies.find(({ status }) => status === 202)!.body.attachment.id
  const headers = { 'x-post-revision': await revisionOf(publisher, post.id) }
  await publisher.calls(removeAttachment, { params: { postId: post.id, assetId: first }, headers })
  const rest = 10_485_760 - 2000
  deepEqual((await reserve(publisher, post.id, nothing, zipOf(rest + 1))).body.code, 'attachment-quota')
  equal((await reserve(publisher, post.id, nothing, zipOf(rest))).status, 202)
  const { usage, limits } = (await publisher.calls(listAttachments, { params: { postId: post.id } })).body
  deepEqual(usage, {
    postAttachments: 3,
    postBytes: 10_485_760,
    remainingPostBytes: 0,
    profileBytes: 10_485_760 + 1000,
  })
  deepEqual(
    [limits.postAttachments, limits.postBytes, limits.partBytes, limits.profileBytes],
    [3, 10_485_760, 5_242_880, 104_857_600],
  )
  await world.runJobs()
})

test('all ZIPs of an account have 100 MiB, also those that wait for their cleanup', async (t) => {
  const { world, publisher } = await authorIn(t)
  let last = ''
  for (let index = 0; index < 10; index += 1) {
    const post = await draft(publisher, paidPost)
    const { status, body } = await reserve(publisher, post.id, nothing, zipOf(10_485_760))
    equal(status, 202)
    last = body.attachment.operation.id
    await world.advance(7)
  }
  const post = await draft(publisher, paidPost)
  equal((await reserve(publisher, post.id, nothing, zipOf(1))).body.code, 'attachment-quota')
  await publisher.calls(cancelUpload, { params: { operationId: last } })
  equal((await reserve(publisher, post.id, nothing, zipOf(1))).body.code, 'attachment-quota', 'not cleaned up yet')
  await world.runJobs()
  equal((await reserve(publisher, post.id, nothing, zipOf(1))).status, 202)
  equal((await publisher.calls(getUploadOperation, { params: { operationId: last } })).body.attachment.state, 'removed')
})
