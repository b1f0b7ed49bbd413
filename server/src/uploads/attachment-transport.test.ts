import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import {
  completeAttachment,
  downloadAttachment,
  editAttachment,
  listAttachments,
  lookUpAttachment,
  removeAttachment,
  transportAttachment,
} from '@pennypost/contract/attachments'
import { cancelUpload, listUploadOperations } from '@pennypost/contract/images'
import { getProblem } from '@pennypost/contract/platform-operations'
import { getPost } from '@pennypost/contract/posts'
import type { PutOptions } from '../platform/files/file-store.ts'
import {
  assetOf,
  operationOf,
  paidAuthorIn,
  reserve,
  revisionOf,
  sendPart,
  smallZip,
  uploadZip,
} from './attachments.fixture.ts'
import { expireUploads } from './expire-uploads.job.ts'
import { findPart, recordPart } from './part-store.ts'
import { sha256, zip } from './uploads.fixture.ts'

const large = () => zip({ 'data.bin': randomBytes(6_000_000) })

test('a ZIP is reserved, sent in parts of 5 MiB, completed, screened and attached', async (t) => {
  const { world, publisher, postId, params } = await paidAuthorIn(t)
  const bytes = large()
  const revision = await revisionOf(publisher, postId)
  const reserved = await reserve(publisher, postId, bytes, { key: 'one', description: 'Data' })
  equal(reserved.status, 202)
  const { attachment, currentRevision, replayed } = reserved.body
  deepEqual([currentRevision, replayed, attachment.state], [revision, false, 'pending'])
  deepEqual(
    [attachment.filename, attachment.sizeBytes, attachment.description, attachment.sha256, attachment.mimeType],
    ['engines.zip', bytes.length, 'Data', sha256(bytes), 'application/zip'],
  )
  equal(attachment.downloadUrl, `/api/assets/${attachment.id}`)
  equal(attachment.operation.id, attachment.safety.operationId)
  equal(attachment.operation.requestKey, 'one')
  deepEqual(
    [attachment.safety.state, attachment.safety.received, attachment.safety.csamCoverage],
    ['receiving', false, null],
  )
  deepEqual(attachment.operation.transport, {
    stage: 'reserved',
    receipt: { received: false, sizeBytes: null, sha256: null },
    association: { revision: null, conflict: null },
    parts: [
      { number: 1, length: 5_242_880, generation: 0, state: 'waiting' },
      { number: 2, length: bytes.length - 5_242_880, generation: 0, state: 'waiting' },
    ],
  })
  deepEqual(attachment.operation.cleanup, { state: 'none', attempts: 0, nextAttemptAt: null, lastError: null })

  const target = operationOf(postId, reserved.body)
  const early = await publisher.calls(transportAttachment, { ...target, body: { partNumber: 2 } })
  deepEqual([early.status, early.body.code], [409, 'attachment-state'])
  equal((await publisher.calls(transportAttachment, { ...target, body: {} })).body.transfer, null)
  const first = await publisher.calls(transportAttachment, { ...target, body: { partNumber: 1 } })
  const { transfer } = first.body
  deepEqual([transfer.partNumber, transfer.offset, transfer.length, transfer.method], [1, 0, 5_242_880, 'PUT'])
  equal(
    transfer.url,
    `http://pennypost.test/functions/v1/upload-post-attachment-part?operation=${attachment.operation.id}&part=1`,
  )
  deepEqual(Object.keys(transfer.headers), ['x-part-capability'])
  const stranger = world.stranger()
  const stored = await sendPart(stranger, transfer.url, bytes.subarray(0, 5_242_880), transfer.headers)
  deepEqual([stored.status, stored.body], [200, { partNumber: 1, length: 5_242_880, stored: true }])
  const unready = await publisher.calls(completeAttachment, { ...target, body: {} })
  deepEqual([unready.status, unready.body.code], [409, 'attachment-state'])
  const again = await publisher.calls(transportAttachment, { ...target, body: { partNumber: 1 } })
  equal(again.body.transfer, null, 'a stored part is not sent again')
  equal(again.body.attachment.operation.transport.stage, 'receiving')
  const second = await publisher.calls(transportAttachment, { ...target, body: { partNumber: 2 } })
  equal(second.body.transfer.offset, 5_242_880)
  equal(
    (await sendPart(stranger, second.body.transfer.url, bytes.subarray(5_242_880), second.body.transfer.headers))
      .status,
    200,
  )
  equal((await publisher.sends(transportAttachment, { ...target, body: { partNumber: 3 } })).status, 422)

  const completed = await publisher.calls(completeAttachment, { ...target, body: {} })
  equal(completed.status, 200)
  const { transport } = completed.body.attachment.operation
  deepEqual(transport.receipt, { received: true, sizeBytes: bytes.length, sha256: sha256(bytes) })
  deepEqual([transport.stage, completed.body.attachment.safety.state], ['received', 'queued'])
  equal(completed.body.currentRevision, revision, 'only an association moves the revision')

  await world.runJobs()
  const { body: ready } = await publisher.calls(completeAttachment, { ...target, body: {} })
  deepEqual(
    [ready.attachment.state, ready.attachment.safety.eligible, ready.attachment.contents],
    ['ready', true, ['data.bin']],
  )
  equal(ready.attachment.safety.csamCoverage, 'partial')
  notEqual(ready.currentRevision, revision)
  deepEqual(ready.attachment.operation.transport.association, { revision: ready.currentRevision, conflict: null })
  equal(ready.attachment.operation.transport.stage, 'complete')
  const download = await publisher.calls(downloadAttachment, assetOf(postId, reserved.body))
  equal(download.status, 200)
  ok(bytes.equals(Buffer.from(download.body)))
  equal(download.headers.get('content-type'), 'application/zip')
  equal(download.headers.get('content-length'), String(bytes.length))
  equal(download.headers.get('cache-control'), 'private, no-store')
  equal(download.headers.get('x-content-type-options'), 'nosniff')
  match(download.headers.get('content-disposition')!, /^attachment; filename="engines\.zip"/)
  const { rows } = await world.services.pool.query('SELECT object_key FROM upload_parts')
  deepEqual(rows, [{ object_key: null }, { object_key: null }], 'parts are cleaned up')
  deepEqual((await publisher.calls(listUploadOperations, { query: { postId } })).body, {
    operations: [],
    nextCursor: null,
  })
  equal((await publisher.calls(getPost, { params })).body.attachments.length, 1)
})

// The memory lies outside of V8's heap, and V8 would collect the whole heap several times a second while parts arrive.
// An S3 client may send bytes again, so it needs them longer.
const onS3 = { skip: process.env.TEST_OBJECT_STORE !== undefined }

test('the memory in which a part arrived is freed when the part is stored', onS3, async (t) => {
  const { world, publisher, postId } = await paidAuthorIn(t)
  const { files } = world.services
  const put = files.put.bind(files)
  const received: Uint8Array[] = []
  t.mock.method(files, 'put', (key: string, bytes: AsyncIterable<Uint8Array>, options?: PutOptions) => {
    async function* observed() {
      for await (const chunk of bytes) {
        received.push(chunk)
        yield chunk
      }
    }
    return put(key, key.startsWith('parts/') ? observed() : bytes, options)
  })
  equal((await uploadZip(publisher, postId, large())).status, 200)
  ok(received.length > 1, `${received.length} chunks`)
  deepEqual(
    received.filter(({ byteLength }) => byteLength > 0),
    [],
  )
  await world.runJobs()
})

test('a part is stored only with its capability, as exactly that many bytes, in fifteen minutes', async (t) => {
  const { world, publisher, postId } = await paidAuthorIn(t)
  const bytes = smallZip()
  const reserved = await reserve(publisher, postId, bytes)
  const target = operationOf(postId, reserved.body)
  const authorize = async () =>
    (await publisher.calls(transportAttachment, { ...target, body: { partNumber: 1 } })).body.transfer
  const old = await authorize()
  const current = await authorize()
  const other = await reserve(publisher, postId, bytes)
  const elsewhere = current.url.replace(reserved.body.attachment.operation.id, other.body.attachment.operation.id)
  const stranger = world.stranger()
  const refusals: [string, Buffer, Record<string, string>][] = [
    [current.url, bytes, {}],
    [current.url, bytes, { 'x-part-capability': 'nonsense' }],
    [current.url, bytes, old.headers],
    [current.url, bytes.subarray(1), current.headers],
    [current.url, Buffer.concat([bytes, bytes]), current.headers],
    [elsewhere, bytes, current.headers],
    [current.url.replace('part=1', 'part=2'), bytes, current.headers],
    [current.url.replace('part=1', 'part=x'), bytes, current.headers],
    [current.url.replace(/operation=[^&]*/, 'operation=x'), bytes, current.headers],
  ]
  for (const [url, sent, headers] of refusals) {
    const reply = await sendPart(stranger, url, sent, headers)
    deepEqual([reply.status, reply.body.code], [403, 'capability-refused'], url)
  }
  const forbidden = {
    authorization: `Bearer ${publisher.token}`,
    cookie: 'a=b',
    apikey: 'x',
    'payment-signature': 'x',
    'x-payment': 'x',
    'sign-in-with-x': 'x',
    'content-range': 'bytes 0-1/2',
    'content-encoding': 'gzip',
  }
  for (const [name, value] of Object.entries(forbidden)) {
    const reply = await sendPart(stranger, current.url, bytes, { ...current.headers, [name]: value })
    deepEqual([reply.status, reply.body.code], [400, 'invalid-request'], name)
  }
  const typed = await sendPart(stranger, current.url, bytes, { ...current.headers, 'content-type': 'application/zip' })
  equal(typed.status, 415)
  await world.advance(15 * 60)
  equal((await sendPart(stranger, current.url, bytes, current.headers)).status, 403, 'too late')
  const fresh = await authorize()
  equal((await sendPart(stranger, fresh.url, bytes, fresh.headers)).status, 200)
  equal((await sendPart(stranger, fresh.url, bytes, fresh.headers)).status, 200, 'the same bytes again')
  const others = await sendPart(stranger, fresh.url, Buffer.from(bytes).reverse(), fresh.headers)
  deepEqual([others.status, others.body.code], [409, 'idempotency-mismatch'])
  equal((await publisher.calls(completeAttachment, { ...target, body: {} })).status, 200)
  await world.runJobs()
})

test('a part of a ZIP that was cancelled is not stored', async (t) => {
  const { world, publisher, postId } = await paidAuthorIn(t)
  const bytes = smallZip()
  const { body } = await reserve(publisher, postId, bytes)
  const target = operationOf(postId, body)
  const { transfer } = (await publisher.calls(transportAttachment, { ...target, body: { partNumber: 1 } })).body
  await publisher.calls(cancelUpload, { params: { operationId: target.params.operationId } })
  const late = await sendPart(publisher, transfer.url, bytes, transfer.headers)
  deepEqual([late.status, late.body.code], [409, 'attachment-state'])
  await world.runJobs()
})

test('of many senders of one part one is recorded, and those who sent the same bytes get the same reply', async (t) => {
  const { world, publisher, postId } = await paidAuthorIn(t)
  const bytes = smallZip()
  const reserved = await reserve(publisher, postId, bytes)
  const target = operationOf(postId, reserved.body)
  const { transfer } = (await publisher.calls(transportAttachment, { ...target, body: { partNumber: 1 } })).body
  const wrong = Buffer.from(bytes).reverse()
  const replies = await Promise.all(
    [bytes, wrong, bytes, wrong, bytes, bytes].map((sent) =>
      sendPart(world.stranger(), transfer.url, sent, transfer.headers),
    ),
  )
  const won = replies.filter(({ status }) => status === 200).length
  ok(won === 4 || won === 2, `${replies.map(({ status }) => status)}`)
  ok(replies.every(({ status }) => status === 200 || status === 409))
  const completions = await Promise.all(
    Array.from({ length: 5 }, () => publisher.calls(completeAttachment, { ...target, body: {} })),
  )
  const expected = won === 4 ? 200 : 422
  deepEqual(
    completions.map(({ status }) => status),
    Array(5).fill(expected),
  )
  await world.runJobs()
  const { rows } = await world.services.pool.query(
    'SELECT count(*)::int AS n FROM upload_parts WHERE object_key IS NOT NULL',
  )
  equal(rows[0].n, 0)
})

test('bytes that are not what was promised are a checksum mismatch, and nothing of them is kept', async (t) => {
  const { world, publisher, postId } = await paidAuthorIn(t)
  const reply = await uploadZip(publisher, postId, smallZip(), { sha256: 'a'.repeat(64), key: 'wrong' })
  deepEqual([reply.status, reply.body.code], [422, 'checksum-mismatch'])
  await world.runJobs()
  const { body } = await publisher.calls(lookUpAttachment, { params: { postId }, query: { requestKey: 'wrong' } })
  deepEqual(
    [body.attachment.state, body.attachment.safety.state, body.attachment.operation.transport.stage],
    ['pending', 'failed', 'failed'],
  )
  equal(body.attachment.safety.reuploadAllowed, true)
  equal((await publisher.calls(completeAttachment, { ...operationOf(postId, body), body: {} })).status, 422)
})

test('a reservation is one for its key; another intent under it is refused; by its key it is found forever', async (t) => {
  const { world, publisher, postId, params } = await paidAuthorIn(t)
  const bytes = smallZip()
  const revision = await revisionOf(publisher, postId)
  const replies = await Promise.all(
    Array.from({ length: 10 }, () => reserve(publisher, postId, bytes, { key: 'k', revision })),
  )
  deepEqual([...new Set(replies.map(({ status }) => status))], [202])
  equal(new Set(replies.map(({ body }) => body.attachment.id)).size, 1)
  equal(replies.filter(({ headers }) => headers.get('x-idempotency-replay') === null).length, 1)
  for (const changed of [
    { filename: 'other.zip' },
    { description: 'Other' },
    { sha256: 'b'.repeat(64) },
    { sizeBytes: 9 },
  ]) {
    const refused = await reserve(publisher, postId, bytes, { key: 'k', ...changed })
    deepEqual([refused.status, refused.body.code], [409, 'idempotency-mismatch'])
    equal(refused.body.recovery.operationId, replies[0]!.body.attachment.operation.id)
    equal(refused.body.recovery.uploadUrl, `/api/v1/posts/${postId}/attachments/uploads`)
  }
  const found = await publisher.calls(lookUpAttachment, { params, query: { requestKey: 'k' } })
  deepEqual([found.status, found.body.replayed, found.body.attachment.id], [200, true, replies[0]!.body.attachment.id])
  equal((await publisher.calls(lookUpAttachment, { params, query: { requestKey: 'unknown' } })).status, 404)

  const headers = { 'x-post-revision': await revisionOf(publisher, postId) }
  const removed = await publisher.calls(removeAttachment, { ...assetOf(postId, found.body), headers })
  deepEqual([removed.status, removed.body.attachment.state], [200, 'cleanup_queued'])
  equal(removed.body.attachment.operation.cleanup.state, 'queued')
  await world.runJobs()
  const byKey = await publisher.calls(listAttachments, { params, query: { requestKey: 'k' } })
  deepEqual([byKey.body.attachments[0].state, byKey.body.attachments[0].operation.cleanup.state], ['removed', 'done'])
  deepEqual((await publisher.calls(listAttachments, { params })).body.attachments, [])
  deepEqual((await publisher.calls(listAttachments, { params, query: { requestKey: 'unknown' } })).body.attachments, [])
  const replay = await reserve(publisher, postId, bytes, { key: 'k' })
  deepEqual([replay.status, replay.body.code], [410, 'resource-gone'])
  for (const endpoint of [transportAttachment, completeAttachment]) {
    const reply = await publisher.sends(endpoint, { ...operationOf(postId, found.body), body: {} })
    deepEqual([reply.status, reply.body.code], [410, 'resource-gone'])
  }
})

test('completing while an authorized part is on its way is 409 attachment-in-flight', async (t) => {
  const { world, publisher, postId } = await paidAuthorIn(t)
  const bytes = smallZip()
  const reserved = await reserve(publisher, postId, bytes)
  const target = operationOf(postId, reserved.body)
  const complete = () => publisher.calls(completeAttachment, { ...target, body: {} })
  equal((await complete()).body.code, 'attachment-state', 'nobody was asked for its bytes')
  const { transfer } = (await publisher.calls(transportAttachment, { ...target, body: { partNumber: 1 } })).body
  const early = await complete()
  deepEqual([early.status, early.body.code], [409, 'attachment-in-flight'])
  equal(early.body.attachment.id, reserved.body.attachment.id)
  equal((await sendPart(publisher, transfer.url, bytes, transfer.headers)).status, 200, 'it arrives anyway')
  const { status, body } = await complete()
  deepEqual([status, body.attachment.operation.transport.receipt.received], [200, true])
  const page = await publisher.calls(getProblem, { params: { code: 'attachment-in-flight' } })
  equal(page.status, 200)
  await world.runJobs()
})

test('only what a reservation may say is accepted', async (t) => {
  const { publisher, postId } = await paidAuthorIn(t)
  const bytes = smallZip()
  for (const filename of [
    'a.zi',
    '.zip',
    '../b.zip',
    'a/b.zip',
    'a\\b.zip',
    'a\u0000b.zip',
    'a\nb.zip',
    'a\r\nX-Evil: 1.zip',
    'a\u0085b.zip',
    'a\u2028b.zip',
    'a\ud800b.zip',
    'engines.rar',
    `${'x'.repeat(125)}.zip`,
    'C:evil.zip',
    'a\u202ezip.zip',
  ])
    equal((await reserve(publisher, postId, bytes, { filename })).status, 422, JSON.stringify(filename))
  for (const filename of ['A.ZIP', `${'x'.repeat(124)}.zip`]) {
    const accepted = await reserve(publisher, postId, bytes, { filename })
    equal(accepted.status, 202, filename)
  }
  for (const wrong of [
    { sha256: 'A'.repeat(64) },
    { sha256: 'x' },
    { sizeBytes: 0 },
    { sizeBytes: 1.5 },
    { description: 'x'.repeat(501) },
  ])
    equal((await reserve(publisher, postId, bytes, wrong)).status, 422, JSON.stringify(wrong))
  const tooLarge = await reserve(publisher, postId, bytes, { sizeBytes: 10_485_761 })
  deepEqual([tooLarge.status, tooLarge.body.code], [413, 'payload-too-large'])
  const missing = await reserve(publisher, postId, bytes, { revision: undefined })
  deepEqual([missing.status, missing.body.code], [428, 'post-revision-required'])
  const stale = await reserve(publisher, postId, bytes, { revision: '2020-01-01T00:00:00Z' })
  deepEqual(
    [stale.status, stale.body.code, stale.body.currentRevision],
    [409, 'revision-conflict', await revisionOf(publisher, postId)],
  )
})

test('a file name is any basename of 5 to 128 characters that ends in .zip, and comes back in a header of one meaning', async (t) => {
  const { world, publisher, postId } = await paidAuthorIn(t)
  const { body } = await uploadZip(publisher, postId, smallZip())
  await world.runJobs()
  const asset = assetOf(postId, body)
  for (const [filename, disposition] of [
    ['Q&A: part 1.zip', `filename="Q&A: part 1.zip"; filename*=UTF-8''Q%26A%3A%20part%201.zip`],
    ['what?.zip', `filename="what?.zip"; filename*=UTF-8''what%3F.zip`],
    ['.hidden.zip', `filename=".hidden.zip"; filename*=UTF-8''.hidden.zip`],
    ['....zip', `filename="....zip"; filename*=UTF-8''....zip`],
    [
      'a"; filename=b|<*>.zip',
      `filename="a_; filename=b|<*>.zip"; filename*=UTF-8''a%22%3B%20filename%3Db%7C%3C%2A%3E.zip`,
    ],
    ["it's (1).zip", `filename="it's (1).zip"; filename*=UTF-8''it%27s%20%281%29.zip`],
    ['a%2Fb.zip', `filename="a_2Fb.zip"; filename*=UTF-8''a%252Fb.zip`],
    ['家👩‍🚀.zip', `filename="______.zip"; filename*=UTF-8''%E5%AE%B6%F0%9F%91%A9%E2%80%8D%F0%9F%9A%80.zip`],
  ] as const) {
    const headers = { 'x-post-revision': await revisionOf(publisher, postId) }
    const edited = await publisher.calls(editAttachment, { ...asset, headers, body: { filename } })
    deepEqual([edited.status, edited.body.attachment?.filename], [200, filename])
    const download = await publisher.calls(downloadAttachment, asset)
    equal(download.headers.get('content-disposition'), `attachment; ${disposition}`)
  }
})

test('an upload without progress for a day is given up, and its replay is gone', async (t) => {
  const { world, publisher, postId, params } = await paidAuthorIn(t)
  const bytes = large()
  const reserved = await reserve(publisher, postId, bytes, { key: 'slow' })
  const target = operationOf(postId, reserved.body)
  await world.advance(23 * 3600)
  const { transfer } = (await publisher.calls(transportAttachment, { ...target, body: { partNumber: 1 } })).body
  equal((await sendPart(publisher, transfer.url, bytes.subarray(0, 5_242_880), transfer.headers)).status, 200)
  await world.advance(23 * 3600)
  await expireUploads.run(world.services, {})
  equal((await publisher.calls(transportAttachment, { ...target, body: {} })).status, 200, 'a stored part is progress')
  await world.advance(3600)
  const gone = await publisher.calls(transportAttachment, { ...target, body: {} })
  deepEqual([gone.status, gone.body.code], [410, 'resource-gone'])
  equal((await reserve(publisher, postId, bytes, { key: 'slow' })).status, 410)
  await expireUploads.run(world.services, {})
  await world.runJobs()
  const { body } = await publisher.calls(listAttachments, { params, query: { requestKey: 'slow' } })
  deepEqual([body.attachments[0].state, body.attachments[0].operation.transport.stage], ['removed', 'cancelled'])
  deepEqual(body.usage, { postAttachments: 0, postBytes: 0, remainingPostBytes: 10_485_760, profileBytes: 0 })
})

test('bytes of a request are not recorded if the part was authorized again meanwhile', async (t) => {
  const { world, publisher, postId } = await paidAuthorIn(t)
  const { db, clock } = world.services
  const target = operationOf(postId, (await reserve(publisher, postId, smallZip())).body)
  const { operationId } = target.params
  const authorize = () => publisher.calls(transportAttachment, { ...target, body: { partNumber: 1 } })
  await authorize()
  const seen = (await findPart(db, operationId, 1))!
  await authorize()
  equal(await recordPart(db, seen, { checksum: 1, key: 'parts/00/late' }, clock.now()), false)
  equal((await findPart(db, operationId, 1))!.state, 'authorized')
})
