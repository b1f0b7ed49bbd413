import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import type pg from 'pg'
import { emptyTestDatabase } from '../../test/test-database.ts'
import { createLog } from '../log.ts'
import { createClient } from './client.ts'
import { savePlannerSettings } from './planner-settings.ts'

test('settings become defaults of later connections, but not those that the operator has chosen', async (t) => {
  const database = await emptyTestDatabase()
  const open: pg.Client[] = []
  t.after(async () => {
    await Promise.all(open.map((client) => client.end()))
    await database.drop()
  })
  const connect = async () => {
    const client = createClient({ connectionString: database.url })
    await client.connect()
    open.push(client)
    return client
  }
  const shown = async (client: pg.Client, name: string) =>
    (await client.query<{ value: string }>('SELECT current_setting($1) AS value', [name])).rows[0]!.value
  const first = await connect()
  // The embedded database is started with `jit=off`, as an operator would.
  await savePlannerSettings(first, createLog('silent'), { jit: 'on', cursor_tuple_fraction: '0.25' })
  const later = await connect()
  equal(await shown(later, 'cursor_tuple_fraction'), '0.25')
  equal(await shown(later, 'jit'), 'off')
  await savePlannerSettings(later, createLog('silent'), { cursor_tuple_fraction: '0.5' })
  equal(await shown(await connect(), 'cursor_tuple_fraction'), '0.25')
})
