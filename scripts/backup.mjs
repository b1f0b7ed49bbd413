// npm run backup -- FOLDER   writes the database, stored objects, secrets and journal into a new or empty folder, and reads them
//                            back. Uses the service's settings; the service may be running or stopped. Keep the folder as
//                            secret as DATA_DIR: it holds the keys to money in transit.
import { prepareOnce } from './prepare.mjs'

const [folder, ...others] = process.argv.slice(2)
if (folder === undefined || folder.startsWith('-') || others.length > 0) {
  console.error('Usage: npm run backup -- FOLDER')
  process.exit(1)
}

await prepareOnce()
const { readConfig } = await import('../server/dist/config.js')
const { StartError } = await import('../server/dist/platform/data-dir.js')
const { backUp } = await import('../server/dist/backup.js')

try {
  const config = readConfig(process.env)
  const { rows, tables, files } = await backUp(config, folder)
  console.log(`Backed up ${rows} rows of ${tables} tables and ${files} files to ${folder}, and read them back.`)
  if (config.nano.seed !== undefined) console.log('NANO_SEED is a setting and not in the backup: keep it yourself.')
  if (config.objectStore) console.log('Objects are in OBJECT_STORE_URL and not in the backup.')
} catch (error) {
  console.error('The backup failed:', error instanceof StartError ? error.message : error)
  process.exit(1)
}
