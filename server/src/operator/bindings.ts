import type pg from 'pg'
import { connectToDatabase } from './find-running-database.ts'

/** The secrets that a database was first used with. Undefined for one that no service has used. */
export interface Bindings {
  /** The fingerprint of the service secret. */
  readonly serviceSecret: string | undefined
  /** The first address of the Nano seed. */
  readonly firstNanoAddress: string | undefined
}

export async function readBindings(url: string): Promise<Bindings> {
  const client = await connectToDatabase(url)
  try {
    return await bindingsOf(client)
  } finally {
    await client.end().catch(() => {})
  }
}

export async function bindingsOf(client: Pick<pg.Client, 'query'>): Promise<Bindings> {
  const readFrom = async (table: string, column: string): Promise<string | undefined> => {
    const { rows: found } = await client.query<{ there: boolean }>(
      `SELECT to_regclass('${table}') IS NOT NULL AS there`,
    )
    if (!found[0]!.there) return undefined
    const { rows } = await client.query<{ value: string }>(`SELECT ${column} AS value FROM ${table}`)
    return rows[0]?.value
  }
  return {
    serviceSecret: await readFrom('service_secret', 'fingerprint'),
    firstNanoAddress: await readFrom('nano_seed', 'first_address'),
  }
}
