import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { olderDatabase } from '../test/older-database.ts'

test('published posts get a slug each when slugs become unique, and their cards learn it', async (t) => {
  const { client, migrateOnce } = await olderDatabase(t, '0052-post-slugs.sql')
  const accounts = ['00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-00000000000b']
  for (const [index, id] of accounts.entries())
    await client.query('INSERT INTO accounts (id, name, handle, created_at) VALUES ($1, $2, $3, now())', [
      id,
      `Author ${index}`,
      `author_${index}`,
    ])
  const add = (id: string, account: number, slug: string, status: string, publishedDay: number) =>
    client.query(
      `INSERT INTO posts (id, account_id, status, slug, title, renderer_version, created_at, updated_us, published_at, withdrawn_at)
       VALUES ($1, $2, $3, $4, 'Title', 1, now(), 1, CASE WHEN $3 <> 'draft' THEN make_date(2026, 1, $5) END,
         CASE WHEN $3 = 'withdrawn' THEN now() END)`,
      [`${id}-0000-4000-8000-000000000000`, accounts[account], status, slug, publishedDay],
    )
  await add('11111111', 0, 'same', 'published', 3)
  await add('22222222', 0, 'same', 'published', 1)
  await add('33333333', 0, 'same', 'published', 2)
  await add('44444444', 1, 'same', 'published', 4)
  await add('55555555', 0, 'same', 'draft', 1)
  await add('66666666', 0, 'same', 'withdrawn', 1)
  await client.query(
    `INSERT INTO catalog (post_id, published_at, score, popularity, price_kind, price_atomic, is_agent, has_attachments, has_zip,
       receives_nano, receives_base, category, language, terms)
     SELECT id, published_at, 0, 0, 'free', 0, false, false, false, false, false, '', '', '{1}' FROM posts WHERE status = 'published'`,
  )
  await client.query(
    `INSERT INTO catalog_cards SELECT id, json_build_object('id', id, 'price_atomic', '25') FROM posts WHERE status = 'published'`,
  )
  await migrateOnce()
  const slugs = Object.fromEntries(
    (await client.query(`SELECT left(id::text, 2) AS id, slug FROM posts ORDER BY id`)).rows.map(({ id, slug }) => [
      id,
      slug,
    ]),
  )
  // The oldest keeps the plain one. Drafts and withdrawn posts claim theirs when they are published.
  deepEqual([slugs['22'], slugs['44'], slugs['55'], slugs['66']], ['same', 'same', 'same', 'same'])
  deepEqual([slugs['11'], slugs['33']].sort(), ['same-2', 'same-3'])
  const { rows } = await client.query('SELECT post_id, card FROM catalog_cards')
  equal(rows.length, 4)
  for (const { post_id, card } of rows)
    deepEqual(JSON.parse(card), { id: post_id, price_atomic: '25', slug: slugs[post_id.slice(0, 2)] })
})
