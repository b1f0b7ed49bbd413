import { deepEqual, equal, ok } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { makeAdmin } from '@pennypost/contract/development-tools'
import { getPublicPost } from '@pennypost/contract/discovery'
import { clearHold, placeHold } from '@pennypost/contract/holds'
import { cancelUpload, getUploadOperation } from '@pennypost/contract/images'
import { getPost } from '@pennypost/contract/posts'
import { payable, publish } from '../posts/posts.fixture.ts'
import { sharedWorld } from '../test/world.ts'
import { illustratedPost, picture, sendImage } from './uploads.fixture.ts'

// What a published Post shows stays until another one is cleared, and whatever is held is not shown.

async function illustratedIn(t: TestContext) {
  const world = await sharedWorld(t)
  const author = await payable(await world.creator())
  const { publisher, owner, accountId } = author
  await owner.calls(makeAdmin, { body: { profileId: accountId } })
  const { id: postId } = await publish(author, illustratedPost)
  const params = { postId }
  const sends = async (intent: 'content' | 'og', type = 'image/png'): Promise<string> => {
    const { updatedAt } = (await publisher.calls(getPost, { params })).body
    const key = intent === 'content' ? { 'x-upload-target-key': 'cover' } : {}
    const headers = { 'x-post-revision': updatedAt, ...key }
    const sent = await sendImage(publisher, postId, { bytes: await picture(), type, headers, query: { intent } })
    equal(sent.status, 202, JSON.stringify(sent.body))
    return sent.body.safety.operationId
  }
  const shows = async (intent: 'content' | 'og', id: string): Promise<boolean> => {
    const { body } = await world.stranger().calls(getPublicPost, { params })
    return (intent === 'og' ? (body.ogImageUrl ?? '') : body.freeContentHtml).includes(`/media/${id}.png`)
  }
  const safetyOf = async (operationId: string) =>
    (await publisher.calls(getUploadOperation, { params: { operationId } })).body.safety
  const hold = async (operationId: string): Promise<string> =>
    (await owner.calls(placeHold, { body: { operationId, reason: 'A complaint' } })).body.id
  const release = (holdId: string) => owner.calls(clearHold, { params: { holdId } })
  return { world, publisher, sends, shows, safetyOf, hold, release }
}

for (const intent of ['content', 'og'] as const) {
  test(`${intent}: a replacement that is on its way, rejected or cancelled leaves what is shown`, async (t) => {
    const { world, publisher, sends, shows, safetyOf } = await illustratedIn(t)
    const first = await sends(intent)
    await world.runJobs()
    ok(await shows(intent, first))
    const wrong = await sends(intent, 'image/jpeg')
    ok(await shows(intent, first), 'on its way')
    await world.runJobs()
    equal((await safetyOf(wrong)).state, 'rejected')
    ok(await shows(intent, first), 'rejected')
    const { eligible, generation, currentGeneration } = await safetyOf(first)
    deepEqual([eligible, generation, currentGeneration], [false, 1, 2], 'the operation itself is obsolete')
    const cancelled = await sends(intent)
    await publisher.calls(cancelUpload, { params: { operationId: cancelled } })
    await world.runJobs()
    ok(await shows(intent, first), 'cancelled')
    const last = await sends(intent)
    await world.runJobs()
    deepEqual([await shows(intent, first), await shows(intent, last)], [false, true])
  })

  test(`${intent}: a held picture is never shown, neither the old one nor the new one`, async (t) => {
    const { world, sends, shows, safetyOf, hold, release } = await illustratedIn(t)
    const first = await sends(intent)
    await world.runJobs()
    const second = await sends(intent)
    const holdId = await hold(second)
    await world.runJobs()
    equal((await safetyOf(second)).state, 'cleared')
    deepEqual([await shows(intent, first), await shows(intent, second)], [true, false])
    const other = await hold(first)
    deepEqual([await shows(intent, first), await shows(intent, second)], [false, false])
    await release(holdId)
    deepEqual([await shows(intent, first), await shows(intent, second)], [false, true])
    await release(other)
    await world.runJobs()
    deepEqual([await shows(intent, first), await shows(intent, second)], [false, true], 'replaced for good')
  })
}
