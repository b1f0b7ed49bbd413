import { deepEqual, rejects } from 'node:assert/strict'
import { mkdir, readdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { readConfig } from '../config.ts'
import { requireBackupSettings } from '../platform/backup/place.ts'
import { markMoved } from '../platform/database/moved-database.ts'
import { freePort } from '../test/free-port.ts'
import { folderFor } from '../test/service-process.ts'
import { backUpToFolder, listPlace } from './backup.ts'

test('a backup is never made inside DATA_DIR, which is what it is a backup of', async (t) => {
  const folder = await folderFor(t)
  const DATA_DIR = join(folder, 'data')
  await mkdir(DATA_DIR)
  await symlink(DATA_DIR, join(folder, 'link'))
  const inside = { name: 'StartError', message: /is in DATA_DIR, .* choose a folder outside of it$/ }
  for (const target of [DATA_DIR, join(DATA_DIR, 'backups', 'today'), join(folder, 'link', 'today')])
    await rejects(backUpToFolder(readConfig({ DATA_DIR }), target), inside, target)
  await rejects(backUpToFolder(readConfig({ DATA_DIR: join(folder, 'link') }), join(DATA_DIR, 'today')), inside)
  const setting = readConfig({ DATA_DIR, BACKUP_URL: join(folder, 'link', 'backups') })
  await rejects(requireBackupSettings(setting), { message: /^BACKUP_URL: must not be in DATA_DIR/ })
  deepEqual(await readdir(DATA_DIR), [])
  await requireBackupSettings(readConfig({ DATA_DIR, BACKUP_URL: join(folder, 'data-backups') }))
})

test('a backup that fails leaves a folder as it was, so that it can be made again there', async (t) => {
  const folder = await folderFor(t)
  const config = readConfig({
    DATA_DIR: join(folder, 'data'),
    DATABASE_URL: `postgresql://nobody@127.0.0.1:${await freePort()}/away`,
  })
  await mkdir(join(folder, 'empty'))
  for (const target of ['new', 'empty'])
    await rejects(backUpToFolder(config, join(folder, target)), { code: 'ECONNREFUSED' }, target)
  // Nor if the database cannot even be looked for.
  await mkdir(join(folder, 'moved'))
  await markMoved(join(folder, 'moved'), 'pennypost at db.example', new Date(0))
  const moved = readConfig({ DATA_DIR: join(folder, 'moved') })
  await rejects(backUpToFolder(moved, join(folder, 'new')), { message: /^DATABASE_URL: is not set/ })
  deepEqual((await readdir(folder)).sort(), ['empty', 'moved'])
  deepEqual(await readdir(join(folder, 'empty')), [])
})

test('a list of backups says which setting it needs', async (t) => {
  const message = /^BACKUP_URL: is not set; set it to where the backups are$/
  await rejects(listPlace(readConfig({ DATA_DIR: await folderFor(t) })), { name: 'StartError', message })
})
