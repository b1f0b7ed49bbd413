import type pg from 'pg'
import type { Config } from '../config.ts'
import { StartError } from '../platform/data-dir.ts'
import type { Log } from '../platform/log.ts'
import { bindingsOf } from './bindings.ts'
import { connectToDatabase } from './find-running-database.ts'
import { embeddedDatabase, findSignsOfUse } from './signs-of-use.ts'

interface ForeignDatabase {
  readonly detail: string
  readonly advice: string
  /** Whether DATA_DIR has a database of its own. Then this one is certainly not the one of DATA_DIR. */
  readonly isBesideEmbedded: boolean
}

/**
 * Whether DATA_DIR belongs to another database: it was used with one, and this one was never used. The signs are read first, because
 * another process may be making its first start: it binds the database before it leaves a sign.
 */
export async function findForeignDatabase(
  client: Pick<pg.Client, 'query'>,
  { databaseUrl, dataDir }: Config,
): Promise<ForeignDatabase | undefined> {
  if (databaseUrl === undefined) return undefined
  const signs = await findSignsOfUse(dataDir)
  if (signs.length === 0) return undefined
  const { serviceSecret, firstNanoAddress } = await bindingsOf(client)
  if (serviceSecret !== undefined || firstNanoAddress !== undefined) return undefined
  return {
    detail: `no service has used this database yet, but one has used ${dataDir}: there is ${signs.join(', and ')}`,
    advice:
      'Check DATABASE_URL. After a loss of the database, restore a backup; to leave an embedded one, run pennypost move-database. A new service needs a new DATA_DIR.',
    isBesideEmbedded: signs.includes(embeddedDatabase),
  }
}

/**
 * Stops a start on an empty database beside an embedded one: it would serve an empty site, and offer it to the first who claims it.
 * Without an embedded one it only warns, because several databases may have been tried with one DATA_DIR.
 */
export async function requireOwnDatabase(config: Config, log: Log): Promise<void> {
  const url = config.databaseDirectUrl ?? config.databaseUrl
  if (url === undefined) return
  const client = await connectToDatabase(url)
  try {
    const foreign = await findForeignDatabase(client, config)
    if (foreign?.isBesideEmbedded) throw new StartError(`DATABASE_URL: ${foreign.detail}. ${foreign.advice}`)
    if (foreign) log.warn({ advice: foreign.advice }, foreign.detail)
  } finally {
    await client.end().catch(() => {})
  }
}
