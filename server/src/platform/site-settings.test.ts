import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import pino from 'pino'
import { cloneTestDatabase } from '../test/test-database.ts'
import { until } from '../test/until.ts'
import { openDatabase } from './database/database.ts'
import { openListener } from './database/listener.ts'
import { createLog } from './log.ts'
import { lockSiteSettings, openSite, saveSiteSettings } from './site-settings.ts'

test('a change that could not be read is read later, unless the process stops', async (t) => {
  const database = await cloneTestDatabase()
  const silent = createLog('silent')
  const { db, pool, close } = openDatabase(database.url, silent)
  const listener = openListener(database.url, silent, { applicationName: 'pennypost test' })
  let failures = 0
  const write = () => {
    failures += 1
  }
  await listener.connected()
  const site = await openSite(db, listener, pino({ level: 'warn' }, { write }))
  t.after(async () => {
    site.close()
    await listener.close()
    await close()
    await database.drop()
  })
  /** Another process changes the name of the site. The notification arrives, and the table is gone. */
  const changesInVain = async (name: string) => {
    const before = failures
    await db.transaction().execute(async (tx) => {
      await saveSiteSettings(tx, { ...(await lockSiteSettings(tx)), name })
      await tx.schema.alterTable('site_settings').renameTo('site_settings_away').execute()
    })
    await until('a read fails', () => failures > before)
  }
  const heals = () => pool.query('ALTER TABLE site_settings_away RENAME TO site_settings')

  await changesInVain('Second')
  await heals()
  await until('the change is read', () => site.settings().name === 'Second', { withinMs: 10_000 })
  await changesInVain('Third')
  site.close()
  await heals()
  await wait(1_500)
  equal(site.settings().name, 'Second')
})
