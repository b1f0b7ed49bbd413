import { sql } from 'kysely'
import type { Db, Tx } from '../platform/database/database.ts'

/** An author, as far as publishing and pricing need it. */
export interface Author {
  readonly id: string
  readonly name: string
  readonly handle: string
  readonly receives_nano: boolean
  readonly receives_base: boolean
}

export async function findAuthor(db: Db | Tx, accountId: string): Promise<Author> {
  const { rows } = await sql<Author>`
    SELECT account.id, account.name, account.handle,
      bool_or(address.rail = 'nano') IS TRUE AS receives_nano, bool_or(address.rail = 'base') IS TRUE AS receives_base
    FROM accounts account LEFT JOIN receiving_addresses address ON address.account_id = account.id
    WHERE account.id = ${accountId} GROUP BY account.id`.execute(db)
  return rows[0]!
}
