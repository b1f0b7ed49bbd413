import { deepEqual, equal, ok } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { downloadAttachment } from '@pennypost/contract/attachments'
import { listHolds } from '@pennypost/contract/holds'
import { getMedia, getUploadOperation } from '@pennypost/contract/images'
import { getProfile } from '@pennypost/contract/profiles'
import { draft, paidPost } from '../posts/posts.fixture.ts'
import type { Creator } from '../test/people.ts'
import { createWorld, type World } from '../test/world.ts'
import { uploadZip } from './attachments.fixture.ts'
import { mediaKey } from './object-keys.ts'
import { type Clamd, eicar, needsClamd, prepareClamd } from './screening/clamd.fixture.ts'
import { picture, sendAvatar, zip } from './uploads.fixture.ts'

// Uploads beside a real clamd.

async function houseWith(t: TestContext, clamd: Clamd) {
  const world = await createWorld(t, { settings: { CLAMAV_URL: clamd.url } })
  const admin = await world.creator()
  await world.services.pool.query('UPDATE accounts SET is_admin = true WHERE id = $1', [admin.accountId])
  return { world, admin, author: await world.creator() }
}

const stateOf = async ({ publisher }: Creator, operationId: string) => {
  const { body } = await publisher.calls(getUploadOperation, { params: { operationId } })
  const { state, eligible, lastError } = body.attachment?.safety ?? body.safety
  return { state, eligible, lastError }
}

const heldIn = async (admin: Creator): Promise<{ operationId: string; reason: string }[]> => {
  const { status, body } = await admin.owner.calls(listHolds, { query: {} })
  equal(status, 200)
  return body.data
}

async function sendBadZip(world: World, { publisher }: Creator, files: Record<string, Buffer | string>) {
  const post = await draft(publisher, paidPost)
  const { body } = await uploadZip(publisher, post.id, zip(files))
  await world.runJobs()
  return { operationId: body.attachment.operation.id, assetId: body.attachment.id, postId: post.id }
}

test(
  'the EICAR pattern in a ZIP, in a ZIP inside it and behind an image is held, and served to nobody',
  needsClamd,
  async (t) => {
    const clamd = await prepareClamd(t)
    await clamd.start()
    const { world, admin, author } = await houseWith(t, clamd)
    const held: string[] = []
    for (const files of [{ 'readme.txt': 'hello', 'eicar.com': eicar }, { 'inner.zip': zip({ 'eicar.com': eicar }) }]) {
      const { operationId, postId, assetId } = await sendBadZip(world, author, files)
      deepEqual(await stateOf(author, operationId), {
        state: 'rejected',
        eligible: false,
        lastError: 'held-for-review',
      })
      const download = await author.publisher.calls(downloadAttachment, { params: { postId, assetId } })
      equal(download.status, 409)
      held.push(operationId)
    }
    const tailed = Buffer.concat([await picture(), Buffer.from(eicar)])
    const { body } = await sendAvatar(author.publisher, { bytes: tailed })
    await world.runJobs()
    const imageId = body.safety.operationId
    deepEqual(await stateOf(author, imageId), { state: 'rejected', eligible: false, lastError: 'held-for-review' })
    equal((await author.publisher.calls(getProfile, {})).body.avatarUrl, null)
    equal(await world.services.files.sizeOf(mediaKey(imageId)), undefined)
    equal((await world.stranger().calls(getMedia, { params: { file: `${imageId}.png` } })).status, 404)
    held.push(imageId)
    const holds = await heldIn(admin)
    deepEqual(holds.map(({ operationId }) => operationId).sort(), held.sort())
    ok(holds.every(({ reason }) => reason.includes('Eicar')))
    // What is clean passes.
    const clean = await sendAvatar(author.publisher, {})
    await world.runJobs()
    equal((await stateOf(author, clean.body.safety.operationId)).state, 'cleared')
  },
)

test('while clamd is away nothing is cleared; when it is back, what waited gets its verdict', needsClamd, async (t) => {
  const clamd = await prepareClamd(t)
  const { world, author } = await houseWith(t, clamd)
  const { body } = await sendAvatar(author.publisher, {})
  const good = body.safety.operationId
  const { operationId: bad } = await sendBadZip(world, author, { 'eicar.com': eicar })
  for (const id of [good, bad]) equal((await stateOf(author, id)).state, 'checking')
  await clamd.start()
  // It rests for three seconds of real time after a refused connection.
  for (let tries = 0; tries < 100 && (await stateOf(author, good)).state === 'checking'; tries += 1) {
    await wait(200)
    await world.advance(30)
    await world.runJobs()
  }
  for (let tries = 0; tries < 20 && (await stateOf(author, bad)).state === 'checking'; tries += 1) {
    await world.advance(600)
    await world.runJobs()
  }
  deepEqual([(await stateOf(author, good)).state, (await stateOf(author, bad)).state], ['cleared', 'rejected'])
  await clamd.stop()
  const again = await sendAvatar(author.publisher, {})
  await world.runJobs()
  equal((await stateOf(author, again.body.safety.operationId)).state, 'checking')
})
