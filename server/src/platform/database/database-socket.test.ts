import { deepEqual, equal } from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { cloneTestDatabase } from '../../test/test-database.ts'
import { createLog } from '../log.ts'
import { openDatabase } from './database.ts'

test('replies that come in many pieces are whole, on several connections at the same time', async () => {
  const database = await cloneTestDatabase()
  const { pool, close } = openDatabase(database.url, createLog('silent'), { connections: 4 })
  // Each row differs in length and content, so pieces end anywhere in a message.
  const read = (seed: number) =>
    pool.query<{ text: string; md5: string }>(
      `SELECT text, md5(text) FROM generate_series(1, 400) row,
         LATERAL (SELECT repeat(md5((row * $1)::text), row) || left(md5(row::text), row % 32) AS text) made`,
      [seed],
    )
  try {
    for (const { rows } of await Promise.all([1, 2, 3, 5, 7, 11].map(read))) {
      equal(rows.length, 400)
      deepEqual(
        rows.map(({ text }) => hash('md5', text)),
        rows.map(({ md5 }) => md5),
      )
    }
  } finally {
    await close()
    await database.drop()
  }
})
