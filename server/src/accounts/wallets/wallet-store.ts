import { type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../../platform/database/database.ts'

declare module '../../platform/database/tables.ts' {
  interface Tables {
    wallets: WalletTable
  }
}

interface WalletTable {
  kind: 'nano' | 'evm'
  address: string
  account_id: string
  linked_at: Date
}

export type Wallet = Selectable<WalletTable>
export type WalletAddress = Pick<Wallet, 'kind' | 'address'>

/** Lists the wallets of an account, oldest link first, like `caller.account.wallets`. */
export const listWalletsOf = (db: Db | Tx, accountId: string): Promise<Wallet[]> =>
  db
    .selectFrom('wallets')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('linked_at')
    .orderBy('address')
    .execute()

/** Finds a wallet under a lock on its address, so that two requests cannot both find none and both add it. */
export async function lockWallet(tx: Tx, { kind, address }: WalletAddress): Promise<Wallet | undefined> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`wallet ${kind} ${address}`}, 0))`.execute(tx)
  return tx.selectFrom('wallets').selectAll().where('kind', '=', kind).where('address', '=', address).executeTakeFirst()
}

export async function addWallet(tx: Tx, wallet: Wallet): Promise<void> {
  await tx.insertInto('wallets').values(wallet).execute()
}

/** Removes a wallet. Returns false if the account did not have it. */
export async function removeWallet(tx: Tx, accountId: string, { kind, address }: WalletAddress): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('wallets')
    .where('kind', '=', kind)
    .where('address', '=', address)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export async function countWallets(tx: Tx, accountId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM wallets WHERE account_id = ${accountId}`.execute(tx)
  return rows[0]!.count
}
