import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { accountIn, postBy, storedCommentEvent } from './audience.fixture.ts'
import { notifyCommentCandidates } from './notify.ts'
import { worldWithSmtp } from './smtp-world.fixture.ts'

test('one person gets a bounded number of emails from many senders, and a second digest for the next hour', async (t) => {
  const { world, reader, received } = await worldWithSmtp(t)
  const postId = await postBy(world, reader.accountId)
  const comments = async (count: number) => {
    for (let index = 0; index < count; index += 1) {
      const event = await storedCommentEvent(world, postId, await accountIn(world))
      await world.services.db
        .transaction()
        .execute((tx) =>
          notifyCommentCandidates(tx, world.services, event, [{ recipientId: reader.accountId, reasons: ['mention'] }]),
        )
    }
    await world.runJobs()
  }
  await comments(62)
  equal(received.length, 60)
  await world.advance(1800)
  await comments(2)
  await world.advance(1801)
  await world.runJobs()
  equal(received.length, 61)
  await comments(61)
  await world.advance(3601)
  await world.runJobs()
  equal(received.length, 61 + 60 + 1)
})
