import { deepEqual, equal, match } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { removeAttachment } from '@pennypost/contract/attachments'
import { cancelUpload } from '@pennypost/contract/images'
import { listImportedPosts } from '@pennypost/contract/imports'
import { getPost } from '@pennypost/contract/posts'
import { draft, paidPost, payable, publish } from '../posts/posts.fixture.ts'
import { emptiedWorld, sharedWorld } from '../test/world.ts'
import { assetOf, revisionOf, smallZip } from '../uploads/attachments.fixture.ts'
import { picture, sendImage, sha256 } from '../uploads/uploads.fixture.ts'
import { imports, oldPost, sends, sendsImage, sendsZip, startsImport } from './imports.fixture.ts'

const { creationAttested: _, ...paid } = paidPost
const illustrated = { ...oldPost, freeContentMarkdown: 'Look: ![an engine](image:engine)' }

test('images of an imported post are shown, and do not make it look edited today', async (t) => {
  const world = await sharedWorld(t)
  const author = await payable(await world.creator())
  const importId = await startsImport(author)
  const { postId } = await imports(author, illustrated, importId)
  equal((await sendsImage(author, { importId, postId }, { key: 'engine' })).status, 202)
  equal((await sendsImage(author, { importId, postId })).status, 202)
  await world.runJobs()
  const { body } = await author.publisher.calls(getPost, { params: { postId } })
  equal(body.updatedAt.slice(0, 10), '2019-05-17')
  match(body.ogImageUrl, /\/media\//)
  const { body: listed } = await author.owner.sends(listImportedPosts, { query: {} })
  deepEqual(listed.data[0].files, { images: ['engine'], hasCover: true, attachments: [] })
  // The author can go on editing: an upload is not an edit.
  equal((await imports(author, illustrated, importId)).outcome, 'unchanged')
})

test('files of an import do not count as uploads of the day, but have a quota of their own', async (t) => {
  const world = await sharedWorld(t, { IMPORT_FILES: '12' })
  const author = await payable(await world.creator())
  const importId = await startsImport(author)
  const { postId } = await imports(author, illustrated, importId)
  for (let sent = 0; sent < 12; sent += 1) {
    equal((await sendsImage(author, { importId, postId }, { key: `image-${sent}` })).status, 202)
    await world.runJobs()
  }
  // Ten uploads in a minute would be too many otherwise.
  equal((await sendImage(author.publisher, postId)).status, 202)
  await world.runJobs()
  const refused = await sendsImage(author, { importId, postId }, { key: 'one-more' })
  deepEqual([refused.status, refused.body.code, refused.body.left.files], [409, 'post-import-quota', 0])
})

test('the same request again is the same upload, and counts once', async (t) => {
  const world = await emptiedWorld(t)
  const author = await payable(await world.creator())
  const importId = await startsImport(author)
  const { postId } = await imports(author, illustrated, importId)
  const sent = { key: 'engine', request: randomUUID(), bytes: await picture() }
  const first = await sendsImage(author, { importId, postId }, sent)
  const second = await sendsImage(author, { importId, postId }, sent)
  equal(first.body.safety.operationId, second.body.safety.operationId)
  await world.runJobs()
  const { rows } = await world.services.pool.query('SELECT file_count FROM imports')
  equal(rows[0].file_count, 1)
  const other = await sendsImage(author, { importId, postId }, { ...sent, bytes: await picture() })
  deepEqual([other.status, other.body.code], [409, 'idempotency-mismatch'])
  await author.publisher.calls(cancelUpload, { params: { operationId: first.body.safety.operationId } })
  equal((await sendsImage(author, { importId, postId }, sent)).body.code, 'resource-gone')
  await world.runJobs()
})

test('files go to imported posts of the same account only', async (t) => {
  const world = await sharedWorld(t)
  const author = await payable(await world.creator())
  const other = await payable(await world.creator())
  const importId = await startsImport(author)
  const { postId } = await imports(author, { ...oldPost, ...paid }, importId)
  const own = await draft(author.publisher)
  const theirs = await publish(other)
  for (const id of [own.id, theirs.id, randomUUID()]) {
    equal((await sendsImage(author, { importId, postId: id })).body.code, 'post-not-found')
    equal((await sendsZip(author, { importId, postId: id }, smallZip())).status, id === own.id ? 422 : 404)
  }
  equal((await sendsImage(other, { importId, postId })).status, 404)
  equal((await sendsImage(author, { importId: randomUUID(), postId })).body.code, 'import-not-found')
  equal((await sendsZip(author, { importId: randomUUID(), postId }, smallZip())).body.code, 'import-not-found')
  equal((await sendsZip(other, { importId, postId }, smallZip())).body.code, 'post-not-found')
  equal((await sendsImage(author, { importId, postId }, { key: 'no key!' })).status, 400)
})

test('too many images that wait for their check are refused for a while', async (t) => {
  const world = await sharedWorld(t)
  const author = await payable(await world.creator())
  const importId = await startsImport(author)
  const { postId } = await imports(author, illustrated, importId)
  for (let sent = 0; sent < 10; sent += 1) await sendsImage(author, { importId, postId }, { key: `image-${sent}` })
  const refused = await sendsImage(author, { importId, postId }, { key: 'engine' })
  deepEqual([refused.status, refused.body.code], [429, 'staging-limit'])
  await world.runJobs()
  equal((await sendsImage(author, { importId, postId }, { key: 'engine' })).status, 202)
  await world.runJobs()
})

test('ZIP files of a paid post are imported byte for byte, within the room that an account has', async (t) => {
  const world = await sharedWorld(t)
  const author = await payable(await world.creator())
  const importId = await startsImport(author)
  const { postId } = await imports(author, { ...oldPost, ...paid }, importId)
  const place = { importId, postId }
  const bytes = smallZip()
  const request = randomUUID()
  equal((await sendsZip(author, place, bytes, { request })).status, 202)
  equal((await sendsZip(author, place, bytes, { request })).headers.get('x-idempotency-replay'), 'true')
  await world.runJobs()
  const { body } = await author.publisher.calls(getPost, { params: { postId } })
  deepEqual([body.attachments[0].sha256, body.attachments[0].filename], [sha256(bytes), 'engines.zip'])
  const wrong = await sendsZip(author, place, bytes, { sha256: '0'.repeat(64) })
  deepEqual([wrong.status, wrong.body.code], [422, 'checksum-mismatch'])
  equal((await sendsZip(author, place, bytes, { filename: 'x' })).status, 422)
  for (const _ of [2, 3]) await sendsZip(author, place, smallZip())
  equal((await sendsZip(author, place, smallZip())).body.code, 'attachment-quota')
  await world.runJobs()
  // With ZIP files the post has to stay a paid one.
  const { paidContentMarkdown: _p, ...emptied } = paid
  equal((await sends(author, importId, { ...oldPost, ...emptied })).body.code, 'paid-content-required')
  equal((await sends(author, importId, { ...oldPost, ...paid, enablePaywall: false })).body.code, 'paid-post-required')
})

test('a ZIP file that the store did not keep is sent again; one that was removed is gone', async (t) => {
  const world = await sharedWorld(t)
  const author = await payable(await world.creator())
  const importId = await startsImport(author)
  const { postId } = await imports(author, { ...oldPost, ...paid }, importId)
  const [bytes, request] = [smallZip(), randomUUID()]
  const { files } = world.services
  const put = files.put.bind(files)
  files.put = () => Promise.reject(new Error('disk full'))
  const failed = await sendsZip(author, { importId, postId }, bytes, { request })
  files.put = put
  deepEqual([failed.status, failed.body.code], [503, 'attachment-upload-unconfirmed'])
  const sent = await sendsZip(author, { importId, postId }, bytes, { request })
  equal(sent.status, 202)
  await world.runJobs()
  const headers = { 'x-post-revision': await revisionOf(author.publisher, postId) }
  const removed = await author.publisher.calls(removeAttachment, { ...assetOf(postId, sent.body), headers })
  equal(removed.status, 200)
  equal((await sendsZip(author, { importId, postId }, bytes, { request })).body.code, 'resource-gone')
  await world.runJobs()
})

test('a free post takes no ZIP files', async (t) => {
  const world = await sharedWorld(t)
  const author = await payable(await world.creator())
  const importId = await startsImport(author)
  const { postId } = await imports(author, oldPost, importId)
  equal((await sendsZip(author, { importId, postId }, smallZip())).body.code, 'paid-post-required')
})

test('bytes of ZIP files are counted too', async (t) => {
  const world = await sharedWorld(t, { IMPORT_BYTES: '10' })
  const author = await payable(await world.creator())
  const importId = await startsImport(author)
  const { postId } = await imports(author, { ...oldPost, ...paid }, importId)
  equal((await sendsZip(author, { importId, postId }, smallZip())).body.code, 'post-import-quota')
})
