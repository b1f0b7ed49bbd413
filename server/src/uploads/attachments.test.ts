import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import {
  completeAttachment,
  downloadAttachment,
  editAttachment,
  getAsset,
  listAttachments,
  listPublicAttachments,
  lookUpAttachment,
  removeAttachment,
  transportAttachment,
} from '@pennypost/contract/attachments'
import { getPublicPost } from '@pennypost/contract/discovery'
import { associateUpload, cancelUpload, getUploadOperation, listUploadOperations } from '@pennypost/contract/images'
import { deletePost, getPost, publishPost, updatePost, withdrawPost } from '@pennypost/contract/posts'
import { saveBasePayoutAddress, savePayoutAddress } from '@pennypost/contract/profiles'
import { createWorld } from '../test/world.ts'
import { operationOf, reserve, revisionOf, sendForm, sendPart, uploadZip } from './attachments.fixture.ts'
import { expireUploads } from './expire-uploads.job.ts'
import { draft, nanoAddress, paidPost, sha256, wholePost, zip } from './uploads.fixture.ts'

async function authorIn(t: TestContext) {
  const world = await createWorld(t)
  const author = await world.creator()
  await author.owner.calls(savePayoutAddress, { body: { payoutAddress: nanoAddress } })
  const post = await draft(author.publisher, paidPost)
  return {
    world,
    author,
    publisher: author.publisher,
    postId: post.id as string,
    params: { postId: post.id as string },
  }
}

const small = () => zip({ 'notes/readme.txt': `Hello ${randomUUID()}`, '__MACOSX/._readme.txt': 'x' })
const large = () => zip({ 'data.bin': randomBytes(6_000_000) })
const asset = (postId: string, body: { attachment: { id: string } }) => ({
  params: { postId, assetId: body.attachment.id },
})

test('a ZIP is reserved, sent in parts of 5 MiB, completed, screened and attached', async (t) => {
  const { world, publisher, postId, params } = await authorIn(t)
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

  await world.settle()
  const { body: ready } = await publisher.calls(completeAttachment, { ...target, body: {} })
  deepEqual(
    [ready.attachment.state, ready.attachment.safety.eligible, ready.attachment.contents],
    ['ready', true, ['data.bin']],
  )
  equal(ready.attachment.safety.csamCoverage, 'partial')
  notEqual(ready.currentRevision, revision)
  deepEqual(ready.attachment.operation.transport.association, { revision: ready.currentRevision, conflict: null })
  equal(ready.attachment.operation.transport.stage, 'complete')
  const download = await publisher.calls(downloadAttachment, asset(postId, reserved.body))
  equal(download.status, 200)
  ok(bytes.equals(Buffer.from(download.body)))
  equal(download.headers.get('content-type'), 'application/zip')
  equal(download.headers.get('content-length'), String(bytes.length))
  equal(download.headers.get('cache-control'), 'private, no-store')
  equal(download.headers.get('x-content-type-options'), 'nosniff')
  match(download.headers.get('content-disposition')!, /^attachment; filename="engines\.zip"/)
  const { rows } = await world.services.pool.query('SELECT object_key FROM upload_parts')
  deepEqual(rows, [{ object_key: null }, { object_key: null }], 'parts are cleaned up')
  deepEqual((await publisher.calls(listUploadOperations, { query: { postId } })).body, { operations: [] })
  equal((await publisher.calls(getPost, { params })).body.attachments.length, 1)
})

test('a part is stored only with its capability, as exactly that many bytes, in fifteen minutes', async (t) => {
  const { world, publisher, postId } = await authorIn(t)
  const bytes = small()
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
  await world.settle()
})

test('of many senders of one part one is recorded, and whoever sent the same bytes is answered alike', async (t) => {
  const { world, publisher, postId } = await authorIn(t)
  const bytes = small()
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
  await world.settle()
  const { rows } = await world.services.pool.query(
    'SELECT count(*)::int AS n FROM upload_parts WHERE object_key IS NOT NULL',
  )
  equal(rows[0].n, 0)
})

test('bytes that are not what was promised are a checksum mismatch, and nothing of them is kept', async (t) => {
  const { world, publisher, postId } = await authorIn(t)
  const reply = await uploadZip(publisher, postId, small(), { sha256: 'a'.repeat(64), key: 'wrong' })
  deepEqual([reply.status, reply.body.code], [422, 'checksum-mismatch'])
  await world.settle()
  const { body } = await publisher.calls(lookUpAttachment, { params: { postId }, query: { requestKey: 'wrong' } })
  deepEqual(
    [body.attachment.state, body.attachment.safety.state, body.attachment.operation.transport.stage],
    ['pending', 'failed', 'failed'],
  )
  equal(body.attachment.safety.reuploadAllowed, true)
  equal((await publisher.calls(completeAttachment, { ...operationOf(postId, body), body: {} })).status, 422)
})

test('a reservation is one for its key; another intent under it is refused; by its key it is found for ever', async (t) => {
  const { world, publisher, postId, params } = await authorIn(t)
  const bytes = small()
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
  const removed = await publisher.calls(removeAttachment, { ...asset(postId, found.body), headers })
  deepEqual([removed.status, removed.body.attachment.state], [200, 'cleanup_queued'])
  equal(removed.body.attachment.operation.cleanup.state, 'queued')
  await world.settle()
  const byKey = await publisher.calls(listAttachments, { params, query: { requestKey: 'k' } })
  deepEqual([byKey.body.attachments[0].state, byKey.body.attachments[0].operation.cleanup.state], ['removed', 'done'])
  deepEqual((await publisher.calls(listAttachments, { params })).body.attachments, [])
  deepEqual((await publisher.calls(listAttachments, { params, query: { requestKey: 'unknown' } })).body.attachments, [])
  const replay = await reserve(publisher, postId, bytes, { key: 'k' })
  deepEqual([replay.status, replay.body.code], [410, 'resource-gone'])
  const transport = await publisher.calls(transportAttachment, { ...operationOf(postId, found.body), body: {} })
  deepEqual([transport.status, transport.body.code], [410, 'resource-gone'])
})

test('only what a reservation may say is accepted', async (t) => {
  const { publisher, postId } = await authorIn(t)
  const bytes = small()
  for (const filename of [
    'a.zi',
    '.zip',
    '....zip',
    'a/b.zip',
    'a\\b.zip',
    'a\u0000b.zip',
    'a\nb.zip',
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

test('ZIPs belong to paid Posts: neither paywall nor paid part goes while there are any', async (t) => {
  const { world, publisher, postId, params } = await authorIn(t)
  const free = await draft(publisher, wholePost)
  const refused = await reserve(publisher, free.id, small())
  deepEqual(
    [refused.status, refused.body.code, refused.body.errors[0].code],
    [422, 'paid-post-required', 'paid_post_required'],
  )
  const { body } = await uploadZip(publisher, postId, small())
  const patch = async (change: object) =>
    publisher.sends(updatePost, {
      params,
      headers: { 'x-post-revision': await revisionOf(publisher, postId) },
      body: change,
    })
  for (const _ of ['pending', 'ready']) {
    const unpaid = await patch({ enablePaywall: false })
    deepEqual(
      [unpaid.status, unpaid.body.code, unpaid.body.errors[0].code],
      [422, 'paid-post-required', 'paid_post_required'],
    )
    const empty = await patch({ paidContentMarkdown: null })
    deepEqual(
      [empty.status, empty.body.code, empty.body.errors[0].code],
      [422, 'paid-content-required', 'paid_content_required'],
    )
    equal((await patch({ title: 'Another' })).status, 200)
    await world.settle()
  }
  const headers = { 'x-post-revision': await revisionOf(publisher, postId) }
  equal((await publisher.calls(removeAttachment, { ...asset(postId, body), headers })).status, 200)
  equal((await patch({ enablePaywall: false, paidContentMarkdown: null })).status, 200)
  await world.settle()
})

test('a Post is not published while a ZIP is neither ready nor removed', async (t) => {
  const { world, publisher, postId, params } = await authorIn(t)
  const { body } = await uploadZip(publisher, postId, Buffer.from('not an archive'))
  for (const state of ['queued', 'rejected']) {
    const { body: post } = await publisher.calls(getPost, { params })
    ok(post.blockers.some(({ code }: { code: string }) => code === 'attachments-unresolved'))
    const refused = await publisher.calls(publishPost, { params })
    deepEqual([refused.status, refused.body.code], [409, 'attachments-unresolved'], state)
    await world.settle()
  }
  const { body: rejected } = await publisher.calls(getUploadOperation, {
    params: { operationId: body.attachment.operation.id },
  })
  deepEqual([rejected.attachment.state, rejected.attachment.safety.state], ['pending', 'rejected'])
  equal((await publisher.calls(downloadAttachment, asset(postId, body))).body.code, 'attachment-safety-unavailable')
  const cancelled = await publisher.calls(cancelUpload, { params: { operationId: body.attachment.operation.id } })
  deepEqual([cancelled.status, cancelled.body.attachment.state], [200, 'cleanup_queued'])
  equal((await publisher.calls(publishPost, { params })).status, 200)
  await world.settle()
})

test('readers see ready ZIPs of published Posts; bytes are for the author until somebody else may read', async (t) => {
  const { world, author, publisher, postId, params } = await authorIn(t)
  const bytes = small()
  const { body } = await uploadZip(publisher, postId, bytes)
  await world.settle()
  const anybody = world.stranger()
  const file = { params: { assetId: body.attachment.id } }
  equal((await anybody.calls(listPublicAttachments, { params })).status, 404)
  equal((await anybody.calls(getAsset, file)).status, 404)
  equal((await author.owner.calls(getAsset, file)).status, 200)
  await publisher.calls(publishPost, { params })
  const shown = {
    id: body.attachment.id,
    filename: 'engines.zip',
    sizeBytes: bytes.length,
    description: 'All of them',
    sha256: sha256(bytes),
    mimeType: 'application/zip',
    downloadUrl: `/api/assets/${body.attachment.id}`,
    contents: ['notes/readme.txt'],
  }
  deepEqual((await anybody.calls(listPublicAttachments, { params })).body, { attachments: [shown] })
  deepEqual((await anybody.calls(getPublicPost, { params })).body.attachments, [shown])
  const other = await world.reader()
  for (const person of [anybody, other.owner]) {
    const refused = await person.calls(getAsset, file)
    deepEqual([refused.status, refused.body.code], [403, 'asset-forbidden'])
  }
  equal((await publisher.sends(getAsset, file)).status, 401, 'a Publishing key is no reader')
  const whole = await author.owner.calls(getAsset, file)
  ok(bytes.equals(Buffer.from(whole.body)))
  equal(whole.headers.get('cache-control'), 'private, no-store')
  await publisher.calls(withdrawPost, { params })
  equal((await anybody.calls(getAsset, file)).status, 404)
  equal((await publisher.calls(downloadAttachment, asset(postId, body))).status, 200)
  equal((await anybody.calls(getAsset, { params: { assetId: randomUUID() } })).status, 404)
})

test('name and description can be changed on the present revision, also while it is on its way', async (t) => {
  const { world, publisher, postId } = await authorIn(t)
  const { body } = await uploadZip(publisher, postId, small())
  const edit = async (change: object, revision?: string) =>
    publisher.sends(editAttachment, {
      ...asset(postId, body),
      headers: { 'x-post-revision': revision ?? (await revisionOf(publisher, postId)) },
      body: change,
    })
  const edited = await edit({ filename: 'Größe.zip', description: '' })
  deepEqual(
    [edited.status, edited.body.attachment.filename, edited.body.attachment.description],
    [200, 'Größe.zip', ''],
  )
  await world.settle()
  equal((await edit({ description: 'New' })).status, 200)
  equal((await edit({}, undefined)).status, 422)
  equal((await edit({ state: 'ready' })).status, 422)
  equal((await edit({ filename: 'x' })).status, 422)
  equal((await edit({ description: 'x' }, '2020-01-01T00:00:00Z')).body.code, 'revision-conflict')
  const bare = await publisher.sends(editAttachment, { ...asset(postId, body), body: { description: 'x' } })
  equal(bare.body.code, 'post-revision-required')
  const download = await publisher.calls(downloadAttachment, asset(postId, body))
  equal(
    download.headers.get('content-disposition'),
    `attachment; filename="Gr__e.zip"; filename*=UTF-8''Gr%C3%B6%C3%9Fe.zip`,
  )
  await publisher.calls(cancelUpload, { params: { operationId: body.attachment.operation.id } })
  equal((await edit({ description: 'late' })).body.code, 'attachment-state')
  await world.settle()
})

test('the ZIPs of another are not there', async (t) => {
  const { world, publisher, postId } = await authorIn(t)
  const { body } = await uploadZip(publisher, postId, small(), { key: 'k' })
  await world.settle()
  const { publisher: eve } = await world.creator()
  const own = await draft(eve, paidPost)
  const headers = { 'x-post-revision': await revisionOf(publisher, postId) }
  const { operationId } = operationOf(postId, body).params
  for (const place of [postId, own.id as string]) {
    const file = { params: { postId: place, assetId: body.attachment.id } }
    const target = { params: { postId: place, operationId } }
    const replies = [
      await eve.calls(transportAttachment, { ...target, body: {} }),
      await eve.calls(completeAttachment, { ...target, body: {} }),
      await eve.calls(downloadAttachment, file),
      await eve.calls(removeAttachment, { ...file, headers }),
      await eve.calls(editAttachment, { ...file, headers, body: { description: 'mine' } }),
    ]
    deepEqual(
      replies.map(({ status }) => status),
      [404, 404, 404, 404, 404],
    )
  }
  equal((await eve.calls(listAttachments, { params: { postId } })).status, 404)
  equal((await eve.calls(lookUpAttachment, { params: { postId }, query: { requestKey: 'k' } })).status, 404)
  equal((await reserve(eve, postId, small(), { revision: headers['x-post-revision'] })).status, 404)
  for (const endpoint of [getUploadOperation, associateUpload, cancelUpload])
    equal((await eve.calls(endpoint, { params: { operationId } })).status, 404)
  equal((await publisher.calls(downloadAttachment, asset(own.id, body))).status, 404, 'nor under another Post')
})

test('an upload without progress for a day is given up, and its replay is gone', async (t) => {
  const { world, publisher, postId, params } = await authorIn(t)
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
  await world.settle()
  const { body } = await publisher.calls(listAttachments, { params, query: { requestKey: 'slow' } })
  deepEqual([body.attachments[0].state, body.attachments[0].operation.transport.stage], ['removed', 'cancelled'])
  deepEqual(body.usage, { postAttachments: 0, postBytes: 0, remainingPostBytes: 10_485_760, profileBytes: 0 })
})

test('the adapter takes one small ZIP in a form and stays on its own contract', async (t) => {
  const { world, publisher, postId, params } = await authorIn(t)
  const bytes = small()
  const sent = await sendForm(publisher, postId, bytes, { key: 'old' })
  equal(sent.status, 202, JSON.stringify(sent.body))
  deepEqual([sent.body.attachment.safety.received, sent.body.attachment.operation.transport.parts], [true, []])
  const replay = await sendForm(publisher, postId, bytes, { key: 'old' })
  deepEqual([replay.status, replay.body.replayed, replay.headers.get('x-idempotency-replay')], [202, true, 'true'])
  equal((await reserve(publisher, postId, bytes, { key: 'old' })).body.code, 'idempotency-mismatch')
  await reserve(publisher, postId, bytes, { key: 'new' })
  equal((await sendForm(publisher, postId, bytes, { key: 'new' })).body.code, 'idempotency-mismatch')
  const parts = await publisher.calls(transportAttachment, {
    ...operationOf(postId, sent.body),
    body: { partNumber: 1 },
  })
  equal(parts.body.code, 'attachment-state')
  equal((await sendForm(publisher, postId, bytes, { sha256: 'c'.repeat(64) })).body.code, 'checksum-mismatch')
  equal((await sendForm(publisher, postId, bytes, { filename: 'x.txt' })).status, 422)
  equal((await sendForm(publisher, postId, bytes, { revision: undefined })).status, 428)
  equal((await sendForm(publisher, postId, Buffer.alloc(3_145_729))).status, 413)
  await world.settle()
  const { body } = await publisher.calls(listAttachments, { params, query: { requestKey: 'old' } })
  deepEqual([body.attachments[0].state, body.attachments[0].operation.transport.stage], ['ready', 'complete'])
})

test('with a ZIP pending or ready the smallest USDC price is 0.25', async (t) => {
  const { world, author, publisher } = await authorIn(t)
  await author.owner.calls(saveBasePayoutAddress, {
    body: { payoutAddress: '0x52908400098527886E0F7030069857D2E4169EE7' },
  })
  const { id } = await draft(publisher, { ...paidPost, priceCurrency: 'USDC', priceAtomic: '200000' })
  const usdc = async () => (await publisher.calls(getPost, { params: { postId: id } })).body.paymentOffers[0]
  deepEqual([(await usdc()).status, (await usdc()).minimumAtomic], ['ready', '100000'])
  await reserve(publisher, id, small())
  deepEqual([(await usdc()).status, (await usdc()).minimumAtomic], ['below_minimum', '250000'])
  await world.settle()
})

test('what was sold is kept for its buyers when it is taken off the Post', async (t) => {
  const { world, publisher, postId, params } = await authorIn(t)
  const { body } = await uploadZip(publisher, postId, small())
  await world.settle()
  await world.services.pool.query('INSERT INTO post_figures (post_id, sales_count) VALUES ($1, 1)', [postId])
  const headers = { 'x-post-revision': await revisionOf(publisher, postId) }
  const removed = await publisher.calls(removeAttachment, { ...asset(postId, body), headers })
  equal(removed.body.attachment.retentionReason, 'financial-history-retained')
  await world.settle()
  const { attachments } = (await publisher.calls(listAttachments, { params })).body
  deepEqual([attachments[0].state, attachments[0].operation.cleanup.state], ['cleanup_queued', 'retained'])
  deepEqual((await publisher.calls(getPost, { params })).body.attachments, [])
  equal((await publisher.calls(downloadAttachment, asset(postId, body))).status, 200)
})

test('deleting a draft cleans up its ZIPs', async (t) => {
  const { world, publisher, postId } = await authorIn(t)
  await uploadZip(publisher, postId, small())
  await world.settle()
  const headers = { 'x-post-revision': await revisionOf(publisher, postId) }
  equal((await publisher.calls(deletePost, { params: { postId }, headers })).status, 200)
  await world.settle()
  const { rows } = await world.services.pool.query('SELECT state FROM attachments')
  deepEqual(rows, [{ state: 'removed' }])
  const kept = await world.services.pool.query('SELECT received_key FROM upload_operations')
  deepEqual(kept.rows, [{ received_key: null }])
})
