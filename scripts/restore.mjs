// npm run restore -- FOLDER   puts a backup into an empty DATA_DIR, or with DATABASE_URL into an empty database, then recovers
//                             what was sold after the backup, as `npm run recover` does. Files that DATA_DIR already has are
//                             kept: copy the newest journal there first.
import { prepareOnce } from './prepare.mjs'

const [folder, ...others] = process.argv.slice(2)
if (folder === undefined || folder.startsWith('-') || others.length > 0) {
  console.error('Usage: npm run restore -- FOLDER')
  process.exit(1)
}

await prepareOnce()
const { readConfig } = await import('../server/dist/config.js')
const { createLog } = await import('../server/dist/platform/log.js')
const { StartError } = await import('../server/dist/platform/data-dir.js')
const { restore } = await import('../server/dist/backup.js')
const { recoverService } = await import('../server/dist/recover.js')

try {
  const config = readConfig(process.env)
  const log = createLog('error')
  const { takenAt, rows, files } = await restore(config, log, folder)
  console.log(`Restored ${rows} rows and ${files} files, as of ${takenAt}.`)
  const { recovered, returning, unrecoverable } = await recoverService(config, log, {
    onLine: (line) => console.log(line),
  })
  console.log(`${recovered} recovered, ${returning} sent back, ${unrecoverable.length} need a person`)
  console.log('Run npm run audit to check that books and chains agree.')
  process.exit(unrecoverable.length === 0 ? 0 : 1)
} catch (error) {
  console.error('The restore failed:', error instanceof StartError ? error.message : error)
  process.exit(1)
}
