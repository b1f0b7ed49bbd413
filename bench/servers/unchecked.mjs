import { tmpdir } from 'node:os'
import { getMe as declared } from '@pennypost/contract/me'
import { systemClock } from '../../server/dist/platform/clock.js'
import { openDatabase, readRows } from '../../server/dist/platform/database/database.js'
import { createOrigins } from '../../server/dist/platform/http/origins.js'
import { createSeal } from '../../server/dist/platform/http/seal.js'
import { bind, createServer } from '../../server/dist/platform/http/serve.js'
import { memoryCounters } from '../../server/dist/platform/limits/memory-counters.js'
import { createLog } from '../../server/dist/platform/log.js'
import { createMetrics } from '../../server/dist/platform/metrics.js'
import { getMe } from '../../server/dist/profiles/get-me.js'

// The same operation, handler and statement, where the token is taken at its word: what is missing is what checking costs.

const { reference, databaseUrl } = JSON.parse(process.argv[2])
const { statement, values, caller } = reference
const expiresAt = new Date(caller.expiresAt)
const log = createLog('info')
const { pool } = openDatabase(databaseUrl, log)
const readCaller = async () => {
  const [account] = await readRows(pool, statement, values)
  return { ...caller, expiresAt, account }
}
const server = await createServer({
  operations: bind({ getMe: declared }, { getMe }, { pool }),
  authenticators: { 'owner-session': readCaller, 'publishing-key': readCaller },
  counters: memoryCounters(),
  clock: systemClock(),
  origins: createOrigins('http://localhost', undefined),
  temporaryFolder: tmpdir(),
  checkReplies: false,
  trustProxy: ['loopback'],
  log,
  sealFor: createSeal(log, createMetrics().answerTimes),
  onBug: (_operation, cause) => console.error(cause),
})
process.on('disconnect', () => process.exit())
process.send({ origin: await server.listen({ host: '127.0.0.1', port: 0 }) })
