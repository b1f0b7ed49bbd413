import { deepEqual, equal, ok } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { transportAttachment } from '@pennypost/contract/attachments'
import { clearHold, placeHold } from '@pennypost/contract/holds'
import { cancelUpload, getUploadOperation, uploadHeader } from '@pennypost/contract/images'
import { getPost } from '@pennypost/contract/posts'
import { getProfile } from '@pennypost/contract/profiles'
import { lockAccount } from '../accounts/account-store.ts'
import { listAuditRows } from '../accounts/audit-log-store.ts'
import { draft, wholePost } from '../posts/posts.fixture.ts'
import { until } from '../test/until.ts'
import { createWorld } from '../test/world.ts'
import { paidAuthorIn, reserve, sendPart, smallZip } from '../uploads/attachments.fixture.ts'
import { picture, sendAvatar, sendImage } from '../uploads/uploads.fixture.ts'

async function authorIn(t: TestContext) {
  const world = await createWorld(t)
  const { publisher, owner, accountId } = await world.creator()
  await world.services.pool.query('UPDATE accounts SET is_admin = true WHERE id = $1', [accountId])
  const send = async (): Promise<string> =>
    (await sendAvatar(publisher, { bytes: await picture() })).body.safety.operationId
  const shown = async (): Promise<string> => (await publisher.calls(getProfile, {})).body.avatarUrl
  const hold = async (operationId: string): Promise<string> =>
    (await owner.calls(placeHold, { body: { operationId, reason: 'A complaint' } })).body.id
  const stored = async () => {
    const keys = []
    for (const prefix of ['received/', 'media/', 'parts/'])
      for await (const { key } of world.services.files.list(prefix)) keys.push(key)
    return keys
  }
  return { world, publisher, owner, accountId, send, shown, hold, stored }
}

test('an avatar that is held before screening leaves the previous one; without the hold it replaces it', async (t) => {
  const { world, publisher, owner, send, shown, hold } = await authorIn(t)
  const first = await send()
  await world.runJobs()
  const second = await send()
  const holdId = await hold(second)
  await world.runJobs()
  ok((await shown()).includes(first))
  const read = async (operationId: string) =>
    (await publisher.calls(getUploadOperation, { params: { operationId } })).body.safety
  deepEqual([(await read(first)).desired, (await read(second)).state], [true, 'cleared'])
  equal((await owner.calls(clearHold, { params: { holdId } })).status, 200)
  ok((await shown()).includes(second))
  await world.runJobs()
  deepEqual([(await read(first)).desired, (await read(second)).associated], [false, true])
})

test('an avatar or header is not linked while it is held, and is linked again when the hold is cleared', async (t) => {
  const { world, publisher, owner, hold } = await authorIn(t)
  const links = async (): Promise<(string | null)[]> => {
    const { avatarUrl, headerImageUrl } = (await publisher.calls(getProfile, {})).body
    return [avatarUrl, headerImageUrl]
  }
  const avatar = (await sendAvatar(publisher)).body.safety.operationId
  const header = (await sendAvatar(publisher, {}, uploadHeader)).body.safety.operationId
  await world.runJobs()
  const before = await links()
  ok(before[0]!.includes(avatar) && before[1]!.includes(header))
  const holds = [await hold(avatar), await hold(header)]
  deepEqual(await links(), [null, null])
  // A pending upload does not prevent the old one from coming back.
  await sendAvatar(publisher, { type: 'image/jpeg' })
  for (const holdId of holds) equal((await owner.calls(clearHold, { params: { holdId } })).status, 200)
  deepEqual(await links(), before)
  await world.runJobs()
  deepEqual(await links(), before)
})

test('clearing a hold does not bring back an avatar that was replaced or removed in the meantime', async (t) => {
  const { world, publisher, owner, send, shown, hold, stored } = await authorIn(t)
  const first = await send()
  await world.runJobs()
  const ofFirst = await hold(first)
  const second = await send()
  await world.runJobs()
  ok((await shown()).includes(second))
  await owner.calls(clearHold, { params: { holdId: ofFirst } })
  ok((await shown()).includes(second))
  const ofSecond = await hold(second)
  await publisher.calls(cancelUpload, { params: { operationId: second } })
  await owner.calls(clearHold, { params: { holdId: ofSecond } })
  equal(await shown(), null)
  await world.runJobs()
  deepEqual(await stored(), [], 'kept only as evidence')
})

test('a hold placed during a cleanup either comes after it or keeps all bytes', async (t) => {
  const { world, publisher, send, hold, stored } = await authorIn(t)
  const { files } = world.services
  const id = await send()
  await world.runJobs()
  const remove = files.remove.bind(files)
  const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
  let placing: Promise<string> | undefined
  files.remove = async (key) => {
    placing ??= hold(id)
    await until('the hold waits for the cleanup', async () => (await world.services.pool.query(waiting)).rowCount === 1)
    return remove(key)
  }
  await publisher.calls(cancelUpload, { params: { operationId: id } })
  await world.runJobs()
  ok(await placing)
  deepEqual(await stored(), [])
})

test('the parts of a held ZIP are evidence too', async (t) => {
  const { world, author, publisher, postId } = await paidAuthorIn(t)
  await world.services.pool.query('UPDATE accounts SET is_admin = true WHERE id = $1', [author.accountId])
  const bytes = smallZip()
  const { body } = await reserve(publisher, postId, bytes)
  const operationId: string = body.attachment.operation.id
  const target = { params: { postId, operationId } }
  const { transfer } = (await publisher.calls(transportAttachment, { ...target, body: { partNumber: 1 } })).body
  equal((await sendPart(publisher, transfer.url, bytes, transfer.headers)).status, 200)
  const { body: hold } = await author.owner.calls(placeHold, { body: { operationId, reason: 'A complaint' } })
  await publisher.calls(cancelUpload, { params: { operationId } })
  await world.runJobs()
  const parts = async () => {
    const keys = []
    for await (const { key } of world.services.files.list('parts/')) keys.push(key)
    return keys.length
  }
  equal(await parts(), 1)
  await author.owner.calls(clearHold, { params: { holdId: hold.id } })
  await world.runJobs()
  equal(await parts(), 0)
})

test('holds are placed by administrators only, and are in the audit log, once each', async (t) => {
  const { world, owner, accountId, send, hold } = await authorIn(t)
  const id = await send()
  const { owner: stranger } = await world.reader()
  const refused = await stranger.calls(placeHold, { body: { operationId: id, reason: 'A complaint' } })
  deepEqual([refused.status, refused.body.code], [403, 'admin-required'])
  const holdId = await hold(id)
  await hold(id)
  for (let count = 0; count < 2; count += 1) await owner.calls(clearHold, { params: { holdId } })
  await world.runJobs()
  const rows = await listAuditRows(world.services.db, undefined, 10)
  deepEqual(
    rows.map(({ act, actor_id, target_kind, target_id, details }) => [act, actor_id, target_kind, target_id, details]),
    [
      ['upload.release', accountId, 'upload', id, { holdId }],
      ['upload.hold', accountId, 'upload', id, { holdId, reason: 'A complaint' }],
    ],
  )
})

test('a verdict on an avatar waits for a replacement in progress', async (t) => {
  const { world, accountId, send, shown } = await authorIn(t)
  const { db, pool } = world.services
  const id = await send()
  let isSettled = false
  let settled: Promise<unknown> = Promise.resolve()
  await db.transaction().execute(async (tx) => {
    await lockAccount(tx, accountId)
    settled = world.runJobs().then(() => {
      isSettled = true
    })
    const isWaiting = async () =>
      (
        await pool.query(`SELECT FROM pg_locks WHERE NOT granted AND pid IN
        (SELECT pid FROM pg_stat_activity WHERE datname = current_database())`)
      ).rowCount! > 0
    await until('the verdict waits', async () => isSettled || isWaiting())
    equal(isSettled, false)
  })
  await settled
  ok((await shown()).includes(id))
})

test('cancelling an avatar removes only that avatar from the profile', async (t) => {
  const { world, publisher, send, shown } = await authorIn(t)
  const id = await send()
  await world.runJobs()
  await world.services.pool.query(`UPDATE profiles SET avatar_url = '/media/other.png'`)
  await publisher.calls(cancelUpload, { params: { operationId: id } })
  equal(new URL(await shown()).pathname, '/media/other.png')
  await world.runJobs()
})

test('a social preview image that its post already had comes back after a hold without a new revision', async (t) => {
  const { world, publisher, owner, hold } = await authorIn(t)
  const { id: postId } = await draft(publisher, wholePost)
  const { operationId } = (await sendImage(publisher, postId, { query: { intent: 'og' } })).body.safety
  await world.runJobs()
  const holdId = await hold(operationId)
  const readPost = async () => (await publisher.calls(getPost, { params: { postId } })).body
  const held = await readPost()
  equal(held.ogImageUrl, null)
  equal((await owner.calls(clearHold, { params: { holdId } })).status, 200)
  const released = await readPost()
  ok(released.ogImageUrl.includes(operationId))
  equal(released.updatedAt, held.updatedAt)
  await world.runJobs()
})
