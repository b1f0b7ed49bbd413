import pg from 'pg'
import { urlsOf } from './database-urls.ts'

// A database URL may name several hosts, as in PostgreSQL's own programs: `postgresql://user@one:5432,two:5432/name`. One of them
// takes writes, the others are standbys that may take its place. Every new connection goes to the one that takes writes.

/** Makes a connection that is not open yet. */
export const createClient = (config: pg.ClientConfig & { readonly connectionString: string }): pg.Client =>
  new (clientOf(config.connectionString))(config)

const clients = new Map<string, typeof pg.Client>()

/** The class of connections to this database, for pools too. */
export function clientOf(url: string): typeof pg.Client {
  const urls = urlsOf(url)
  if (urls.length === 1) return pg.Client
  const known = clients.get(url) ?? failoverClient(urls)
  clients.set(url, known)
  return known
}

/** How long a host may take to say whether it takes writes. */
const probeMs = 2_000

function failoverClient(urls: readonly string[]): typeof pg.Client {
  // Undefined: not known, or a connection to it broke.
  let primary: pg.Client | undefined
  let finding: Promise<pg.Client> | undefined
  const forget = () => {
    primary = undefined
  }
  const find = async () => {
    if (primary) return primary
    finding ??= findPrimary(urls).finally(() => {
      finding = undefined
    })
    primary = await finding
    return primary
  }

  return class FailoverClient extends pg.Client {
    constructor(config?: string | pg.ClientConfig) {
      super({ ...(config as pg.ClientConfig), connectionString: urls[0]! })
      this.on('error', forget)
    }

    override connect(): Promise<this>
    override connect(callback: (error: Error) => void): void
    override connect(callback?: (error: Error) => void): Promise<this> | undefined {
      const connecting = this.connectToPrimary()
      if (!callback) return connecting
      connecting.then(() => callback(null as unknown as Error), callback)
      return undefined
    }

    private async connectToPrimary(): Promise<this> {
      try {
        const { host, port } = await find()
        Object.assign(this, { host, port })
        await super.connect()
        // It may have become a standby since we asked.
        if (await isReadOnly(this)) throw new Error(`${host}:${port} is a standby now`)
        return this
      } catch (error) {
        forget()
        await this.end().catch(() => {})
        throw error
      }
    }
  }
}

/** Asks all hosts at the same time. Returns the first that takes writes. */
async function findPrimary(urls: readonly string[]): Promise<pg.Client> {
  const problems: string[] = []
  const asked = urls.map(async (url) => {
    const client = new pg.Client({
      connectionString: url,
      application_name: 'pennypost failover',
      connectionTimeoutMillis: probeMs,
      query_timeout: probeMs,
    })
    client.on('error', () => {})
    try {
      await client.connect()
      if (await isReadOnly(client)) throw new Error('is a standby')
      return client
    } catch (error) {
      problems.push(`${client.host}:${client.port}: ${(error as Error).message}`)
      throw error
    } finally {
      await client.end().catch(() => {})
    }
  })
  try {
    return await Promise.any(asked)
  } catch {
    throw new NoPrimary(`no host of the database takes writes (${problems.join('; ')})`)
  }
}

/** None of the hosts takes writes now: a standby is about to take over, or all are unreachable. */
export class NoPrimary extends Error {}

async function isReadOnly(client: pg.Client): Promise<boolean> {
  const query = { text: 'SHOW transaction_read_only', query_timeout: probeMs }
  const { rows } = await client.query<{ transaction_read_only: string }>(query)
  return rows[0]!.transaction_read_only === 'on'
}
