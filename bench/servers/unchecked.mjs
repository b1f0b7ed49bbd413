import { getMe as declared } from '@pennypost/contract/me'
import { openDatabase, readRows } from '../../server/dist/platform/database/database.js'
import { bind } from '../../server/dist/platform/http/serve.js'
import { createLog } from '../../server/dist/platform/log.js'
import { getMe } from '../../server/dist/profiles/get-me.js'
import { serveOperations } from './operations.mjs'

// The same operation, handler and statement without checking the token: the difference is the cost of the check.

const { reference, databaseUrl } = JSON.parse(process.argv[2])
const { statement, values, caller } = reference
const expiresAt = new Date(caller.expiresAt)
const log = createLog('info')
const { pool } = openDatabase(databaseUrl, log)
const readCaller = async () => {
  const [account] = await readRows(pool, statement, values)
  return { ...caller, expiresAt, account }
}
const authenticators = { 'owner-session': readCaller, 'publishing-key': readCaller }
await serveOperations(
  bind({ getMe: declared }, { getMe }, { pool, draftQuota: { count: 2000, bytes: 5e7 } }),
  authenticators,
  log,
)
