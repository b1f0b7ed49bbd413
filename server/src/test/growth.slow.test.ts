import { ok } from 'node:assert/strict'
import { appendFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { comments, publishes } from '../discussion/discussion.fixture.ts'
import { openMarket, price, quotes, sells } from '../payments/market.fixture.ts'
import type { World } from './world.ts'

// How much the database grows with each account, post, sale and comment. docs/operations.md has the figures of a run, for a
// million of each. A figure that is far above means that someone added a table or an index that everyone pays for.

/** Where the figures are found after a run. */
const report = join(tmpdir(), 'pennypost-growth.txt')

type Sizes = ReadonlyMap<string, number>

/** Of rows alone. What updates leave behind depends on how often the database cleans up, and tests update far more. */
async function sizesOf({ services: { pool } }: World): Promise<Sizes> {
  await pool.query('VACUUM FULL')
  const { rows } = await pool.query<{ name: string; bytes: string }>(
    `SELECT coalesce(pg_partition_root(oid), oid)::regclass::text AS name, sum(pg_total_relation_size(oid)) AS bytes
     FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace GROUP BY 1`,
  )
  return new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]))
}

/** Words as in a language: few of them often, many of them seldom. The same for the same seed. */
function textOf(words: number, seed: number): string {
  const syllables = ['ka', 'le', 'mo', 'ri', 'su', 'ten', 'vor', 'ash', 'dil', 'pem', 'or', 'ing']
  let state = Math.abs(seed) * 2_654_435_761 + (seed < 0 ? 7 : 1)
  const random = () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
  const word = (index: number) =>
    [index % 12, Math.floor(index / 12) % 12, Math.floor(index / 144) % 12].map((each) => syllables[each]).join('')
  return Array.from({ length: words }, () => word(Math.floor(1_728 * random() ** 3))).join(' ')
}

/** Makes some first, so that empty tables have their first pages, then measures what `many` more take, in bytes for each. */
async function measure(
  world: World,
  name: string,
  { many, first }: { readonly many: number; readonly first: number },
  make: (index: number) => Promise<unknown>,
): Promise<number> {
  for (let index = 0; index < first; index += 1) await make(index)
  await world.runJobs()
  const before = await sizesOf(world)
  for (let index = first; index < first + many; index += 1) await make(index)
  await world.runJobs()
  const after = await sizesOf(world)
  const grown = [...after]
    .map(([table, bytes]) => [table, (bytes - (before.get(table) ?? 0)) / many] as const)
    .filter(([, bytes]) => bytes >= 20)
    .sort(([, one], [, other]) => other - one)
  const each = grown.reduce((sum, [, bytes]) => sum + bytes, 0)
  const tables = grown.slice(0, 12).map(([table, bytes]) => `${table} ${Math.round(bytes)}`)
  await appendFile(report, `${name}: ${Math.round(each)} bytes each (${tables.join(', ')})\n`)
  return each
}

test('accounts, posts, sales and comments take no more room than they should', async (t) => {
  const market = await openMarket(t, { isolation: 'own' })
  const { world, creator } = market
  await rm(report, { force: true })
  const readers: Awaited<ReturnType<World['reader']>>[] = []
  const account = await measure(world, 'account', { first: 50, many: 300 }, async () => {
    readers.push(await world.reader())
  })
  const post = await measure(world, 'post of 5,000 characters', { first: 20, many: 80 }, (index) =>
    publishes(creator, {
      title: textOf(8, index),
      freeContentMarkdown: textOf(500, index),
      paidContentMarkdown: textOf(300, -index),
    }),
  )
  const posts = [market.postId, await sells(creator), await sells(creator)]
  const sale = await measure(world, 'sale in Nano', { first: 30, many: 130 }, async (index) => {
    const { address } = await quotes(readers[index % 100]!, posts[Math.floor(index / 100)]!)
    await market.pays(address, price)
    await market.checkAddresses()
  })
  const unpaid = await measure(world, 'order that nobody pays', { first: 30, many: 150 }, (index) =>
    quotes(readers[150 + (index % 200)]!, posts[0]!),
  )
  const comment = await measure(world, 'comment that 20 people are notified of', { first: 30, many: 150 }, (index) =>
    comments(readers[index % 20]!, posts[1]!, `What a day it was, number ${index}, with all that rain on the roof.`),
  )
  ok(account < 8_000 && post < 60_000 && sale < 30_000 && unpaid < 8_000 && comment < 40_000)
})
