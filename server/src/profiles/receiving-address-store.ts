import { type Selectable, sql } from 'kysely'
import type pg from 'pg'
import { type Db, readRows, type Statement, type Tx } from '../platform/database/database.ts'

declare module '../platform/database/tables.ts' {
  interface Tables {
    receiving_addresses: ReceivingAddressTable
  }
}

export type Rail = 'nano' | 'base'

interface ReceivingAddressTable {
  account_id: string
  rail: Rail
  address: string
  updated_at: Date
}

export type ReceivingAddress = Pick<Selectable<ReceivingAddressTable>, 'address' | 'updated_at'>

const receivingAddress: Statement<ReceivingAddress> = {
  name: 'receiving-address',
  text: 'SELECT address, updated_at FROM receiving_addresses WHERE account_id = $1 AND rail = $2',
}

export const findReceivingAddress = async (
  pool: pg.Pool,
  accountId: string,
  rail: Rail,
): Promise<ReceivingAddress | undefined> => (await readRows(pool, receivingAddress, [accountId, rail]))[0]

/**
 * Saves the address that an account is paid at. `updated_at` is also the address's revision, which payouts compare. So
 * it grows with every change, even within one millisecond or if clocks differ, and saving the same address keeps it.
 */
export const saveReceivingAddress = (
  db: Db,
  saved: { readonly accountId: string; readonly rail: Rail; readonly address: string; readonly at: Date },
): Promise<ReceivingAddress> =>
  db
    .insertInto('receiving_addresses')
    .values({ account_id: saved.accountId, rail: saved.rail, address: saved.address, updated_at: saved.at })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'rail']).doUpdateSet({
        address: sql`excluded.address`,
        updated_at: sql`CASE WHEN receiving_addresses.address = excluded.address THEN receiving_addresses.updated_at
          ELSE greatest(excluded.updated_at, receiving_addresses.updated_at + interval '1 millisecond') END`,
      }),
    )
    .returning(['address', 'updated_at'])
    .executeTakeFirstOrThrow()

export async function clearReceivingAddress(tx: Tx, accountId: string, rail: Rail): Promise<void> {
  await tx.deleteFrom('receiving_addresses').where('account_id', '=', accountId).where('rail', '=', rail).execute()
}
