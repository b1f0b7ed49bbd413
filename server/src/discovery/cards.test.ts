import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { deleteComment } from '@pennypost/contract/comments'
import { getPublicPost, listPublicPosts, listRelatedPosts } from '@pennypost/contract/discovery'
import { clearHold, placeHold } from '@pennypost/contract/holds'
import { getUploadOperation } from '@pennypost/contract/images'
import { updatePost } from '@pennypost/contract/posts'
import { decideReport, reportComment } from '@pennypost/contract/reports'
import { sql } from 'kysely'
import { administrator, comments } from '../discussion/discussion.fixture.ts'
import { indexPosts } from '../posts/catalog/catalog-store.ts'
import { indexStalePosts } from '../posts/catalog/index-stale-posts.job.ts'
import { freeAgain as free } from '../posts/posts.fixture.ts'
import type { Person } from '../test/person.ts'
import { sendImage } from '../uploads/uploads.fixture.ts'
import { authorIn, publishes } from './published.fixture.ts'

// What lists show of a post besides its text.

const words = (count: number) => Array.from({ length: count }, (_, index) => `word${index}`).join(' ')

const cardOf = async (reader: Person, id: string) => {
  const { body } = await reader.calls(listPublicPosts, { query: { per_page: '48' } })
  const card = body.data.find((post: { id: string }) => post.id === id)
  return { minutes: card.readingMinutes, comments: card.commentCount, cover: card.ogImageUrl }
}

test('the reading time is that of the whole post, in lists and alone', async (t) => {
  const { author, reader } = await authorIn(t)
  const post = await publishes(author, { freeContentMarkdown: words(460), paidContentMarkdown: words(690) })
  const minutes = async () => [
    (await cardOf(reader, post.id)).minutes,
    (await reader.calls(getPublicPost, { params: { postId: post.id } })).body.readingMinutes,
  ]
  deepEqual(await minutes(), [5, 5])
  const shorter = await author.publisher.calls(updatePost, {
    params: { postId: post.id },
    headers: { 'x-post-revision': post.updatedAt },
    body: { freeContentMarkdown: 'A word.' },
  })
  equal(shorter.status, 200)
  deepEqual(await minutes(), [3, 3])
  // What an author keeps for later is not read.
  const open = await publishes(author, { ...free, freeContentMarkdown: words(230), paidContentMarkdown: words(690) })
  equal((await cardOf(reader, open.id)).minutes, 1)
})

test('comments are counted when one is added, deleted by its writer, or removed after a report', async (t) => {
  const { world, author, reader } = await authorIn(t)
  const { id } = await publishes(author)
  const [ada, bob] = [await world.reader(), await world.reader()]
  const first = await comments(ada, id, 'First')
  const second = await comments(bob, id, 'Second')
  await comments(bob, id, 'Third', { parentCommentId: first.id })
  const counted = async () => {
    await indexStalePosts.run(world.services, {})
    return (await cardOf(reader, id)).comments
  }
  equal(await counted(), 3)
  await ada.owner.calls(deleteComment, { params: { commentId: first.id } })
  equal(await counted(), 2)
  const report = await ada.owner.calls(reportComment, {
    params: { commentId: second.id },
    idempotencyKey: randomUUID(),
    body: { reason: 'Not nice.' },
  })
  equal(report.status, 201)
  const admin = await administrator(world)
  const { rows } = await world.services.pool.query<{ id: string }>('SELECT id FROM reports WHERE comment_id = $1', [
    second.id,
  ])
  const decided = await admin.owner.calls(decideReport, {
    params: { reportId: rows[0]!.id },
    body: { decision: 'remove_comment' },
  })
  equal(decided.status, 200)
  equal(await counted(), 1)
  await world.runJobs()
})

test('a comment changes the number on a card, and counts no words for it', async (t) => {
  const { world, author } = await authorIn(t)
  const { id } = await publishes(author)
  const { pool } = world.services
  await pool.query('UPDATE posts SET free_text = $2 WHERE id = $1', [id, words(10_000)])
  const stamp = async () => (await pool.query('SELECT stamp FROM catalog WHERE post_id = $1', [id])).rows[0].stamp
  const before = await stamp()
  await comments(await world.reader(), id, 'Well said.')
  await indexStalePosts.run(world.services, {})
  const { rows } = await pool.query('SELECT words, comment_count FROM catalog_cards WHERE post_id = $1', [id])
  equal(rows[0].comment_count, 1)
  ok(rows[0].words < 100)
  ok(Number(await stamp()) > Number(before))
  await world.runJobs()
})

test('cards from before lengths were stored are counted by the job', async (t) => {
  const { world, author, reader } = await authorIn(t)
  const { id } = await publishes(author)
  await world.inSession(async (client) => {
    // Without triggers.
    await client.query('SET session_replication_role = replica')
    await client.query('UPDATE catalog_cards SET words = NULL WHERE post_id = $1', [id])
  })
  equal((await reader.calls(getPublicPost, { params: { postId: id } })).body.readingMinutes, null)
  await indexStalePosts.run(world.services, {})
  equal((await reader.calls(getPublicPost, { params: { postId: id } })).body.readingMinutes, 1)
})

test('the words of a card are those that its writer counted, and counted here if it did not', async (t) => {
  const { world, author } = await authorIn(t)
  const { id } = await publishes(author, { ...free, freeContentMarkdown: words(10) })
  const { pool } = world.services
  const save = async (columns: string, values: string) => {
    await pool.query(
      `INSERT INTO catalog_cards (post_id, ${columns}) VALUES ($1, ${values})
       ON CONFLICT (post_id) DO UPDATE SET (post_id, ${columns}) = ROW (excluded.post_id, ${columns.replaceAll(/(\w+)/g, 'excluded.$1')})`,
      [id],
    )
    const { rows } = await pool.query('SELECT words FROM catalog_cards WHERE post_id = $1', [id])
    return rows[0].words
  }
  const all = async () => [await save('card, words', `'{}', 77`), await save('card', `'{"changed":1}'`)]
  deepEqual(await all(), [77, 10])
  await pool.query('DELETE FROM catalog_cards WHERE post_id = $1', [id])
  deepEqual(await all(), [77, 10])
  await pool.query('DELETE FROM catalog_cards WHERE post_id = $1', [id])
  deepEqual(await save('card', `'{}'`), 10)
  await pool.query('SELECT mark_author_stale($1)', [author.accountId])
  await world.runJobs()
})

test('a card that changes while its words stay the same is counted by its writer alone', async (t) => {
  const { world, author } = await authorIn(t)
  const { id } = await publishes(author, { ...free, freeContentMarkdown: words(10) })
  const renamed = world.services.db.transaction().execute(async (tx) => {
    await sql`CREATE OR REPLACE FUNCTION count_words(given text) RETURNS integer LANGUAGE sql IMMUTABLE STRICT RETURN 999`.execute(
      tx,
    )
    await sql`UPDATE accounts SET name = 'Renamed' WHERE id = ${author.accountId}`.execute(tx)
    await indexPosts(tx, [id])
    const { rows } = await sql`
      SELECT card::text LIKE '%Renamed%' AS is_renamed, words FROM catalog_cards WHERE post_id = ${id}`.execute(tx)
    deepEqual(rows, [{ is_renamed: true, words: 10 }])
    throw new Error('rolled back')
  })
  await rejects(renamed, new Error('rolled back'))
})

test('a cover is on the card from the moment it is cleared, and not while it is held', async (t) => {
  const { world, author, reader } = await authorIn(t)
  const post = await publishes(author, { title: 'With a cover' })
  equal((await cardOf(reader, post.id)).cover, null)
  const sent = await sendImage(author.publisher, post.id, {
    query: { intent: 'og' },
    headers: { 'x-post-revision': post.updatedAt },
  })
  equal(sent.status, 202, JSON.stringify(sent.body))
  await world.runJobs()
  const { operationId } = sent.body.safety
  const { body: operation } = await author.publisher.calls(getUploadOperation, { params: { operationId } })
  ok(operation.publicUrl)
  equal((await cardOf(reader, post.id)).cover, operation.publicUrl)
  const page = await world.server.inject({ url: `/@${author.handle}` })
  const image = page.body.match(/<img class="thumbnail" src="([^"]+)" alt="" width="144" height="96" loading="lazy"/)
  equal(image?.[1], new URL(operation.publicUrl).pathname.replace(/^.media.(.+).png$/, '/thumbnails/$1.webp'))
  const other = await publishes(author)
  const { body: related } = await reader.calls(listRelatedPosts, {
    params: { postId: other.id },
    query: { limit: '12' },
  })
  equal(related.data.find((found: { id: string }) => found.id === post.id).ogImageUrl, operation.publicUrl)
  const admin = await administrator(world)
  const held = await admin.owner.calls(placeHold, { body: { operationId, reason: 'A complaint' } })
  await world.runJobs()
  equal((await cardOf(reader, post.id)).cover, null)
  await admin.owner.calls(clearHold, { params: { holdId: held.body.id } })
  await world.runJobs()
  match((await cardOf(reader, post.id)).cover ?? '', /^http/)
})
