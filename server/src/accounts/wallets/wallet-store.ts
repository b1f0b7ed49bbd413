import { type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../../platform/database/database.ts'
import type { Account } from '../account-store.ts'

declare module '../../platform/database/tables.ts' {
  interface Tables {
    wallets: WalletTable
    guest_wallets: { account_id: string; kind: WalletTable['kind']; address: string }
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

/** Links a wallet that no account has. The account is no longer anonymous, as it now has a login. */
export async function linkNewWallet(tx: Tx, wallet: Wallet): Promise<void> {
  await tx.insertInto('wallets').values(wallet).execute()
  await tx.updateTable('accounts').set({ is_anonymous: false }).where('id', '=', wallet.account_id).execute()
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

/** Remembers with which wallet a guest paid. */
export async function addGuestWallet(tx: Tx, guestId: string, { kind, address }: WalletAddress): Promise<void> {
  await tx.insertInto('guest_wallets').values({ account_id: guestId, kind, address }).execute()
}

/**
 * The first account of a guest who paid with this wallet, locked. An account that got a login since is its owner's:
 * the wallet alone does not open it.
 */
export async function lockGuestOf(tx: Tx, { kind, address }: WalletAddress): Promise<Account | undefined> {
  const { rows } = await sql<Account>`
    SELECT guest.* FROM guest_wallets paid JOIN accounts guest ON guest.id = paid.account_id
    WHERE paid.kind = ${kind} AND paid.address = ${address} AND guest.is_anonymous
      AND NOT EXISTS (SELECT FROM wallets WHERE account_id = guest.id)
    ORDER BY guest.created_at, guest.id LIMIT 1 FOR UPDATE OF guest`.execute(tx)
  return rows[0]
}

export async function countWallets(tx: Tx, accountId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM wallets WHERE account_id = ${accountId}`.execute(tx)
  return rows[0]!.count
}
