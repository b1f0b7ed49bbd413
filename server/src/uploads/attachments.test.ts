import { deepEqual, equal, notEqual, ok } from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { getAsset } from '@pennypost/contract/access'
import {
  completeAttachment,
  downloadAttachment,
  editAttachment,
  listAttachments,
  listPublicAttachments,
  lookUpAttachment,
  partBytes,
  removeAttachment,
  transportAttachment,
} from '@pennypost/contract/attachments'
import { getPublicPost } from '@pennypost/contract/discovery'
import { clearHold, placeHold } from '@pennypost/contract/holds'
import { associateUpload, cancelUpload, getMedia, getUploadOperation } from '@pennypost/contract/images'
import { deletePost, getPost, updatePost } from '@pennypost/contract/posts'
import { getProfile, saveBasePayoutAddress } from '@pennypost/contract/profiles'
import { publishPost, withdrawPost } from '@pennypost/contract/publishing'
import { administrator } from '../discussion/discussion.fixture.ts'
import { arrives } from '../payments/finance/finance.fixture.ts'
import { quotes } from '../payments/market.fixture.ts'
import { draft, paidPost } from '../posts/posts.fixture.ts'
import {
  assetOf,
  operationOf,
  paidAuthorIn,
  reserve,
  revisionOf,
  sendForm,
  sendPart,
  smallZip,
  uploadZip,
} from './attachments.fixture.ts'
import { illustratedPost, sendAvatar, sha256, zip } from './uploads.fixture.ts'

test('ZIPs belong to paid Posts: neither paywall nor paid part goes while there are any', async (t) => {
  const { world, publisher, postId, params } = await paidAuthorIn(t)
  const free = await draft(publisher, illustratedPost)
  const refused = await reserve(publisher, free.id, smallZip())
  deepEqual(
    [refused.status, refused.body.code, refused.body.errors[0].code],
    [422, 'paid-post-required', 'paid_post_required'],
  )
  const { body } = await uploadZip(publisher, postId, smallZip())
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
    await world.runJobs()
  }
  const remove = async (headers: object) => {
    const reply = await publisher.sends(removeAttachment, { ...assetOf(postId, body), headers })
    return [reply.status, reply.body.code]
  }
  deepEqual(await remove({}), [428, 'post-revision-required'])
  deepEqual(await remove({ 'x-post-revision': '2020-01-01T00:00:00.000000Z' }), [409, 'revision-conflict'])
  deepEqual(await remove({ 'x-post-revision': await revisionOf(publisher, postId) }), [200, undefined])
  equal((await patch({ enablePaywall: false, paidContentMarkdown: null })).status, 200)
  await world.runJobs()
})

test('a Post is not published while a ZIP is neither ready nor removed', async (t) => {
  const { world, publisher, postId, params } = await paidAuthorIn(t)
  const { body } = await uploadZip(publisher, postId, Buffer.from('not an archive'))
  for (const state of ['queued', 'rejected']) {
    const { body: post } = await publisher.calls(getPost, { params })
    ok(post.blockers.some(({ code }: { code: string }) => code === 'attachments-unresolved'))
    const refused = await publisher.calls(publishPost, { params })
    deepEqual([refused.status, refused.body.code], [409, 'attachments-unresolved'], state)
    await world.runJobs()
  }
  const { body: rejected } = await publisher.calls(getUploadOperation, {
    params: { operationId: body.attachment.operation.id },
  })
  deepEqual([rejected.attachment.state, rejected.attachment.safety.state], ['pending', 'rejected'])
  equal((await publisher.calls(downloadAttachment, assetOf(postId, body))).body.code, 'attachment-safety-unavailable')
  const cancelled = await publisher.calls(cancelUpload, { params: { operationId: body.attachment.operation.id } })
  deepEqual([cancelled.status, cancelled.body.attachment.state], [200, 'cleanup_queued'])
  equal((await publisher.calls(publishPost, { params })).status, 200)
  await world.runJobs()
})

test('a Post is not published while a ready ZIP is held for review', async (t) => {
  const { world, publisher, postId, params } = await paidAuthorIn(t)
  const admin = await administrator(world)
  const { body } = await uploadZip(publisher, postId, smallZip())
  await world.runJobs()
  const { operation } = body.attachment
  const held = await admin.owner.calls(placeHold, { body: { operationId: operation.id, reason: 'A complaint' } })
  const { body: post } = await publisher.calls(getPost, { params })
  ok(post.blockers.some(({ code }: { code: string }) => code === 'attachments-unresolved'))
  const refused = await publisher.calls(publishPost, { params })
  deepEqual([refused.status, refused.body.code], [409, 'attachments-unresolved'])
  await admin.owner.calls(clearHold, { params: { holdId: held.body.id } })
  equal((await publisher.calls(publishPost, { params })).status, 200)
  // A hold that comes later does not stop its author from fixing a typo.
  await admin.owner.calls(placeHold, { body: { operationId: operation.id, reason: 'Another complaint' } })
  const headers = { 'x-post-revision': await revisionOf(publisher, postId) }
  equal((await publisher.calls(updatePost, { params, headers, body: { title: 'Fixed' } })).status, 200)
  await world.runJobs()
})

test('readers see ready ZIPs of published Posts; bytes are for those who may read the Post', async (t) => {
  const { world, author, publisher, postId, params } = await paidAuthorIn(t)
  const bytes = smallZip()
  const { body } = await uploadZip(publisher, postId, bytes)
  await world.runJobs()
  const anyone = world.stranger()
  const file = { params: { assetId: body.attachment.id } }
  equal((await anyone.calls(listPublicAttachments, { params })).status, 404)
  equal((await anyone.calls(getAsset, file)).status, 404)
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
  deepEqual((await anyone.calls(listPublicAttachments, { params })).body, { attachments: [shown] })
  deepEqual((await anyone.calls(getPublicPost, { params })).body.attachments, [shown])
  const other = await world.reader()
  for (const person of [anyone, other.owner]) {
    const refused = await person.calls(getAsset, file)
    equal(refused.status, 402)
  }
  equal((await publisher.sends(getAsset, file)).status, 401, 'a Publishing key is no reader')
  const whole = await author.owner.calls(getAsset, file)
  ok(bytes.equals(Buffer.from(whole.body)))
  equal(whole.headers.get('cache-control'), 'private, no-store')
  await publisher.calls(withdrawPost, { params })
  equal((await anyone.calls(getAsset, file)).status, 404)
  equal((await publisher.calls(downloadAttachment, assetOf(postId, body))).status, 200)
  equal((await anyone.calls(getAsset, { params: { assetId: randomUUID() } })).status, 404)
})

test('name and description can be changed on the present revision, also while it is on its way', async (t) => {
  const { world, publisher, postId } = await paidAuthorIn(t)
  const { body } = await uploadZip(publisher, postId, smallZip())
  const edit = async (change: object, revision?: string) =>
    publisher.sends(editAttachment, {
      ...assetOf(postId, body),
      headers: { 'x-post-revision': revision ?? (await revisionOf(publisher, postId)) },
      body: change,
    })
  const edited = await edit({ filename: 'Größe.zip', description: '' })
  deepEqual(
    [edited.status, edited.body.attachment.filename, edited.body.attachment.description],
    [200, 'Größe.zip', ''],
  )
  await world.runJobs()
  equal((await edit({ description: 'New' })).status, 200)
  equal((await edit({}, undefined)).status, 422)
  equal((await edit({ state: 'ready' })).status, 422)
  equal((await edit({ filename: 'x' })).status, 422)
  equal((await edit({ description: 'x' }, '2020-01-01T00:00:00Z')).body.code, 'revision-conflict')
  const bare = await publisher.sends(editAttachment, { ...assetOf(postId, body), body: { description: 'x' } })
  equal(bare.body.code, 'post-revision-required')
  const download = await publisher.calls(downloadAttachment, assetOf(postId, body))
  equal(
    download.headers.get('content-disposition'),
    `attachment; filename="Gr__e.zip"; filename*=UTF-8''Gr%C3%B6%C3%9Fe.zip`,
  )
  await publisher.calls(cancelUpload, { params: { operationId: body.attachment.operation.id } })
  equal((await edit({ description: 'late' })).body.code, 'attachment-state')
  await world.runJobs()
})

test('the ZIPs of another are not there', async (t) => {
  const { world, publisher, postId } = await paidAuthorIn(t)
  const { body } = await uploadZip(publisher, postId, smallZip(), { key: 'k' })
  await world.runJobs()
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
  equal((await reserve(eve, postId, smallZip(), { revision: headers['x-post-revision'] })).status, 404)
  for (const endpoint of [getUploadOperation, associateUpload, cancelUpload])
    equal((await eve.calls(endpoint, { params: { operationId } })).status, 404)
  equal((await publisher.calls(downloadAttachment, assetOf(own.id, body))).status, 404, 'nor under another Post')
})

test('with a ZIP pending or ready the smallest USDC price is 0.25', async (t) => {
  const { world, author, publisher } = await paidAuthorIn(t)
  await author.owner.calls(saveBasePayoutAddress, {
    body: { payoutAddress: '0x52908400098527886E0F7030069857D2E4169EE7' },
  })
  const { id } = await draft(publisher, { ...paidPost, priceCurrency: 'USDC', priceAtomic: '200000' })
  const usdc = async () => (await publisher.calls(getPost, { params: { postId: id } })).body.paymentOffers[0]
  deepEqual([(await usdc()).status, (await usdc()).minimumAtomic], ['ready', '100000'])
  await reserve(publisher, id, smallZip())
  deepEqual([(await usdc()).status, (await usdc()).minimumAtomic], ['below_minimum', '250000'])
  await world.runJobs()
})

test('what was sold is kept for its buyers when it is taken off the Post', async (t) => {
  const { world, publisher, postId, params } = await paidAuthorIn(t)
  const { body } = await uploadZip(publisher, postId, smallZip())
  await world.runJobs()
  equal((await publisher.calls(publishPost, { params })).status, 200)
  const { address } = await quotes(await world.reader(), postId)
  await arrives(world, address, BigInt((await publisher.calls(getPost, { params })).body.priceRaw))
  const headers = { 'x-post-revision': await revisionOf(publisher, postId) }
  const removed = await publisher.calls(removeAttachment, { ...assetOf(postId, body), headers })
  equal(removed.body.attachment.retentionReason, 'financial-history-retained')
  await world.runJobs()
  const { attachments } = (await publisher.calls(listAttachments, { params })).body
  deepEqual([attachments[0].state, attachments[0].operation.cleanup.state], ['cleanup_queued', 'retained'])
  deepEqual((await publisher.calls(getPost, { params })).body.attachments, [])
  equal((await publisher.calls(downloadAttachment, assetOf(postId, body))).status, 200)
})

test('deleting a draft cleans up its ZIPs', async (t) => {
  const { world, publisher, postId } = await paidAuthorIn(t)
  await uploadZip(publisher, postId, smallZip())
  await world.runJobs()
  const headers = { 'x-post-revision': await revisionOf(publisher, postId) }
  equal((await publisher.calls(deletePost, { params: { postId }, headers })).status, 200)
  await world.runJobs()
  const { rows } = await world.services.pool.query('SELECT state FROM attachments')
  deepEqual(rows, [{ state: 'removed' }])
  const kept = await world.services.pool.query('SELECT received_key FROM upload_operations')
  deepEqual(kept.rows, [{ received_key: null }])
})

test('bytes that the store did not keep are unconfirmed, and the same request again finishes it', async (t) => {
  const { world, publisher, postId } = await paidAuthorIn(t)
  const { files } = world.services
  const put = files.put.bind(files)
  const failing = () => Promise.reject(new Error('disk full'))
  const bytes = smallZip()
  const reserved = await reserve(publisher, postId, bytes)
  const target = operationOf(postId, reserved.body)
  const { transfer } = (await publisher.calls(transportAttachment, { ...target, body: { partNumber: 1 } })).body
  files.put = failing
  const part = await sendPart(publisher, transfer.url, bytes, transfer.headers)
  deepEqual([part.status, part.body.code], [503, 'attachment-upload-unconfirmed'])
  ok(part.headers.get('retry-after'))
  files.put = put
  equal((await sendPart(publisher, transfer.url, bytes, transfer.headers)).status, 200)
  files.put = failing
  const complete = await publisher.calls(completeAttachment, { ...target, body: {} })
  deepEqual([complete.status, complete.body.code], [503, 'attachment-upload-unconfirmed'])
  const { attachment } = (await publisher.calls(transportAttachment, { ...target, body: {} })).body
  deepEqual([attachment.safety.state, attachment.operation.transport.receipt.received], ['receiving', false])
  files.put = put
  equal((await publisher.calls(completeAttachment, { ...target, body: {} })).status, 200)
  files.put = failing
  const legacy = await sendForm(publisher, postId, bytes, { key: 'old' })
  deepEqual([legacy.status, legacy.body.code], [503, 'attachment-upload-unconfirmed'])
  files.put = put
  const again = await sendForm(publisher, postId, bytes, { key: 'old' })
  deepEqual([again.status, again.body.attachment.safety.received], [202, true])
  await world.runJobs()
})

test('a stored part that was lost is sent again, and only that one', async (t) => {
  const { world, publisher, postId } = await paidAuthorIn(t)
  const { files, pool } = world.services
  const bytes = zip({ 'data.bin': randomBytes(partBytes + 1000) })
  const { body } = await reserve(publisher, postId, bytes)
  const target = operationOf(postId, body)
  const send = async (partNumber: number) => {
    const { transfer } = (await publisher.calls(transportAttachment, { ...target, body: { partNumber } })).body
    const { url, offset, length, headers } = transfer
    equal((await sendPart(publisher, url, bytes.subarray(offset, offset + length), headers)).status, 200)
    return { url, headers, sent: bytes.subarray(offset, offset + length) }
  }
  await send(1)
  const second = await send(2)
  const { rows } = await pool.query('SELECT object_key FROM upload_parts WHERE number = 2')
  await files.remove(rows[0].object_key)
  const refused = await publisher.calls(completeAttachment, { ...target, body: {} })
  deepEqual([refused.status, refused.body.code], [409, 'attachment-state'])
  const states = await pool.query('SELECT state FROM upload_parts ORDER BY number')
  deepEqual(states.rows, [{ state: 'stored' }, { state: 'waiting' }])
  equal((await sendPart(publisher, second.url, second.sent, second.headers)).status, 403, 'its capability is old')
  await send(2)
  equal((await publisher.calls(completeAttachment, { ...target, body: {} })).status, 200)
  await world.runJobs()
})

test('a store that is away while bytes are read is unavailable, no error of ours', async (t) => {
  const { world, publisher, postId } = await paidAuthorIn(t)
  const { body } = await uploadZip(publisher, postId, smallZip())
  await sendAvatar(publisher)
  await world.runJobs()
  const file = { params: { file: (await publisher.calls(getProfile, {})).body.avatarUrl.split('/media/')[1] } }
  t.mock.method(world.services.files, 'read', () => Promise.reject(new Error('away')))
  for (const reply of [
    await publisher.calls(downloadAttachment, assetOf(postId, body)),
    await world.stranger().calls(getMedia, file),
  ]) {
    deepEqual([reply.status, reply.body.code], [503, 'temporarily-unavailable'])
    ok(reply.headers.get('retry-after'))
  }
})

test('asking how far a ZIP is attaches what its Post can have now', async (t) => {
  const { world, publisher, postId } = await paidAuthorIn(t)
  const { body } = await uploadZip(publisher, postId, smallZip())
  const setPaywall = (on: boolean) =>
    world.services.pool.query('UPDATE posts SET has_paywall = $2 WHERE id = $1', [postId, on])
  await setPaywall(false)
  await world.runJobs()
  await setPaywall(true)
  const target = operationOf(postId, body)
  const { attachment } = (await publisher.calls(transportAttachment, { ...target, body: {} })).body
  deepEqual([attachment.state, attachment.safety.associated], ['ready', true])
})

test('a ZIP that its Post cannot have yet is attached later, without sending it again', async (t) => {
  const { world, publisher, postId } = await paidAuthorIn(t)
  const { body } = await uploadZip(publisher, postId, smallZip())
  // No call can do this while a ZIP is there; an operator could.
  const setPaywall = (on: boolean) =>
    world.services.pool.query('UPDATE posts SET has_paywall = $2 WHERE id = $1', [postId, on])
  await setPaywall(false)
  await world.runJobs()
  const params = { operationId: body.attachment.operation.id }
  const { attachment: waiting } = (await publisher.calls(associateUpload, { params })).body
  deepEqual([waiting.state, waiting.safety.state, waiting.safety.associated], ['pending', 'cleared', false])
  equal(waiting.operation.transport.association.conflict, 'paid-post-required')
  await setPaywall(true)
  const revision = await revisionOf(publisher, postId)
  const { attachment, currentRevision } = (await publisher.calls(associateUpload, { params })).body
  deepEqual([attachment.state, attachment.safety.associated], ['ready', true])
  deepEqual(attachment.operation.transport.association, { revision: currentRevision, conflict: null })
  notEqual(currentRevision, revision)
})
