import { deepEqual, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { openDatabase, type Tx } from '../../platform/database/database.ts'
import { createLog } from '../../platform/log.ts'
import { cloneTestDatabase, copyTestDatabase } from '../../test/test-database.ts'
import { sharedWorld } from '../../test/world.ts'
import { saveSearchWords, wordsTable } from './search-words.ts'

test('what a transaction has added is not remembered if it fails', async (t) => {
  const { db } = (await sharedWorld(t)).services
  const words = ['quokka', 'quoll']
  const fails = async (tx: Tx) => {
    await save(tx, words)
    await save(tx, words) // finds its own words
    throw new Error('too late')
  }
  await rejects(db.transaction().execute(fails), /too late/)
  deepEqual(await wordsLike('quo%'), [])
  for (let time = 0; time < 3; time += 1) await db.transaction().execute((tx) => save(tx, words))
  deepEqual(await wordsLike('quo%'), words)

  async function wordsLike(pattern: string) {
    const { rows } = await sql<{ word: string }>`
      SELECT word FROM search_words WHERE word LIKE ${pattern} ORDER BY word`.execute(db)
    return rows.map(({ word }) => word)
  }
})

test('known words are saved without a statement, and again in a table that was emptied', async (t) => {
  const { db } = (await sharedWorld(t)).services
  const inserted = async () => {
    const { rows } = await sql`SELECT FROM search_words WHERE word = 'numbat'`.execute(db)
    return rows.length
  }
  const table = await db.transaction().execute(async (tx) => {
    await save(tx, ['numbat'])
    return tableOf(tx)
  })
  await db.transaction().execute((tx) => save(tx, ['numbat'])) // found, so remembered from now on
  await sql`DELETE FROM search_words WHERE word = 'numbat'`.execute(db) // as nothing does
  await db.transaction().execute((tx) => saveSearchWords(tx, table, [['numbat', 'numbat']]))
  deepEqual(await inserted(), 0)
  await sql`TRUNCATE search_words`.execute(db)
  await db.transaction().execute((tx) => save(tx, ['numbat']))
  deepEqual(await inserted(), 1)
})

test('words that one database has are not known to be in another, also if it came while a statement ran', async (t) => {
  // A copy, so that its tables have the same files.
  const original = await cloneTestDatabase()
  const copy = await copyTestDatabase(original.url)
  const [one, other] = [original, copy].map(({ url }) => openDatabase(url, createLog('silent'), { connections: 1 }))
  t.after(async () => {
    await Promise.all([one!.close(), other!.close()])
    await Promise.all([original.drop(), copy.drop()])
  })
  const inOther = async () =>
    (await other!.pool.query('SELECT word FROM search_words ORDER BY word')).rows.map(({ word }) => word)
  // The second time they are found, so remembered from then on.
  for (let time = 0; time < 2; time += 1) await one!.db.transaction().execute((tx) => save(tx, ['bilby', 'dunnart']))
  await other!.db.transaction().execute((tx) => save(tx, ['bilby']))
  deepEqual(await inOther(), ['bilby'])
  await one!.db.transaction().execute(async (tx) => {
    const table = await tableOf(tx)
    await other!.db.transaction().execute(async (otherTx) => {
      const otherTable = await tableOf(otherTx)
      const isFound = saveSearchWords(tx, table, [['dunnart', 'dunnart']])
      await saveSearchWords(otherTx, otherTable, [])
      await isFound
    })
  })
  await other!.db.transaction().execute((tx) => save(tx, ['dunnart']))
  deepEqual(await inOther(), ['bilby', 'dunnart'])
})

async function save(tx: Tx, words: readonly string[]): Promise<void> {
  await saveSearchWords(
    tx,
    await tableOf(tx),
    words.map((word) => [word, word]),
  )
}

async function tableOf(tx: Tx): Promise<string> {
  const { rows } = await sql<{ name: string }>`SELECT ${sql.raw(wordsTable)} AS name`.execute(tx)
  return rows[0]!.name
}
