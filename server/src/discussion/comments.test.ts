import { deepEqual, equal, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { addComment, deleteComment, getComment, listComments, listPublicComments } from '@pennypost/contract/comments'
import { getPublicPost } from '@pennypost/contract/discovery'
import { createPost, getPost, updatePost } from '@pennypost/contract/posts'
import { declareAgent } from '@pennypost/contract/profiles'
import { withdrawPost } from '@pennypost/contract/publishing'
import { reactToComment } from '@pennypost/contract/reactions'
import { writeCursor } from '../platform/cursor.ts'
import { administrator, bought, boughtByWallet, comments, discussionIn, publishes, says } from './discussion.fixture.ts'

const idsOf = (list: { id: string }[]) => list.map(({ id }) => id)

test('a saved comment has every field, can be read by its id, and is counted', async (t) => {
  const { author, reader, postId, world } = await discussionIn(t)
  const saved = await comments(reader, postId, '  Well said.\r\n ')
  const { replayed, ...comment } = saved
  equal(replayed, false)
  deepEqual(comment, {
    id: comment.id,
    post_id: postId,
    parent_comment_id: null,
    reply_target_comment_id: null,
    thread_root_id: comment.id,
    depth: 0,
    content: 'Well said.',
    created_at: comment.created_at,
    deleted_at: null,
    deleted_by_role: null,
    author: {
      id: reader.accountId,
      handle: reader.handle,
      name: comment.author.name,
      avatarUrl: null,
      authorKind: 'human',
    },
    has_purchased: false,
    reactions: { counts: { thumbs_up: 0, heart: 0, fire: 0, clap: 0 }, total: 0, viewerReaction: null },
    tip_total_raw: '0',
    tip_total_atomic: '0',
    reply_count: 0,
    mentions: [],
    mentionProfiles: [],
  })
  deepEqual((await author.owner.calls(getComment, { params: { commentId: comment.id } })).body, comment)
  const { body: post } = await world.stranger().calls(getPublicPost, { params: { postId } })
  deepEqual([post.commentCount, post.tipTotalRaw, post.salesCount], [1, '0', 0])
  deepEqual(post.reactions, comment.reactions)
})

test('content has 1 to 2000 UTF-16 code units after trimming; line ends stay as they were sent', async (t) => {
  const { reader, postId } = await discussionIn(t)
  equal((await comments(reader, postId, ` ${'😀'.repeat(1000)} `)).content.length, 2000)
  equal((await comments(reader, postId, 'a\r\nb\rc')).content, 'a\r\nb\rc')
  for (const body of [
    { content: `${'😀'.repeat(1000)}x` },
    { content: ' \n ' },
    { content: '' },
    { content: 1 },
    {},
    { content: 'x', other: 1 },
    { content: 'x', parentCommentId: 'nonsense' },
  ]) {
    const { status, body: refused } = await says(reader, postId, body)
    equal(status, 422, JSON.stringify(body).slice(0, 80))
    equal(refused.data.code, 'validation')
    ok(refused.errors.length > 0)
  }
})

test('the Idempotency-Key is required: 1 to 128 visible ASCII characters', async (t) => {
  const { reader, postId } = await discussionIn(t)
  const missing = await reader.owner.sends(addComment, { params: { postId }, body: { content: 'x' } })
  deepEqual([missing.status, missing.body.data.code], [400, 'idempotency_key_required'])
  for (const key of ['a b', 'x'.repeat(129)]) equal((await says(reader, postId, { content: 'x' }, key)).status, 400)
  equal((await says(reader, postId, { content: 'x' }, '~'.repeat(128))).status, 201)
})

test('the same key replays the same comment with 200; different input is 409; keys belong to an account and a post', async (t) => {
  const { author, reader, postId } = await discussionIn(t)
  const first = await says(reader, postId, { content: 'once' }, 'key')
  const again = await says(reader, postId, { content: ' once ', mentions: [] }, 'key')
  deepEqual([first.status, again.status, again.body.replayed, again.body.id], [201, 200, true, first.body.id])
  const changed = await says(reader, postId, { content: 'twice' }, 'key')
  deepEqual([changed.status, changed.body.data.code], [409, 'idempotency_key_conflict'])
  equal((await says(author, postId, { content: 'mine' }, 'key')).status, 201)
  equal((await says(reader, await publishes(author), { content: 'elsewhere' }, 'key')).status, 201)
})

test('a replay works after comments were turned off, the comment deleted and the post unpublished', async (t) => {
  const { author, reader, postId } = await discussionIn(t)
  const { body } = await says(reader, postId, { content: 'once' }, 'key')
  const { body: post } = await author.publisher.calls(getPost, { params: { postId } })
  await author.publisher.calls(updatePost, {
    params: { postId },
    headers: { 'x-post-revision': post.updatedAt },
    body: { commentsEnabled: false },
  })
  equal((await says(reader, postId, { content: 'once' }, 'key')).status, 200)
  await author.publisher.calls(withdrawPost, { params: { postId } })
  await reader.owner.calls(deleteComment, { params: { commentId: body.id } })
  const replay = await says(reader, postId, { content: 'once' }, 'key')
  deepEqual([replay.status, replay.body.id, replay.body.content, replay.body.replayed], [200, body.id, null, true])
})

test('a comment that was saved but cannot be shown returns a receipt, and can be read by its id later', async (t) => {
  const { reader, postId, world } = await discussionIn(t)
  const { pool } = world.services
  const query = pool.query.bind(pool) as (...given: unknown[]) => unknown
  const breaks = (name: string) => {
    pool.query = ((given: { name?: string }, ...rest: unknown[]) =>
      given.name === name ? Promise.reject(new Error('Connection terminated')) : query(given, ...rest)) as never
  }
  breaks('saved-comment')
  const first = await says(reader, postId, { content: 'kept' }, 'key')
  const { id } = first.body
  const receipt = { id, post_id: postId, mentions: [], mentionProfiles: [], readbackRequired: true }
  deepEqual([first.status, first.body], [201, { ...receipt, replayed: false }])
  const replay = await says(reader, postId, { content: 'kept' }, 'key')
  deepEqual([replay.status, replay.body], [200, { ...receipt, replayed: true }])
  breaks('nothing')
  equal((await reader.owner.calls(getComment, { params: { commentId: id } })).body.content, 'kept')
  // A comment is shown even if the people it mentions cannot be read.
  breaks('mentioned-people')
  const binding = { profileId: reader.accountId, handle: reader.handle.toLowerCase() }
  const shown = await comments(reader, postId, `@${reader.handle}`, { mentions: [binding] })
  deepEqual([shown.mentions, shown.mentionProfiles], [[binding], []])
  breaks('nothing')
  const { body } = await reader.owner.calls(getComment, { params: { commentId: shown.id } })
  equal(body.mentionProfiles.length, 1)
})

test('threads have two levels: the parent is always the root, the target is the comment replied to', async (t) => {
  const { author, reader, postId } = await discussionIn(t)
  const root = await comments(reader, postId, 'root')
  const reply = await comments(author, postId, 'reply', { parentCommentId: root.id })
  const placeOf = (comment: Record<string, unknown>) => [
    comment.parent_comment_id,
    comment.reply_target_comment_id,
    comment.thread_root_id,
    comment.depth,
  ]
  deepEqual(placeOf(reply), [root.id, root.id, root.id, 1])
  const named = await comments(reader, postId, 'a', { parentCommentId: root.id, replyTargetCommentId: reply.id })
  deepEqual(placeOf(named), [root.id, reply.id, root.id, 1])
  // If the parent is a reply, it becomes the target.
  const nested = await comments(reader, postId, 'b', { parentCommentId: named.id })
  deepEqual(placeOf(nested), [root.id, named.id, root.id, 1])
  equal((await reader.owner.calls(getComment, { params: { commentId: root.id } })).body.reply_count, 3)
})

test('a reply is refused if its target is in another thread, unknown, without a parent or deleted', async (t) => {
  const { author, reader, postId } = await discussionIn(t)
  const root = await comments(reader, postId, 'root')
  const other = await comments(reader, postId, 'another thread')
  const foreign = await comments(reader, await publishes(author), 'another post')
  for (const [place, field] of [
    [{ replyTargetCommentId: root.id }, 'parentCommentId'],
    [{ parentCommentId: root.id, replyTargetCommentId: other.id }, 'replyTargetCommentId'],
    [{ parentCommentId: foreign.id }, 'parentCommentId'],
    [{ parentCommentId: root.id, replyTargetCommentId: foreign.id }, 'replyTargetCommentId'],
    [{ parentCommentId: randomUUID() }, 'parentCommentId'],
  ] as const) {
    const { status, body } = await says(reader, postId, { content: 'x', ...place })
    deepEqual([status, body.errors[0].field], [422, field], JSON.stringify(place))
  }
  const reply = await comments(author, postId, 'reply', { parentCommentId: root.id })
  await reader.owner.calls(deleteComment, { params: { commentId: root.id } })
  const late = await says(author, postId, { content: 'x', parentCommentId: root.id })
  deepEqual([late.status, late.body.data.code], [409, 'comment_deleted'])
  // Other comments of the thread can still be replied to.
  await comments(reader, postId, 'x', { parentCommentId: root.id, replyTargetCommentId: reply.id })
})

test('drafts, unpublished and unknown posts have no discussion: the same 404 for each', async (t) => {
  const { author, reader, postId, world } = await discussionIn(t)
  const comment = await comments(reader, postId, 'seen')
  const { body: draft } = await author.publisher.calls(createPost, { body: { title: 'A draft' } })
  await author.publisher.calls(withdrawPost, { params: { postId } })
  for (const id of [draft.id, postId, randomUUID(), 'nonsense']) {
    const replies = [
      await says(author, id, { content: 'x' }),
      await author.owner.calls(listComments, { params: { postId: id } }),
      await author.owner.calls(listPublicComments, { params: { postId: id } }),
    ]
    for (const { status, body } of replies) deepEqual([status, body.data.code], [404, 'post_not_found'])
  }
  const { status } = await (await world.reader()).owner.calls(getComment, { params: { commentId: comment.id } })
  equal(status, 404)
})

test('a comment on an unpublished post can be read by its writer, the author and buyers', async (t) => {
  const { author, reader, postId, world } = await discussionIn(t)
  const { body: saved } = await says(reader, postId, { content: 'mine' }, 'key')
  const reads = (person: typeof reader, commentId: string = saved.id) =>
    person.owner.calls(getComment, { params: { commentId } })
  const [buyer, walletBuyer, other] = [await world.reader(), await world.reader(), await world.reader()]
  await bought(world, buyer, postId)
  await boughtByWallet(world, walletBuyer, postId)
  const elsewhere = await publishes(author)
  await bought(world, other, elsewhere)
  await boughtByWallet(world, other, elsewhere)
  await author.publisher.calls(withdrawPost, { params: { postId } })
  const { replayed, ...replay } = (await says(reader, postId, { content: 'mine' }, 'key')).body
  equal(replayed, true)
  for (const person of [reader, author, buyer, walletBuyer]) {
    const { status, body } = await reads(person)
    deepEqual([status, body], [200, replay])
  }
  const refused = await reads(other)
  deepEqual([refused.status, refused.body], [404, (await reads(other, randomUUID())).body])
})

test('a comment shows that its writer bought the post, from the account or with a linked wallet', async (t) => {
  const { reader, postId, world, author } = await discussionIn(t)
  const other = await publishes(author)
  const [buyer, walletBuyer] = [await world.reader(), await world.reader()]
  await bought(world, buyer, postId)
  await boughtByWallet(world, walletBuyer, postId)
  const people = [reader, buyer, walletBuyer]
  const flags: boolean[] = []
  for (const person of people) flags.push((await comments(person, postId, 'x')).has_purchased)
  deepEqual(flags, [false, true, true])
  const { body } = await world.stranger().calls(listPublicComments, { params: { postId } })
  deepEqual(
    body.map((comment: { has_purchased: boolean }) => comment.has_purchased),
    flags,
  )
  for (const person of people) equal((await comments(person, other, 'x')).has_purchased, false)
})

test('comments turned off: 403 comments_disabled; agent comments turned off: 403 for agent accounts only', async (t) => {
  const { author, reader, world } = await discussionIn(t)
  const off = await publishes(author, { commentsEnabled: false })
  const refused = await says(reader, off, { content: 'x' })
  deepEqual([refused.status, refused.body.data.code], [403, 'comments_disabled'])
  const people = await publishes(author, { agentCommentsEnabled: false })
  const robot = await world.creator()
  await robot.publisher.calls(declareAgent, {})
  const agent = await says(robot, people, { content: 'x' })
  equal(agent.status, 403)
  ok(agent.body.message.includes('does not accept'))
  equal((await says(reader, people, { content: 'x' })).status, 201)
  const welcome = await comments(robot, await publishes(author), 'x')
  equal(welcome.author.authorKind, 'agent')
  const { body } = await reader.owner.calls(listComments, { params: { postId: people } })
  deepEqual(body.commentPolicy, { commentsEnabled: true, agentCommentsEnabled: false })
})

test('comments are listed in the order they were written, in pages; a thread includes its root', async (t) => {
  const { author, reader, postId, world } = await discussionIn(t)
  const root = await comments(reader, postId, '1')
  const other = await comments(author, postId, '2')
  const reply = await comments(author, postId, '3', { parentCommentId: root.id })
  const list = (query: object) => reader.owner.sends(listComments, { params: { postId }, query })
  const { body: all } = await list({})
  deepEqual(idsOf(all.comments), [root.id, other.id, reply.id])
  deepEqual(all.pagination, { limit: 50, nextCursor: null, hasMore: false })
  const { body: first } = await list({ limit: '2' })
  deepEqual([idsOf(first.comments), first.pagination.hasMore], [[root.id, other.id], true])
  const { body: second } = await list({ limit: '2', cursor: first.pagination.nextCursor })
  deepEqual([idsOf(second.comments), second.pagination.nextCursor], [[reply.id], null])
  const { body: thread } = await list({ threadRootId: root.id, limit: '1' })
  deepEqual(idsOf(thread.comments), [root.id])
  const rest = await list({ threadRootId: root.id, cursor: thread.pagination.nextCursor })
  deepEqual(idsOf(rest.body.comments), [reply.id])
  for (const query of [{ limit: '0' }, { limit: '101' }, { threadRootId: 'x' }, { cursor: 'x' }, { cursor: 'bnVsbA' }])
    equal((await list(query)).status, 400, JSON.stringify(query))
  // A cursor that the client made up is a valid position too.
  for (const time of ['0000-01-01T00:00:00Z', '9999-12-31T23:59:59.999999Z'])
    equal((await list({ cursor: writeCursor(time) })).status, 200, time)
  for (const threadRootId of [randomUUID(), reply.id]) equal((await list({ threadRootId })).status, 404)
  // The public list is an array without a paging query, and a page with one.
  const readPublicly = (query: object) => world.stranger().sends(listPublicComments, { params: { postId }, query })
  deepEqual(idsOf((await readPublicly({})).body), [root.id, other.id, reply.id])
  for (const query of [{ limit: '2' }, { cursor: first.pagination.nextCursor }, { threadRootId: root.id }]) {
    const { body } = await readPublicly(query)
    deepEqual(body.commentPolicy, { commentsEnabled: true, agentCommentsEnabled: true })
    equal(body.comments.length > 0, true)
  }
  equal((await readPublicly({ limit: '101' })).status, 400)
  equal((await readPublicly({ threadRootId: randomUUID() })).status, 404)
})

test('threads are listed newest first or by reactions, each with its replies in order, in pages to the last one', async (t) => {
  const { author, reader, postId, world } = await discussionIn(t)
  const roots = []
  for (const content of ['1', '2', '3', '4']) roots.push((await comments(reader, postId, content)).id)
  const [one, two, three, four] = roots
  const reply = async (parentCommentId: string) => (await comments(author, postId, 'r', { parentCommentId })).id
  const [first, second, other] = [await reply(one), await reply(one), await reply(three)]
  const react = (person: typeof reader, commentId: string, reaction: string) =>
    person.owner.calls(reactToComment, { params: { commentId }, body: { reaction } as never })
  await react(reader, one, 'heart')
  await react(author, one, 'fire')
  await react(author, two, 'clap')
  // A reaction to a reply does not move its thread.
  await react(reader, other, 'heart')
  const orders = {
    newest: [four, three, other, two, one, first, second],
    popular: [one, first, second, two, four, three, other],
  }
  for (const [sort, order] of Object.entries(orders))
    for (const limit of [1, 2, 3, 6, 7, 100]) {
      const ids: string[] = []
      for (let cursor: string | null = null, isFirst = true; isFirst || cursor !== null; isFirst = false) {
        const query = { sort, limit: String(limit), ...(cursor !== null && { cursor }) }
        const { body } = await world.stranger().sends(listPublicComments, { params: { postId }, query })
        ids.push(...idsOf(body.comments))
        cursor = body.pagination.nextCursor
      }
      deepEqual(ids, order, `${sort} by ${limit}`)
    }
  const list = (query: object) => reader.owner.sends(listComments, { params: { postId }, query })
  deepEqual(idsOf((await list({ sort: 'popular' })).body.comments), orders.popular)
  equal((await list({ sort: 'popular' })).body.comments[0].reactions.viewerReaction, 'heart')
  // Within a thread, the order is always that of writing.
  deepEqual(idsOf((await list({ sort: 'newest', threadRootId: one })).body.comments), [one, first, second])
  const { body: page } = await list({ sort: 'newest', limit: '1' })
  for (const query of [
    { sort: 'sideways' },
    { sort: 'oldest', cursor: page.pagination.nextCursor },
    { sort: 'popular', cursor: writeCursor('2030-01-01T00:00:00Z') },
    { sort: 'popular', cursor: writeCursor([2 ** 40, '2030-01-01T00:00:00Z', '2030-01-01T00:00:00Z']) },
  ])
    equal((await list(query)).status, 400, JSON.stringify(query))
})

test('the array of a long discussion has its first 500 comments and a link to the rest', async (t) => {
  const { reader, postId, world } = await discussionIn(t)
  await comments(reader, postId, 'the first')
  await world.services.pool.query(
    `INSERT INTO comments (id, post_id, author_id, thread_root_id, content, created_at)
     SELECT id, $1, $2, id, 'more', timestamptz '2030-01-01' + n * interval '1 second'
     FROM (SELECT gen_random_uuid() AS id, n FROM generate_series(1, 520) n) made`,
    [postId, reader.accountId],
  )
  const { body, headers } = await world.stranger().calls(listPublicComments, { params: { postId } })
  equal(body.length, 500)
  const next = /^<(.+)>; rel="next"$/.exec(headers.get('link') ?? '')![1]!
  const rest = await world.server.inject({ url: next.slice(world.origin.length) })
  equal(rest.json().comments.length, 21)
})

test('a deleted comment keeps its position without content; only three roles can delete', async (t) => {
  const { author, reader, postId, world } = await discussionIn(t)
  const admin = await administrator(world)
  const stranger = await world.reader()
  const made = []
  const binding = { profileId: author.accountId, handle: author.handle.toLowerCase() }
  for (const content of ['1', '2', '3'])
    made.push(await comments(reader, postId, `${content} @${author.handle}`, { mentions: [binding] }))
  const remove = (person: typeof reader, commentId: string) =>
    person.owner.calls(deleteComment, { params: { commentId } })
  const forbidden = await remove(stranger, made[0].id)
  deepEqual([forbidden.status, forbidden.body.data.code], [403, 'comment_not_yours'])
  for (const [index, [person, role]] of (
    [
      [reader, 'author'],
      [author, 'post_owner'],
      [admin, 'admin'],
    ] as const
  ).entries()) {
    const id: string = made[index].id
    const { status, body } = await remove(person, id)
    equal(status, 200)
    deepEqual(body, { success: true, id, post_id: postId, deleted_at: body.deleted_at, deleted_by_role: role })
    // Deleting again changes nothing, even for a different role.
    deepEqual((await remove(author, id)).body, body)
    const { body: read } = await stranger.owner.calls(getComment, { params: { commentId: id } })
    deepEqual(
      [read.content, read.deleted_at, read.deleted_by_role, read.mentions, read.mentionProfiles],
      [null, body.deleted_at, role, [], []],
    )
  }
  const { body } = await world.stranger().calls(listPublicComments, { params: { postId } })
  deepEqual(idsOf(body), idsOf(made))
  equal((await world.stranger().calls(getPublicPost, { params: { postId } })).body.commentCount, 0)
  for (const id of [randomUUID(), 'nonsense']) equal((await remove(admin, id)).status, 404)
})

test('comments on an unpublished post can still be deleted; for others they return 404', async (t) => {
  const { author, reader, postId, world } = await discussionIn(t)
  const comment = await comments(reader, postId, 'mine')
  await author.publisher.calls(withdrawPost, { params: { postId } })
  const remove = (person: typeof reader) => person.owner.calls(deleteComment, { params: { commentId: comment.id } })
  equal((await remove(await world.reader())).status, 404)
  equal((await remove(reader)).body.deleted_by_role, 'author')
})
