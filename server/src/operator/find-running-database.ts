import type pg from 'pg'
import { isErrno } from '../platform/data-dir.ts'
import { createClient } from '../platform/database/client.ts'
import { urlOfRunningPostgres } from '../platform/database/embedded-postgres.ts'

const timeoutMs = 8_000

/** The URL of the embedded database in DATA_DIR. Undefined if it is not running: then it is not started. */
export async function findRunningDatabase(dataDir: string): Promise<string | undefined> {
  try {
    const url = await urlOfRunningPostgres(dataDir)
    const client = await connectToDatabase(url)
    await client.end()
    return url
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ECONNREFUSED', 'EACCES', 'ENOTDIR')) return undefined
    throw error
  }
}

/** Opens a connection with time limits, for a command. */
export async function connectToDatabase(url: string): Promise<pg.Client> {
  const client = createClient({
    connectionString: url,
    application_name: 'pennypost command',
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  })
  client.on('error', () => {})
  await client.connect()
  return client
}
