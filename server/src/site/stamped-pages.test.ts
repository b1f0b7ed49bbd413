import { deepEqual, equal, notEqual, ok } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { addComment } from '@pennypost/contract/comments'
import type pg from 'pg'
import { openDiscovery } from '../discovery/discovery.ts'
import { getPublicPost } from '../discovery/get-public-post.ts'
import { stampsById } from '../discovery/post-stamps.ts'
import { publicPost } from '../discovery/public-post-store.ts'
import type { World } from '../test/world.ts'
import { pageComments } from './page-comment-store.ts'
import { showPost } from './show-post.ts'
import { authorIn, publishes, visit } from './site-world.fixture.ts'

/** What the service says of a post now, with all that it remembers. */
const remembered = async (world: World, postId: string) => ({
  page: (await visit(world, `/posts/${postId}`)).text,
  markdown: (await visit(world, `/posts/${postId}`, { accept: 'text/markdown' })).text,
  json: JSON.parse((await visit(world, `/api/posts/${postId}`)).text),
})

/** The same, made by a service that remembers nothing. */
async function madeAnew(world: World, postId: string) {
  const services = { ...world.services, discovery: openDiscovery(world.services) }
  const call = { params: { postId }, query: {}, origin: world.origin, ip: '192.0.2.1', visit: {} }
  const read = async (accept: string) => {
    const reply = (await showPost(services, { ...call, headers: { accept } } as never)) as { body: Uint8Array | string }
    return Buffer.from(reply.body as string).toString()
  }
  const { body } = await getPublicPost(services, { ...call, headers: {} } as never)
  return {
    page: await read('text/html'),
    markdown: await read('text/markdown'),
    json: JSON.parse((body as unknown as { text: string }).text),
  }
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

const comment = async (world: World, postId: string, content: string) => {
  const person = await world.reader()
  const options = { params: { postId }, headers: { 'idempotency-key': randomUUID() }, body: { content } }
  const { body } = await person.owner.calls(addComment, options as never)
  return { ...person, commentId: (body as { id: string }).id }
}

test('whatever changes on the page of a post is there at the next request', async (t) => {
  const { world, author } = await authorIn(t, { name: 'Ada' }, { isolation: 'own' })
  const { pool, rates } = world.services
  const friend = await world.reader()
  const { id } = await publishes(author, { tags: ['Sea'] })
  const first = await comment(world, id, 'Hello.')
  const sql = (text: string, ...values: unknown[]) => ({
    name: text,
    change: async () => {
      ok((await pool.query(text, values)).rowCount! > 0, text)
    },
  })
  const changes = [
    { name: 'a comment', change: () => comment(world, id, 'And another thing.') },
    sql(`UPDATE posts SET title = 'Another title' WHERE id = $1`, id),
    sql(`UPDATE posts SET free_html = '<p>Another text</p>', free_markdown = 'Another text' WHERE id = $1`, id),
    sql(`UPDATE posts SET price_atomic = price_atomic * 2 WHERE id = $1`, id),
    sql(`UPDATE posts SET comments_enabled = false WHERE id = $1`, id),
    sql(`UPDATE accounts SET name = 'Ada Lovelace' WHERE id = $1`, author.accountId),
    sql(`UPDATE accounts SET author_kind = 'agent' WHERE id = $1`, author.accountId),
    sql(
      `INSERT INTO profiles (account_id, bio) VALUES ($1, 'A bio') ON CONFLICT (account_id) DO UPDATE SET bio = 'A bio'`,
      author.accountId,
    ),
    sql(`UPDATE profiles SET tip_label = 'Thank me' WHERE account_id = $1`, author.accountId),
    sql(`DELETE FROM receiving_addresses WHERE account_id = $1 AND rail = 'nano'`, author.accountId),
    sql(`UPDATE tags SET name = 'Ocean' WHERE account_id = $1`, author.accountId),
    sql(`DELETE FROM post_tags WHERE post_id = $1`, id),
    sql(
      `UPDATE post_figures SET heart = heart + 3, sales_count = sales_count + 1, tip_total_raw = 5 WHERE post_id = $1`,
      id,
    ),
    sql(
      `INSERT INTO post_uploads (post_id, image_paths, active_count) VALUES ($1, '{"a": "/media/a.png"}', 1)
      ON CONFLICT (post_id) DO UPDATE SET active_count = 1`,
      id,
    ),
    sql(`UPDATE catalog_cards SET words = 10000 WHERE post_id = $1`, id),
    sql(`UPDATE comments SET content = 'Changed.' WHERE id = $1`, first.commentId),
    sql(`UPDATE comments SET clap = clap + 1 WHERE id = $1`, first.commentId),
    sql(
      'UPDATE comments SET content = $2, mentions = $3 WHERE id = $1',
      first.commentId,
      `Hello @${friend.handle}.`,
      JSON.stringify([{ handle: friend.handle, profileId: friend.accountId }]),
    ),
    sql(`UPDATE accounts SET name = 'Someone Else' WHERE id = $1`, first.accountId),
    sql(
      `INSERT INTO profiles (account_id, avatar_url) VALUES ($1, '/media/b.png') ON CONFLICT (account_id) DO UPDATE SET avatar_url = '/media/b.png'`,
      first.accountId,
    ),
    sql(`UPDATE accounts SET handle = 'renamed_friend' WHERE id = $1`, friend.accountId),
    {
      name: 'exchange rates',
      change: async () => {
        const { XNO, USDC } = rates.current()!
        rates.set({ XNO: { ...XNO, usd: '2.5' }, USDC })
      },
    },
    { name: 'rates that are too old', change: () => world.advance(2 * 3_600) },
    {
      name: 'the name of the site',
      change: async () => {
        await pool.query(`INSERT INTO site_settings (settings) VALUES ('{"name":"Our site"}')
          ON CONFLICT (id) DO UPDATE SET settings = '{"name":"Our site"}'`)
        await world.services.site.reload()
      },
    },
  ]
  let before = await remembered(world, id)
  ok(isSame(await remembered(world, id), before))
  for (const { name, change } of changes) {
    await change()
    const now = await remembered(world, id)
    const fresh = await madeAnew(world, id)
    for (const form of ['page', 'markdown', 'json'] as const)
      ok(isSame(now[form], fresh[form]), `${name}: the ${form} is not what a new rendering would be`)
    ok(!isSame(now, before), `${name} changes nothing that is shown`)
    before = now
  }
  await pool.query(`UPDATE posts SET status = 'withdrawn', withdrawn_at = now() WHERE id = $1`, [id])
  equal((await visit(world, `/posts/${id}`)).status, 404)
  equal((await visit(world, `/api/posts/${id}`)).status, 404)
  await world.runJobs()
})

test('a page is made once for many requests', async (t) => {
  const { world, author } = await authorIn(t)
  const { id } = await publishes(author)
  const { postReplies, postStamps } = world.services.discovery
  const stamped = (await postStamps.page(id))!
  let made = 0
  const get = () =>
    postReplies.get(
      'counted',
      stamped,
      async () => 'data',
      (data) => {
        made += 1
        return { data, bytes: 10 }
      },
    )
  await Promise.all([get(), get(), get()])
  await get()
  equal(made, 1)
})

test('another reader does not make the page render again, because it does not show how many there are', async (t) => {
  const { world, author } = await authorIn(t)
  const { id } = await publishes(author)
  const { pool, discovery } = world.services
  const readBy = (count: number) =>
    pool.query(
      `INSERT INTO post_figures (post_id, reader_count) VALUES ($1, $2) ON CONFLICT (post_id) DO UPDATE SET reader_count = $2`,
      [id, count],
    )
  await readBy(1)
  const { stamp } = (await discovery.postStamps.page(id))!
  await readBy(2)
  equal((await discovery.postStamps.page(id))!.stamp, stamp)
  await pool.query('UPDATE post_figures SET heart = heart + 1 WHERE post_id = $1', [id])
  notEqual((await discovery.postStamps.page(id))!.stamp, stamp)
})

test('the stamp reads every table that the page is made from', async (t) => {
  const { world } = await authorIn(t)
  const tablesOf = async ({ text }: { text: string }, values: unknown[]) =>
    tablesIn(await planOf(world.services.pool, text, values))
  const stamped = await tablesOf(stampsById.page, [[randomUUID()]])
  const shown = [...(await tablesOf(publicPost, [randomUUID()])), ...(await tablesOf(pageComments, [randomUUID(), 21]))]
  deepEqual(
    [...new Set(shown)].filter((table) => !stamped.includes(table)),
    [],
  )
  ok(shown.length >= 10)
})

interface Plan {
  readonly 'Relation Name'?: string
  readonly Plans?: Plan[]
}

const planOf = async (pool: pg.Pool, text: string, values: unknown[]): Promise<Plan> =>
  (await pool.query(`EXPLAIN (FORMAT JSON) ${text}`, values)).rows[0]['QUERY PLAN'][0].Plan

const tablesIn = (plan: Plan): string[] => [
  ...(plan['Relation Name'] === undefined ? [] : [plan['Relation Name']]),
  ...(plan.Plans ?? []).flatMap(tablesIn),
]
