import { deepEqual, equal } from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { listAttachments, removeAttachment, transportAttachment } from '@pennypost/contract/attachments'
import { draft } from '../posts/posts.fixture.ts'
import { assetOf, operationOf, paidAuthorIn, reserve, revisionOf, sendForm, smallZip } from './attachments.fixture.ts'
import { illustratedPost, sha256, zip } from './uploads.fixture.ts'

test('the adapter takes one small ZIP in a form and stays on its own contract', async (t) => {
  const { world, publisher, postId, params } = await paidAuthorIn(t)
  const bytes = smallZip()
  const sent = await sendForm(publisher, postId, bytes, { key: 'old' })
  equal(sent.status, 202, JSON.stringify(sent.body))
  deepEqual([sent.body.attachment.safety.received, sent.body.attachment.operation.transport.parts], [true, []])
  const replay = await sendForm(publisher, postId, bytes, { key: 'old' })
  deepEqual([replay.status, replay.body.replayed, replay.headers.get('x-idempotency-replay')], [202, true, 'true'])
  const modern = await reserve(publisher, postId, bytes, { key: 'old' })
  equal(modern.body.code, 'idempotency-mismatch')
  await reserve(publisher, postId, bytes, { key: 'new' })
  const legacy = await sendForm(publisher, postId, bytes, { key: 'new' })
  equal(legacy.body.code, 'idempotency-mismatch')
  // What began on one of the two is recovered there, whichever was asked.
  const adapter = `/api/v1/posts/${postId}/attachments`
  equal(modern.body.recovery.uploadUrl, adapter)
  equal(modern.body.recovery.statusUrl, `${adapter}?requestKey=old`)
  equal(legacy.body.recovery.uploadUrl, `${adapter}/uploads`)
  equal(legacy.body.recovery.statusUrl, `${adapter}/uploads?requestKey=new`)
  const unknown = await sendForm(publisher, postId, bytes, { key: 'other', sha256: 'c'.repeat(64) })
  deepEqual(unknown.body.recovery, {
    requestKey: 'other',
    statusUrl: `${adapter}?requestKey=other`,
    uploadUrl: adapter,
  })
  const parts = await publisher.calls(transportAttachment, {
    ...operationOf(postId, sent.body),
    body: { partNumber: 1 },
  })
  equal(parts.body.code, 'attachment-state')
  equal((await sendForm(publisher, postId, bytes, { sha256: 'c'.repeat(64) })).body.code, 'checksum-mismatch')
  equal((await sendForm(publisher, postId, bytes, { filename: 'x.txt' })).status, 422)
  equal((await sendForm(publisher, postId, bytes, { revision: undefined })).status, 428)
  equal((await sendForm(publisher, postId, Buffer.alloc(3_145_729))).status, 413)
  const revision = '2020-01-01T00:00:00.000000Z'
  equal((await sendForm(publisher, postId, bytes, { revision })).body.code, 'revision-conflict')
  equal((await sendForm(publisher, randomUUID(), bytes, { revision })).body.code, 'post-not-found')
  const free = await draft(publisher, illustratedPost)
  equal((await sendForm(publisher, free.id, bytes)).body.code, 'paid-post-required')
  await world.runJobs()
  const { body } = await publisher.calls(listAttachments, { params, query: { requestKey: 'old' } })
  deepEqual([body.attachments[0].state, body.attachments[0].operation.transport.stage], ['ready', 'complete'])
  await publisher.calls(removeAttachment, {
    ...assetOf(postId, sent.body),
    headers: { 'x-post-revision': await revisionOf(publisher, postId) },
  })
  const gone = await publisher.calls(transportAttachment, { ...operationOf(postId, sent.body), body: {} })
  deepEqual([gone.status, gone.body.recovery.uploadUrl], [410, adapter])
  equal((await sendForm(publisher, postId, bytes, { key: 'old' })).body.code, 'resource-gone')
  await world.runJobs()
})

test('the adapter takes a file of 3,145,728 bytes in a body of 3,670,016, and not one byte more; an empty file is 422', async (t) => {
  const { world, publisher, postId, params } = await paidAuthorIn(t)
  const empty = await sendForm(publisher, postId, Buffer.alloc(0))
  deepEqual([empty.status, empty.body.errors[0].field], [422, 'file'])
  deepEqual((await publisher.calls(listAttachments, { params })).body.attachments, [], 'it takes no place')

  const overhead = zip({ 'a.bin': '' }).length
  const bytes = zip({ 'a.bin': randomBytes(3_145_728 - overhead) })
  equal(bytes.length, 3_145_728)
  const sends = async (bodyBytes: number, key: string) => {
    const field = (name: string, value: string) =>
      `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
    const head = `${field('sha256', sha256(bytes))}--b\r\nContent-Disposition: form-data; name="file"; filename="a.zip"\r\nContent-Type: application/zip\r\n\r\n`
    const tail = '\r\n--b--\r\n'
    // What stands after the last boundary is nobody's, and counts.
    const padding = 'x'.repeat(bodyBytes - head.length - bytes.length - tail.length)
    return world.server.inject({
      method: 'POST',
      url: `/api/v1/posts/${postId}/attachments`,
      headers: {
        authorization: `Bearer ${publisher.token}`,
        'content-type': 'multipart/form-data; boundary=b',
        'idempotency-key': key,
        'x-post-revision': await revisionOf(publisher, postId),
      },
      payload: Buffer.concat([Buffer.from(head), bytes, Buffer.from(tail + padding)]),
    })
  }
  const over = await sends(3_670_017, 'over')
  deepEqual([over.statusCode, over.json().code], [413, 'payload-too-large'])
  equal((await sends(3_670_016, 'full')).statusCode, 202)
  await world.runJobs()
  const { body } = await publisher.calls(listAttachments, { params })
  deepEqual(
    body.attachments.map(({ state, sizeBytes }: Record<string, unknown>) => [state, sizeBytes]),
    [['ready', 3_145_728]],
  )
})
