import { deepEqual, equal, ok } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { copyFile, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { downloadAttachment } from '@pennypost/contract/attachments'
import { clearHold, listHolds, placeHold } from '@pennypost/contract/holds'
import { cancelUpload, getMedia, getUploadOperation, uploadHeader } from '@pennypost/contract/images'
import { deletePost } from '@pennypost/contract/posts'
import { getProfile } from '@pennypost/contract/profiles'
import sharp from 'sharp'
import { draft, paidPost } from '../posts/posts.fixture.ts'
import { targets } from '../services.ts'
import type { Person } from '../test/person.ts'
import { createWorld, sharedWorld, type World } from '../test/world.ts'
import { uploadZip } from './attachments.fixture.ts'
import { cleanUpUpload } from './clean-up-upload.job.ts'
import { mediaKey } from './object-keys.ts'
import { reconcileUploads } from './reconcile-uploads.job.ts'
import type { Screening } from './screening/screening.ts'
import type { ImageVerdict } from './screening/verdict.ts'
import type { UploadServices } from './services.ts'
import { illustratedPost, picture, sendAvatar, sendImage, zip } from './uploads.fixture.ts'

type Answer = 'clear' | ImageVerdict | (() => Promise<ImageVerdict | 'clear'>)

/** A screening that gives these verdicts, one after the other; the last one stays. */
function answering(...answers: Answer[]): Screening & { asked: number } {
  const screening = {
    asked: 0,
    async screenImage({ path, outputPath }: Parameters<Screening['screenImage']>[0]): Promise<ImageVerdict> {
      const answer = answers[Math.min(screening.asked, answers.length - 1)]!
      screening.asked += 1
      const verdict = typeof answer === 'function' ? await answer() : answer
      if (verdict !== 'clear') return verdict
      await copyFile(path, outputPath)
      const { size } = await stat(outputPath)
      const image = {
        format: 'png' as const,
        width: 1,
        height: 1,
        path: outputPath,
        sizeBytes: size,
        sha256: 'f'.repeat(64),
      }
      return { kind: 'cleared', image }
    },
    screenZip: () => Promise.reject(new Error('no ZIP in this test')),
    draw: () => Promise.reject(new Error('no drawing in this test')),
    screeners: [],
    close: () => Promise.resolve(),
  }
  return screening
}

const away: ImageVerdict = { kind: 'unavailable', screener: 'clamav' }
const dies = () => Promise.reject(new Error('killed'))

async function authorIn(t: TestContext, services: Partial<Omit<UploadServices, 'config'>>) {
  const world = await createWorld(t, { services })
  const admin = await world.creator()
  await world.services.pool.query('UPDATE accounts SET is_admin = true WHERE id = $1', [admin.accountId])
  const author = await world.creator()
  const sent = await sendAvatar(author.publisher, { bytes: await picture(), key: 'k' })
  const read = async () =>
    (await author.publisher.calls(getUploadOperation, { params: { operationId: sent.body.safety.operationId } })).body
  return { world, admin, author, publisher: author.publisher, id: sent.body.safety.operationId as string, read }
}

const remove = async (person: Person, { id, updatedAt }: { id: string; updatedAt: string }) =>
  equal(
    (await person.calls(deletePost, { params: { postId: id }, headers: { 'x-post-revision': updatedAt } })).status,
    200,
  )

const jobsOf = async ({ services }: World) =>
  (await services.pool.query('SELECT name, dead_at FROM jobs WHERE name = $1', ['screen-upload'])).rows

test('a screener that is away leaves the upload checking, asked about again less and less often, and never cleared', async (t) => {
  const screening = answering(away, away, away, 'clear')
  const { world, publisher, read } = await authorIn(t, { screening })
  for (const [absences, waitSeconds] of [
    [1, 2],
    [2, 4],
    [3, 8],
  ] as const) {
    await world.runJobs()
    equal(screening.asked, absences)
    const { safety, publicUrl } = await read()
    deepEqual([safety.state, safety.eligible, publicUrl], ['checking', false, null])
    equal((await publisher.calls(getProfile, {})).body.avatarUrl, null)
    await world.advance(waitSeconds - 1)
    await world.runJobs()
    equal(screening.asked, absences, 'not before its time')
    await world.advance(1)
  }
  await world.runJobs()
  equal((await read()).safety.state, 'cleared', 'without another upload')
})

test('a check that died is taken up again', async (t) => {
  const { world, read } = await authorIn(t, { screening: answering(dies, 'clear') })
  await world.runJobs()
  deepEqual([(await read()).safety.state, (await jobsOf(world)).length], ['checking', 1])
  await world.advance(60)
  await world.runJobs()
  equal((await read()).safety.state, 'cleared')
})

test('a check that dies every time fails in the end, and the image may be sent again', async (t) => {
  const { world, read } = await authorIn(t, { screening: answering(dies) })
  for (let round = 0; round < 10; round += 1) {
    await world.runJobs()
    await world.advance(3600)
  }
  const { safety } = await read()
  deepEqual([safety.state, safety.reuploadAllowed, safety.lastError], ['failed', true, 'check-interrupted'])
  await world.runJobs()
})

test('a decoder that was killed says nothing about the file: it is checked again, but not forever', async (t) => {
  const interrupted: ImageVerdict = { kind: 'failed', reason: 'interrupted' }
  const lucky = await authorIn(t, { screening: answering(interrupted, interrupted, 'clear') })
  await lucky.world.runJobs()
  deepEqual([(await lucky.read()).safety.state, (await lucky.read()).publicUrl], ['checking', null])
  for (let tries = 0; tries < 2; tries += 1) {
    await lucky.world.advance(60)
    await lucky.world.runJobs()
  }
  equal((await lucky.read()).safety.state, 'cleared')

  const screening = answering(interrupted)
  const doomed = await authorIn(t, { screening })
  for (let tries = 0; tries < 12; tries += 1) {
    await doomed.world.advance(600)
    await doomed.world.runJobs()
  }
  const { safety, publicUrl } = await doomed.read()
  deepEqual(
    [safety.state, safety.lastError, safety.reuploadAllowed, publicUrl],
    ['failed', 'check-interrupted', true, null],
  )
  equal(screening.asked, 8)
})

test('a process that dies between public bytes and their record is followed by one that finishes', async (t) => {
  let deaths = 2
  const dying = {
    ...targets,
    showProfileImage: (...given: Parameters<typeof targets.showProfileImage>) => {
      deaths -= 1
      return deaths >= 0 ? dies() : targets.showProfileImage(...given)
    },
  }
  const { world, publisher, read, id } = await authorIn(t, { screening: answering('clear'), targets: dying })
  for (let round = 0; round < 2; round += 1) {
    await world.runJobs()
    const { safety } = await read()
    deepEqual([safety.state, safety.associated], ['checking', false], 'all of it or nothing')
    equal((await world.stranger().calls(getMedia, { params: { file: `${id}.png` } })).status, 404)
    await world.advance(3600)
  }
  await world.runJobs()
  equal((await publisher.calls(getProfile, {})).body.avatarUrl, (await read()).publicUrl)
  const objects = []
  for await (const { key } of world.services.files.list('media/')) objects.push(key)
  deepEqual(objects, [mediaKey(id)])
})

test('bytes that could not be stored are not received; the same request again finishes it', async (t) => {
  const world = await sharedWorld(t)
  const { publisher } = await world.creator()
  const { files } = world.services
  const put = files.put.bind(files)
  files.put = () => Promise.reject(new Error('disk full'))
  const bytes = await picture()
  const refused = await sendAvatar(publisher, { bytes, key: 'k' })
  deepEqual([refused.status, refused.body.code], [503, 'temporarily-unavailable'])
  ok(refused.headers.get('retry-after'))
  const { operationId } = refused.body.recovery
  const { body: waiting } = await publisher.calls(getUploadOperation, { params: { operationId } })
  deepEqual([waiting.safety.state, waiting.safety.received], ['receiving', false])
  files.put = put
  const again = await sendAvatar(publisher, { bytes, key: 'k' })
  deepEqual([again.status, again.body.replayed, again.body.safety.received], [202, true, true])
  equal(again.body.safety.operationId, operationId)
  await world.runJobs()
})

test('time and memory that ran out fail the check and allow another try; a broken rule rejects it', async (t) => {
  const { world, publisher, read } = await authorIn(t, {
    screening: answering({ kind: 'failed', reason: 'memory-limit' }, { kind: 'rejected', reason: 'pixel-limit' }),
  })
  await world.runJobs()
  const { safety: failed } = await read()
  deepEqual([failed.state, failed.reuploadAllowed, failed.lastError], ['failed', true, 'memory-limit'])
  const params = { operationId: (await sendAvatar(publisher)).body.safety.operationId }
  await world.runJobs()
  const { safety } = (await publisher.calls(getUploadOperation, { params })).body
  deepEqual([safety.state, safety.reuploadAllowed, safety.lastError], ['rejected', false, 'pixel-limit'])
})

test('an upload that is cancelled while it is checked stays cancelled and leaves nothing', async (t) => {
  let cancel: () => Promise<unknown> = dies
  const screening = answering(async () => {
    await cancel()
    return 'clear'
  })
  const { world, publisher, read, id } = await authorIn(t, { screening })
  cancel = () => publisher.calls(cancelUpload, { params: { operationId: id } })
  await world.runJobs()
  equal((await read()).safety.state, 'cancelled')
  const objects = []
  for (const prefix of ['media/', 'received/'])
    for await (const { key } of world.services.files.list(prefix)) objects.push(key)
  deepEqual(objects, [])
})

test('a match is held: served to nobody, kept as evidence, told to administrators and not to the uploader', async (t) => {
  const screening = answering({ kind: 'held', reason: 'known-picture', match: 'list entry 42' })
  const { world, author, publisher, read, id, admin } = await authorIn(t, { screening })
  await world.runJobs()
  const held = await read()
  deepEqual([held.safety.held, held.safety.eligible, held.publicUrl], [true, false, null])
  ok(!JSON.stringify(held).includes('list entry') && !JSON.stringify(held).includes('known-picture'))
  equal((await world.mailTo(admin.email))[0]!.subject, 'An upload was put on hold')
  equal((await world.mailTo(author.email)).filter(({ subject }) => subject.includes('held')).length, 0)
  await publisher.calls(cancelUpload, { params: { operationId: id } })
  await world.runJobs()
  equal((await read()).safety.held, true, 'a cancel does not clear a hold')
  const evidence = []
  for await (const { key } of world.services.files.list('received/')) evidence.push(key)
  equal(evidence.length, 1)

  const refused = await author.owner.calls(listHolds, {})
  deepEqual([refused.status, refused.body.code], [403, 'admin-required'])
  const { body: list } = await admin.owner.calls(listHolds, { query: { open: 'true' } })
  deepEqual(
    [list.total, list.data[0].operationId, list.data[0].source, list.data[0].reason],
    [1, id, 'screening', 'list entry 42'],
  )
  equal((await author.owner.calls(clearHold, { params: { holdId: list.data[0].id } })).status, 403)
  const cleared = await admin.owner.calls(clearHold, { params: { holdId: list.data[0].id } })
  deepEqual([cleared.status, cleared.body.clearedBy], [200, admin.accountId])
  await world.runJobs()
  deepEqual([(await read()).safety.held, (await read()).safety.state], [false, 'rejected'])
  equal((await admin.owner.calls(listHolds, { query: { open: 'true' } })).body.total, 0)
  for await (const { key } of world.services.files.list('received/')) throw new Error(`${key} is left`)
})

test('a match counts also for what was cancelled, cleaned up or deleted with its draft during the check', async (t) => {
  let meanwhile: () => Promise<unknown> = dies
  const screening = answering(async () => {
    await meanwhile()
    return { kind: 'held', reason: 'known-picture', match: 'list entry 42' }
  })
  const { world, publisher, id, admin } = await authorIn(t, { screening })
  meanwhile = async () => {
    await publisher.calls(cancelUpload, { params: { operationId: id } })
    await cleanUpUpload.run(world.services, { operationId: id })
  }
  await world.runJobs()
  const post = await draft(publisher, illustratedPost)
  const sent = await sendImage(publisher, post.id)
  equal(sent.status, 202, JSON.stringify(sent.body))
  meanwhile = () => remove(publisher, post)
  await world.runJobs()
  const { body: list } = await admin.owner.calls(listHolds, { query: { open: 'true' } })
  const held = list.data.map(({ operationId }: { operationId: string }) => operationId)
  deepEqual(held.sort(), [id, sent.body.safety.operationId].sort())
  equal((await world.mailTo(admin.email)).filter(({ subject }) => subject.includes('put on hold')).length, 2)
  const evidence = []
  for await (const { key } of world.services.files.list('received/')) evidence.push(key)
  equal(evidence.length, 2)
})

test('what is cleared for a draft that was deleted meanwhile leaves nothing', async (t) => {
  let meanwhile: () => Promise<unknown> = () => Promise.resolve()
  const screening = answering(async () => {
    await meanwhile()
    return 'clear'
  })
  const { world, publisher, id } = await authorIn(t, { screening })
  await world.runJobs()
  const post = await draft(publisher, illustratedPost)
  equal((await sendImage(publisher, post.id)).status, 202)
  meanwhile = () => remove(publisher, post)
  await world.runJobs()
  const objects = []
  for (const prefix of ['media/', 'received/'])
    for await (const { key } of world.services.files.list(prefix)) objects.push(key)
  deepEqual(objects, [mediaKey(id)])
})

test('an administrator holds what is public back, and shows it again', async (t) => {
  const { world, admin, author, read, id } = await authorIn(t, { screening: answering('clear') })
  await world.runJobs()
  const file = { params: { file: (await read()).publicUrl.split('/media/')[1] } }
  equal((await world.stranger().calls(getMedia, file)).status, 200)
  const placed = await admin.owner.calls(placeHold, { body: { operationId: id, reason: 'A complaint' } })
  equal(placed.status, 201)
  equal((await admin.owner.calls(placeHold, { body: { operationId: id, reason: 'Again' } })).body.id, placed.body.id)
  equal((await world.stranger().calls(getMedia, file)).status, 404)
  deepEqual([(await read()).safety.held, (await read()).publicUrl], [true, null])
  await admin.owner.calls(clearHold, { params: { holdId: placed.body.id } })
  equal((await world.stranger().calls(getMedia, file)).status, 200)
  const nothing = { operationId: author.accountId, reason: 'x' }
  equal((await admin.owner.calls(placeHold, { body: nothing })).status, 404)
  equal((await admin.owner.calls(clearHold, { params: { holdId: id } })).status, 404)
})

test('a held ZIP is downloaded by nobody and not shown, a cleared hold brings it back', async (t) => {
  const world = await sharedWorld(t)
  const { publisher, owner, accountId } = await world.creator()
  await world.services.pool.query('UPDATE accounts SET is_admin = true WHERE id = $1', [accountId])
  const post = await draft(publisher, paidPost)
  const { body } = await uploadZip(publisher, post.id, zip({ 'a.txt': 'a' }))
  await world.runJobs()
  const operationId = body.attachment.operation.id
  const { body: hold } = await owner.calls(placeHold, { body: { operationId, reason: 'A complaint' } })
  const file = { params: { postId: post.id, assetId: body.attachment.id } }
  equal((await publisher.calls(downloadAttachment, file)).body.code, 'attachment-safety-unavailable')
  const ready = async () =>
    (await world.services.pool.query('SELECT ready_count FROM post_uploads')).rows[0].ready_count
  equal(await ready(), 0)
  await owner.calls(clearHold, { params: { holdId: hold.id } })
  equal((await publisher.calls(downloadAttachment, file)).status, 200)
  equal(await ready(), 1)
})

test('bytes that are gone or damaged are never cleared: the upload fails and may be sent again', async (t) => {
  for (const harm of ['gone', 'damaged']) {
    const { world, read, id } = await authorIn(t, { screening: answering('clear') })
    const { rows } = await world.services.pool.query('SELECT received_key FROM upload_operations WHERE id = $1', [id])
    const { files } = world.services
    if (harm === 'gone') await files.remove(rows[0].received_key)
    else
      await files.put(
        rows[0].received_key,
        (async function* () {
          yield Buffer.from('other')
        })(),
      )
    await world.runJobs()
    const { safety } = await read()
    deepEqual([safety.state, safety.lastError, safety.reuploadAllowed], ['failed', 'bytes-lost', true], harm)
  }
})

test('what the object store lost is noticed, what nobody knows is removed, what was forgotten is promised again', async (t) => {
  const { world, publisher, read, id } = await authorIn(t, { screening: answering('clear') })
  const { files, pool, config } = world.services
  await pool.query(`DELETE FROM jobs WHERE name = 'screen-upload'`)
  await reconcileUploads.run(world.services, {})
  await world.runJobs()
  equal((await read()).safety.state, 'cleared', 'a forgotten check was promised again')

  const put = (key: string) =>
    files.put(
      key,
      (async function* () {
        yield Buffer.from('x')
      })(),
    )
  for (const key of ['received/old', 'parts/a/old', 'media/old', 'received/young']) await put(key)
  const past = new Date(Date.now() - 25 * 3_600_000)
  for (const key of ['received/old', 'parts/a/old', 'media/old', mediaKey(id)])
    await utimes(join(config.dataDir, 'objects', key), past, past)
  await reconcileUploads.run(world.services, {})
  const left = []
  for (const prefix of ['media/', 'parts/', 'received/']) for await (const { key } of files.list(prefix)) left.push(key)
  deepEqual(left.sort(), [mediaKey(id), 'received/young'])

  await files.remove(mediaKey(id))
  await world.advance(25 * 3600)
  await reconcileUploads.run(world.services, {})
  deepEqual([(await read()).safety.state, (await read()).safety.lastError], ['failed', 'bytes-lost'])
  equal((await publisher.calls(getProfile, {})).body.avatarUrl, null)
})

test('cleanup that cannot remove bytes says so, tries again, and counts until it has', async (t) => {
  const world = await sharedWorld(t)
  const { publisher } = await world.creator()
  const post = await draft(publisher, paidPost)
  const { body } = await uploadZip(publisher, post.id, zip({ 'a.txt': 'a' }))
  await world.runJobs()
  const { files } = world.services
  const remove = files.remove.bind(files)
  files.remove = () => Promise.reject(new Error('away'))
  const params = { operationId: body.attachment.operation.id }
  await publisher.calls(cancelUpload, { params })
  await world.runJobs()
  const { attachment } = (await publisher.calls(getUploadOperation, { params })).body
  const { state, attempts, lastError, nextAttemptAt } = attachment.operation.cleanup
  deepEqual([attachment.state, state, attempts, lastError], ['cleanup_queued', 'queued', 1, 'storage-unavailable'])
  ok(Date.parse(nextAttemptAt) > world.services.clock.now().getTime())
  files.remove = remove
  await world.advance(10)
  await world.runJobs()
  const { attachment: gone } = (await publisher.calls(getUploadOperation, { params })).body
  deepEqual([gone.state, gone.operation.cleanup.state, gone.operation.cleanup.lastError], ['removed', 'done', null])
})

test('large images have a lane of their own, in which an account waits for itself', async (t) => {
  const clear = answering('clear')
  const order: string[] = []
  const screening: Screening = {
    ...clear,
    async screenImage(input, signal, lane) {
      const isLarge = (await stat(input.path)).size > 100_000
      if (isLarge && lane === 'light') return { kind: 'large', pixels: 128_000_000 }
      order.push(isLarge ? 'large' : 'small')
      return clear.screenImage(input, signal, lane)
    },
  }
  const world = await createWorld(t, { services: { screening } })
  const [loud, quiet] = [await world.creator(), await world.creator()]
  const large = await sharp(randomBytes(300 * 300 * 3), { raw: { width: 300, height: 300, channels: 3 } })
    .png()
    .toBuffer()
  await sendAvatar(loud.publisher, { bytes: large })
  await sendAvatar(loud.publisher, { bytes: large }, uploadHeader)
  const { body } = await sendAvatar(quiet.publisher)
  await world.runJobs()
  deepEqual(order, ['small', 'large'])
  const small = await quiet.publisher.calls(getUploadOperation, { params: { operationId: body.safety.operationId } })
  equal(small.body.safety.state, 'cleared')
  await world.advance(16)
  await world.runJobs()
  deepEqual(order, ['small', 'large', 'large'])
})
