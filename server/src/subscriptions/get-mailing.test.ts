import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { getMailing } from '@pennypost/contract/mailings'
import { publishPost, withdrawPost } from '@pennypost/contract/publishing'
import { draft, publish } from '../posts/posts.fixture.ts'
import { emptiedWorld } from '../test/world.ts'
import { authorWith } from './subscriptions.fixture.ts'

const readers = ['one@example.org', 'two@example.org', 'three@example.org']

test('an author sees how the email with a post goes: on its way, then done', async (t) => {
  const world = await emptiedWorld(t)
  const author = await authorWith(world, readers)
  const { id: postId } = await publish(author)
  const seen = async () => {
    const { mailing } = (await author.owner.calls(getMailing, { params: { postId } })).body
    return [mailing.state, mailing.recipients, mailing.sent, mailing.failed, mailing.finishedAt !== null]
  }
  deepEqual(await seen(), ['running', 3, 0, 0, false])
  // One is being sent, one was put off, one was refused.
  await world.services.pool.query('UPDATE post_mailings SET next_after = last_position, refused = 1')
  await world.services.pool.query(
    `INSERT INTO post_emails (post_id, subscriber_id, state)
     VALUES ($1, gen_random_uuid(), 'sending'), ($1, gen_random_uuid(), 'waiting'), ($1, gen_random_uuid(), 'refused')`,
    [postId],
  )
  deepEqual(await seen(), ['running', 3, 0, 1, false])
  await world.services.pool.query('DELETE FROM post_emails')
  await world.services.pool.query('UPDATE post_mailings SET next_after = 0, refused = 0')
  await world.runJobs()
  deepEqual(await seen(), ['done', 3, 3, 0, true])
})

test('a post that was not emailed has no mailing, and one that is unpublished stops', async (t) => {
  const world = await emptiedWorld(t)
  const author = await authorWith(world, readers)
  const { id: quiet } = await draft(author.publisher)
  await author.publisher.calls(publishPost, { params: { postId: quiet }, body: { emailSubscribers: false } })
  deepEqual((await author.owner.calls(getMailing, { params: { postId: quiet } })).body, { mailing: null })
  const { id: postId } = await publish(author)
  await author.publisher.calls(withdrawPost, { params: { postId } })
  await world.runJobs()
  const { mailing } = (await author.owner.calls(getMailing, { params: { postId } })).body
  deepEqual([mailing.state, mailing.recipients, mailing.sent], ['stopped', 3, 0])
  // Nobody else learns how many subscribers the author has, nor does a key.
  const other = await world.creator()
  equal((await other.owner.calls(getMailing, { params: { postId } })).status, 404)
  equal((await author.publisher.calls(getMailing, { params: { postId } })).status, 401)
})
