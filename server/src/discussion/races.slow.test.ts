import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { deleteComment, listComments } from '@pennypost/contract/comments'
import { getPublicPost } from '@pennypost/contract/discovery'
import { withdrawPost } from '@pennypost/contract/publishing'
import { getPublicPostReactions, reactToComment, reactToPost } from '@pennypost/contract/reactions'
import { decideReport, reportComment } from '@pennypost/contract/reports'
import fc from 'fast-check'
import type { Reader } from '../test/people.ts'
import type { World } from '../test/world.ts'
import { administrator, comments, discussionIn, says } from './discussion.fixture.ts'

const times = <T>(count: number, act: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => act(index)))

/** Every stored count of a discussion, next to a fresh count of the rows. */
async function figures(world: World, postId: string) {
  const { rows } = await world.services.pool.query(
    `SELECT figures.comment_count, figures.thumbs_up, figures.heart, figures.fire, figures.clap,
       (SELECT count(*)::int FROM comments WHERE post_id = $1 AND deleted_at IS NULL) AS true_comments,
       (SELECT coalesce(jsonb_object_agg(reaction, n), '{}') FROM
         (SELECT reaction, count(*) AS n FROM post_reactions WHERE post_id = $1 GROUP BY 1) counted) AS true_reactions,
       (SELECT count(*)::int FROM comments root WHERE post_id = $1 AND thread_root_id = id AND reply_count <>
         (SELECT count(*) FROM comments WHERE thread_root_id = root.id AND id <> root.id AND deleted_at IS NULL)) AS wrong_threads,
       (SELECT count(*)::int FROM comments WHERE post_id = $1 AND (thumbs_up, heart, fire, clap) <>
         (SELECT count(*) FILTER (WHERE reaction = 'thumbs_up'), count(*) FILTER (WHERE reaction = 'heart'),
           count(*) FILTER (WHERE reaction = 'fire'), count(*) FILTER (WHERE reaction = 'clap')
          FROM comment_reactions WHERE comment_id = comments.id)) AS wrong_comments,
       (SELECT count(*)::int FROM post_commenters said WHERE post_id = $1 AND comment_count <>
         (SELECT count(*) FROM comments WHERE post_id = $1 AND author_id = said.account_id AND deleted_at IS NULL)) AS wrong_watchers
     FROM post_figures figures WHERE post_id = $1`,
    [postId],
  )
  return rows[0]
}

async function areExact(world: World, postId: string): Promise<void> {
  const { true_comments, true_reactions, comment_count, wrong_threads, wrong_comments, wrong_watchers, ...counted } =
    await figures(world, postId)
  equal(comment_count, true_comments)
  deepEqual(counted, { thumbs_up: 0, heart: 0, fire: 0, clap: 0, ...true_reactions })
  deepEqual([wrong_threads, wrong_comments, wrong_watchers], [0, 0, 0])
}

test('50 simultaneous requests with one key make one comment', async (t) => {
  const { reader, postId, world } = await discussionIn(t)
  const replies = await times(50, () => says(reader, postId, { content: 'once' }, 'key'))
  deepEqual(replies.map(({ status }) => status).sort(), [...Array(49).fill(200), 201])
  equal(new Set(replies.map(({ body }) => body.id)).size, 1)
  equal((await world.stranger().calls(getPublicPost, { params: { postId } })).body.commentCount, 1)
})

test('figures stay exact under simultaneous comments, replies, deletions and reactions', async (t) => {
  const { author, reader, postId, world } = await discussionIn(t)
  const people: Reader[] = [author, reader, await world.reader(), await world.reader()]
  const said: string[] = []
  for (const person of people) said.push((await comments(person, postId, 'root')).id)
  const reactions = ['thumbs_up', 'heart', 'fire', 'clap', null] as const
  // In waves no larger than the connection pool, so that the test waits for locks and not for connections.
  for (let wave = 0; wave < 5; wave += 1) {
    const acts = await times(20, (turn) => {
      const index = wave * 20 + turn
      const person = people[index % people.length]!
      const params = { postId, commentId: said[(index * 7) % said.length]! }
      const body = { reaction: reactions[index % reactions.length]! }
      if (turn % 5 === 0) return says(person, postId, { content: 'root' })
      if (turn % 5 === 1) return says(person, postId, { content: 'reply', parentCommentId: params.commentId })
      if (turn % 5 === 2) return person.owner.calls(reactToComment, { params, body })
      if (turn % 5 === 3) return person.owner.calls(reactToPost, { params, body })
      return author.owner.calls(deleteComment, { params })
    })
    for (const { status, body } of acts) ok([200, 201, 409].includes(status), JSON.stringify(body))
    said.push(...acts.filter(({ status }) => status === 201).map(({ body }) => body.id))
    await areExact(world, postId)
  }
})

test('simultaneous reactions of one account leave one reaction, counted once', async (t) => {
  const { reader, postId, world } = await discussionIn(t)
  await times(30, (index) =>
    reader.owner.calls(reactToPost, { params: { postId }, body: { reaction: index % 2 ? 'heart' : 'fire' } }),
  )
  const { body } = await world.stranger().calls(getPublicPostReactions, { params: { postId } })
  equal(body.summary.total, 1)
  await areExact(world, postId)
})

test('simultaneous deletions delete a comment once', async (t) => {
  const { author, reader, postId, world } = await discussionIn(t)
  await comments(author, postId, 'stays')
  const { id } = await comments(reader, postId, 'goes')
  const replies = await times(20, (index) =>
    (index % 2 ? author : reader).owner.calls(deleteComment, { params: { commentId: id } }),
  )
  equal(new Set(replies.map(({ body }) => JSON.stringify(body))).size, 1)
  await areExact(world, postId)
})

test('no comment is saved after the post is unpublished', async (t) => {
  const { author, reader, postId, world } = await discussionIn(t, { isolation: 'emptied' })
  const count = async () => (await world.services.pool.query('SELECT FROM comments')).rowCount
  let whenWithdrawn: number | null = null
  await times(16, async (index) => {
    if (index !== 5) return says(reader, postId, { content: 'x' })
    const reply = await author.publisher.calls(withdrawPost, { params: { postId } })
    whenWithdrawn = await count()
    return reply
  }).then((replies) => {
    for (const { status } of replies) ok([200, 201, 404].includes(status))
    equal(replies.filter(({ status }) => status === 201).length, whenWithdrawn)
  })
  equal(await count(), whenWithdrawn)
})

test('of two administrators who decide about one comment, the second gets 409', async (t) => {
  const { author, reader, postId, world } = await discussionIn(t)
  const admins = [await administrator(world), await administrator(world)]
  const { id } = await comments(author, postId, 'x')
  const filed: string[] = []
  for (const person of [reader, await world.reader()]) {
    const params = { commentId: id }
    const { body } = await person.owner.calls(reportComment, { params, body: { reason: 'x' }, idempotencyKey: 'k' })
    filed.push(body.reportId)
  }
  const replies = await times(10, (index) =>
    admins[index % 2]!.owner.calls(decideReport, {
      params: { reportId: filed[index % 2]! },
      body: { decision: 'remove_comment' },
    }),
  )
  deepEqual(replies.map(({ status }) => status).sort(), [200, ...Array(9).fill(409)])
  await areExact(world, postId)
})

test('paging while others write shows every comment once, in order', async (t) => {
  const { author, reader, postId, world } = await discussionIn(t, { isolation: 'emptied' })
  const writers: Reader[] = [author, reader, await world.reader()]
  const readThrough = async (limit: number) => {
    const seen: { id: string; created_at: string }[] = []
    for (let cursor: string | undefined | null; cursor !== null; ) {
      const query = { limit: String(limit), ...(cursor && { cursor }) }
      const { body } = await reader.owner.sends(listComments, { params: { postId }, query })
      seen.push(...body.comments)
      cursor = body.pagination.nextCursor
    }
    return seen
  }
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 3, maxLength: 12 }),
      async (limit, turns) => {
        let isWriting = true
        const writing = Promise.all(turns.map((who) => comments(writers[who]!, postId, 'x'))).finally(() => {
          isWriting = false
        })
        const walks = []
        while (isWriting) walks.push(await readThrough(limit))
        await writing
        const all = await readThrough(100)
        const order = all.map(({ created_at, id }) => `${created_at} ${id}`)
        deepEqual(order, order.toSorted())
        equal(new Set(order).size, (await world.services.pool.query('SELECT FROM comments')).rowCount)
        // Comments written in the meantime sort last, so each reader saw an unbroken start of the final list.
        for (const walk of walks) deepEqual(walk.map(idOf), all.slice(0, walk.length).map(idOf))
      },
    ),
    { numRuns: 8 },
  )
})

const idOf = ({ id }: { id: string }) => id
