import type pg from 'pg'
import { StartError } from '../data-dir.ts'
import type { Log } from '../log.ts'
import { createClient } from './client.ts'

/** The connections of a process besides its pools: four for rate limits, and one each for notifications, peers and jobs. */
const furtherConnections = 7

export interface PoolSizes {
  readonly databaseConnections: number
  readonly searchConnections: number
  /** PostgreSQL itself, if the pool of requests and jobs belongs to a pooler. */
  readonly databaseDirectUrl?: string | undefined
}

/** The most connections to PostgreSQL that one process opens. */
export const wantedConnections = (sizes: PoolSizes): number =>
  (sizes.databaseDirectUrl === undefined ? sizes.databaseConnections : 0) + sizes.searchConnections + furtherConnections

/**
 * The name of the session that every process has from its start on. Others see by it that the process is there, which role
 * it has and how many connections it may open.
 */
export const processSession = (role: string, sizes: PoolSizes): string =>
  `pennypost listener ${role} ${wantedConnections(sizes)}`

/** A condition on `pg_stat_activity`. Processes of earlier versions had only the first two words. */
export const isProcessSession = `datname = current_database() AND application_name LIKE 'pennypost listener%'`

export interface ConnectionBudget {
  /** The most connections that PostgreSQL allows to this role and database, for all processes together. */
  readonly allowed: number
  readonly used: number
  /** How many of our processes are connected. */
  readonly processes: number
  /** The most connections that these open together. */
  readonly wanted: number
}

export async function readConnectionBudget(
  client: Pick<pg.Client, 'query'>,
  sizes: PoolSizes,
): Promise<ConnectionBudget> {
  const { rows } = await client.query<ConnectionBudget>(
    `SELECT least(
         current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
           - coalesce(current_setting('reserved_connections', true)::int, 0),
         (SELECT nullif(datconnlimit, -1) FROM pg_database WHERE datname = current_database()),
         (SELECT nullif(rolconnlimit, -1) FROM pg_roles WHERE rolname = current_user)) AS allowed,
       count(*)::int AS used,
       count(*) FILTER (WHERE ${isProcessSession})::int AS processes,
       coalesce(sum(coalesce(substring(application_name FROM '(\\d+)$')::int, $1)) FILTER (WHERE ${isProcessSession}), 0)::int
         AS wanted
     -- What a session of another role is, is not shown.
     FROM pg_stat_activity WHERE coalesce(backend_type, 'client backend') = 'client backend' AND datname IS NOT NULL`,
    [wantedConnections(sizes)],
  )
  return rows[0]!
}

/** Stops the start if PostgreSQL does not allow what this process alone may open. Warns if it is too little for all of them. */
export async function checkConnectionBudget(url: string, sizes: PoolSizes, log: Log): Promise<void> {
  const client = createClient({
    connectionString: url,
    application_name: 'pennypost start',
    connectionTimeoutMillis: 5_000,
    query_timeout: 5_000,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    const { allowed, processes, wanted: wantedByOthers } = await readConnectionBudget(client, sizes)
    const wanted = wantedConnections(sizes)
    if (wanted > allowed)
      throw new StartError(
        `DATABASE_CONNECTIONS, SEARCH_CONNECTIONS: a process opens up to ${wanted} connections, and PostgreSQL allows ${allowed}; lower them, or raise max_connections`,
      )
    const together = wanted + wantedByOthers
    if (together > allowed)
      log.warn(
        { processes: processes + 1, connections: together, allowed },
        'all processes together may want more connections than PostgreSQL allows: lower DATABASE_CONNECTIONS, raise max_connections, or use a pooler',
      )
  } finally {
    await client.end().catch(() => {})
  }
}
