import { deepEqual, equal, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { deleteComment } from '@pennypost/contract/comments'
import { getPublicPost } from '@pennypost/contract/discovery'
import { withdrawPost } from '@pennypost/contract/publishing'
import {
  getCommentReactions,
  getPostReactions,
  getPublicCommentReactions,
  getPublicPostReactions,
  reactToComment,
  reactToPost,
} from '@pennypost/contract/reactions'
import { listCommentSupporters, listTipActivities } from '@pennypost/contract/tip-lists'
import { connected, hasRedis, redis } from '../platform/limits/redis.fixture.ts'
import { redisRateLimiter } from '../platform/limits/redis-rate-limiter.ts'
import { createLog } from '../platform/log.ts'
import { nextAddress, Person } from '../test/person.ts'
import { comments, discussionIn } from './discussion.fixture.ts'

const none = { thumbs_up: 0, heart: 0, fire: 0, clap: 0 }
const targets = [
  { what: 'post', react: reactToPost, read: getPostReactions, readPublicly: getPublicPostReactions },
  { what: 'comment', react: reactToComment, read: getCommentReactions, readPublicly: getPublicCommentReactions },
]

for (const { what, react, read, readPublicly } of targets) {
  test(`an account has one reaction to a ${what}: it can be saved, changed and removed`, async (t) => {
    const { author, reader, postId, world } = await discussionIn(t)
    const id = what === 'post' ? postId : (await comments(author, postId, 'x')).id
    const params = { postId: id, commentId: id }
    const says = (person: typeof reader, reaction: unknown) => person.owner.sends(react, { params, body: { reaction } })
    deepEqual((await says(reader, 'heart')).body, {
      summary: { counts: { ...none, heart: 1 }, total: 1, viewerReaction: 'heart' },
    })
    await says(reader, 'heart')
    await says(author, 'clap')
    const { body } = await says(reader, 'fire')
    deepEqual(body.summary, { counts: { ...none, fire: 1, clap: 1 }, total: 2, viewerReaction: 'fire' })
    const mine = await author.owner.sends(read, { params })
    deepEqual(mine.body, {
      summary: { counts: { ...none, fire: 1, clap: 1 }, total: 2, viewerReaction: 'clap' },
      reaction: null,
      reactors: [],
      pagination: null,
    })
    const anonymous = await world.stranger().sends(readPublicly, { params })
    equal(anonymous.body.summary.viewerReaction, null)
    deepEqual((await says(reader, null)).body.summary.counts, { ...none, clap: 1 })
    deepEqual((await says(reader, null)).body.summary.counts, { ...none, clap: 1 })
    for (const reaction of ['thumbs_down', 1, undefined]) equal((await says(reader, reaction)).status, 422)
  })

  test(`people who reacted to a ${what} are listed newest first, in pages`, async (t) => {
    const { author, postId, world } = await discussionIn(t)
    const id = what === 'post' ? postId : (await comments(author, postId, 'x')).id
    const params = { postId: id, commentId: id }
    const people = []
    for (let count = 0; count < 3; count += 1) {
      const person = await world.reader()
      await person.owner.sends(react, { params, body: { reaction: 'heart' } })
      await world.advance(1)
      people.unshift(person)
    }
    await author.owner.sends(react, { params, body: { reaction: 'fire' } })
    const ask = (query: object) => world.stranger().sends(readPublicly, { params, query })
    const { body } = await ask({ reaction: 'heart' })
    equal(body.reaction, 'heart')
    deepEqual(body.pagination, { limit: 40, offset: 0, total: 3, hasMore: false })
    deepEqual(
      body.reactors.map(({ profile }: { profile: { id: string } }) => profile.id),
      people.map(({ accountId }) => accountId),
    )
    deepEqual(Object.keys(body.reactors[0]).sort(), ['created_at', 'profile', 'reaction'])
    const page = await ask({ reaction: 'heart', limit: '2', offset: '1' })
    deepEqual(page.body.pagination, { limit: 2, offset: 1, total: 3, hasMore: false })
    equal(page.body.reactors[0].profile.id, people[1]!.accountId)
    equal((await ask({ reaction: 'heart', limit: '1' })).body.pagination.hasMore, true)
    for (const query of [{ reaction: 'x' }, { limit: '0' }, { limit: '101' }, { offset: '-1' }])
      equal((await ask(query)).status, 400, JSON.stringify(query))
  })

  test(`reactions to a ${what} that is unknown or unpublished are 404`, async (t) => {
    const { author, reader, postId } = await discussionIn(t)
    const id = what === 'post' ? postId : (await comments(author, postId, 'x')).id
    await author.publisher.calls(withdrawPost, { params: { postId } })
    for (const given of [id, randomUUID(), 'nonsense']) {
      const params = { postId: given, commentId: given }
      equal((await reader.owner.sends(react, { params, body: { reaction: 'heart' } })).status, 404)
      equal((await reader.owner.sends(read, { params })).status, 404)
      equal((await reader.owner.sends(readPublicly, { params })).status, 404)
    }
  })
}

test('a post shows its reactions; a deleted comment accepts no new ones, but old ones can be removed', async (t) => {
  const { author, reader, postId, world } = await discussionIn(t)
  await reader.owner.calls(reactToPost, { params: { postId }, body: { reaction: 'clap' } })
  const { body: post } = await world.stranger().calls(getPublicPost, { params: { postId } })
  deepEqual(post.reactions, { counts: { ...none, clap: 1 }, total: 1, viewerReaction: null })
  const { id } = await comments(author, postId, 'x')
  const react = (reaction: 'heart' | null) =>
    reader.owner.calls(reactToComment, { params: { commentId: id }, body: { reaction } })
  await react('heart')
  await author.owner.calls(deleteComment, { params: { commentId: id } })
  const refused = await react('heart')
  deepEqual([refused.status, refused.body.data.code], [409, 'comment_deleted'])
  equal((await react(null)).body.summary.total, 0)
})

test('40 reaction reads in 10 seconds per user or IP address, then 429 with data.retryAfter', async (t) => {
  const { reader, postId, world } = await discussionIn(t)
  const stranger = world.stranger()
  const here = new Person(world, nextAddress(), reader.owner.token)
  const elsewhere = new Person(world, nextAddress(), reader.owner.token)
  for (let count = 0; count < 40; count += 1) {
    equal((await stranger.calls(getPublicPostReactions, { params: { postId } })).status, 200)
    equal((await here.calls(getPostReactions, { params: { postId } })).status, 200)
  }
  for (const refused of [
    await stranger.calls(getPublicPostReactions, { params: { postId } }),
    await elsewhere.calls(getPostReactions, { params: { postId } }),
  ]) {
    equal(refused.status, 429)
    equal(refused.body.data.code, 'rate_limited')
    ok(refused.body.data.retryAfter >= 1 && refused.body.data.retryAfter <= 10)
    equal(refused.headers.get('retry-after'), String(refused.body.data.retryAfter))
  }
  equal((await world.stranger().calls(getPublicPostReactions, { params: { postId } })).status, 200)
  await world.advance(10)
  equal((await stranger.calls(getPublicPostReactions, { params: { postId } })).status, 200)
})

test('with Redis all processes share the limit of 40 reads', {
  skip: hasRedis ? false : 'redis-server is not installed here',
}, async (t) => {
  const { url } = await redis(t)
  const address = nextAddress()
  const processes = []
  for (let count = 0; count < 2; count += 1) {
    const counters = await redisRateLimiter(url, createLog('silent'))
    t.after(() => counters.close())
    await connected(counters, true)
    const { world, postId } = await discussionIn(t, { services: { rateLimiter: counters } })
    processes.push({ person: new Person(world, address), params: { postId } })
  }
  const statuses = []
  for (let count = 0; count < 42; count += 1) {
    const { person, params } = processes[count % 2]!
    statuses.push((await person.calls(getPublicPostReactions, { params })).status)
  }
  deepEqual(statuses, [...Array(40).fill(200), 429, 429])
})

test('without tips the lists are empty; without a post or comment they are 404', async (t) => {
  const { author, reader, postId, world } = await discussionIn(t)
  const { id: commentId } = await comments(reader, postId, 'x')
  const stranger = world.stranger()
  const activities = (given: string) => stranger.calls(listTipActivities, { params: { postId: given } })
  const supporters = (postIdGiven: string, commentIdGiven: string) =>
    stranger.calls(listCommentSupporters, { params: { postId: postIdGiven, commentId: commentIdGiven } })
  deepEqual([(await activities(postId)).body, (await supporters(postId, commentId)).body], [[], []])
  equal((await supporters(randomUUID(), commentId)).status, 404)
  equal((await supporters(postId, randomUUID())).status, 404)
  await author.publisher.calls(withdrawPost, { params: { postId } })
  equal((await activities(postId)).status, 404)
  equal((await supporters(postId, commentId)).status, 404)
  await world.advance(10)
  for (let count = 0; count < 40; count += 1) await supporters(postId, commentId)
  const refused = await supporters(postId, commentId)
  equal(refused.status, 429)
  ok(refused.body.data.retryAfter >= 1)
})
