import { type Asset, networkOf } from '@pennypost/contract/money'
import { type ColumnType, type Insertable, type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../../platform/database/database.ts'
import { lockPostFigures } from '../../posts/post-figures.ts'
import { type SessionState, sessionMoves } from './session-state.ts'

declare module '../../platform/database/tables.ts' {
  interface Tables {
    payment_sessions: SessionTable
    session_arrivals: { hash: string; session_id: string; settled_at: Date | null }
    entitlements: {
      account_id: string
      post_id: string
      source: EntitlementSource
      session_id: string | null
      granted_at: Date
    }
    wallet_entitlements: {
      network: Wallet['network']
      wallet: string
      post_id: string
      source: Exclude<EntitlementSource, 'purchase'>
      granted_at: Date
    }
  }
}

export type SessionKind = 'purchase' | 'tip'

export type EntitlementSource = 'purchase' | 'x402' | 'checkout'

/** A wallet, as its network spells it. */
export interface Wallet {
  readonly network: 'nano:mainnet' | 'eip155:8453'
  readonly address: string
}

interface SessionTable {
  id: string
  kind: SessionKind
  state: SessionState
  asset: Asset
  /** Null: somebody without an account, who is their wallet. */
  payer_id: string | null
  payer_wallet: string | null
  payee_id: string
  post_id: string
  comment_id: string | null
  message: string | null
  amount_raw: string
  commission_raw: string
  recipient: string
  /** Only sessions in Nano have one; whoever reads it has found the session by it, or by its asset. */
  address_id: ColumnType<string, string | null, string>
  received_raw: string
  created_at: Date
  expires_at: Date
  received_at: Date | null
  paid_at: Date | null
  /** USDC: what moved the money. */
  transaction: string | null
}

export type SessionRow = Selectable<SessionTable>

export type NewSession = Omit<
  SessionRow,
  'state' | 'asset' | 'received_raw' | 'received_at' | 'paid_at' | 'transaction'
>

export const addSession = (tx: Tx, session: NewSession): Promise<SessionRow> =>
  tx
    .insertInto('payment_sessions')
    .values({
      ...session,
      asset: 'XNO',
      state: 'pending',
      received_raw: '0',
      received_at: null,
      paid_at: null,
      transaction: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow()

/**
 * How many quotes wait for their money, and when the first of them is over. Under a lock, so that of two quotes at one
 * moment the second one counts the first.
 */
export async function countPendingQuotes(
  tx: Tx,
  payerId: string,
  now: Date,
): Promise<{ count: number; first_ends_at: Date | null }> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`quotes ${payerId}`}, 0))`.execute(tx)
  const { rows } = await sql<{ count: number; first_ends_at: Date | null }>`
    SELECT count(*)::int AS count, min(expires_at) AS first_ends_at FROM payment_sessions
    WHERE payer_id = ${payerId} AND state = 'pending' AND expires_at > ${now}`.execute(tx)
  return rows[0]!
}

/** One that is paid already: its money went straight to the creator. */
export const addPaidSession = (tx: Tx, session: Omit<Insertable<SessionTable>, 'state'>): Promise<SessionRow> =>
  tx
    .insertInto('payment_sessions')
    .values({ ...session, state: 'paid' })
    .returningAll()
    .executeTakeFirstOrThrow()

export const findSession = (db: Db, id: string): Promise<SessionRow | undefined> =>
  db.selectFrom('payment_sessions').selectAll().where('id', '=', id).executeTakeFirst()

export const lockSession = (tx: Tx, id: string): Promise<SessionRow | undefined> =>
  tx.selectFrom('payment_sessions').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()

/** The session that gave out this address, locked: its money is settled by one at a time. */
export const lockSessionOfAddress = (tx: Tx, addressId: string): Promise<SessionRow> =>
  tx
    .selectFrom('payment_sessions')
    .selectAll()
    .where('address_id', '=', addressId)
    .forUpdate()
    .executeTakeFirstOrThrow()

export const findSessionOfAddress = (tx: Tx, addressId: string): Promise<SessionRow | undefined> =>
  tx.selectFrom('payment_sessions').selectAll().where('address_id', '=', addressId).forUpdate().executeTakeFirst()

/** Somebody else pays what an earlier payer of the same quote did not. */
export const changePayer = (
  tx: Tx,
  id: string,
  payer: Pick<SessionRow, 'payer_id' | 'payer_wallet'>,
): Promise<unknown> => tx.updateTable('payment_sessions').set(payer).where('id', '=', id).execute()

/** No row back means that the session is not in a state that allows the move. */
export function moveSession(
  tx: Tx,
  id: string,
  move: keyof typeof sessionMoves,
  now: Date,
): Promise<SessionRow | undefined> {
  const { from, to } = sessionMoves[move]
  return tx
    .updateTable('payment_sessions')
    .set({
      state: to,
      ...(to === 'received' && { received_at: now }),
      ...(to === 'paid' && { paid_at: now }),
    })
    .where('id', '=', id)
    .where('state', 'in', from)
    .returningAll()
    .executeTakeFirst()
}

/** Money of a session that is neither spent nor on its way back, in the order it came. */
export interface UnspentArrival {
  readonly hash: string
  readonly source: string
  readonly amount: string
}

export async function addSessionArrival(tx: Tx, sessionId: string, hash: string, amount: bigint): Promise<void> {
  await tx.insertInto('session_arrivals').values({ hash, session_id: sessionId, settled_at: null }).execute()
  await tx
    .updateTable('payment_sessions')
    .set({ received_raw: sql`received_raw + ${String(amount)}::numeric` })
    .where('id', '=', sessionId)
    .execute()
}

export const listUnspentArrivals = (tx: Tx, sessionId: string): Promise<UnspentArrival[]> =>
  tx
    .selectFrom('session_arrivals')
    .innerJoin('nano_arrivals', 'nano_arrivals.hash', 'session_arrivals.hash')
    .select(['nano_arrivals.hash', 'nano_arrivals.source', 'nano_arrivals.amount'])
    .where('session_arrivals.session_id', '=', sessionId)
    .where('session_arrivals.settled_at', 'is', null)
    .orderBy('nano_arrivals.number')
    .execute()

export const settleArrivals = (tx: Tx, sessionId: string, now: Date): Promise<unknown> =>
  tx
    .updateTable('session_arrivals')
    .set({ settled_at: now })
    .where('session_id', '=', sessionId)
    .where('settled_at', 'is', null)
    .execute()

/** Those that expired by then, still have unspent money, and have no living job whose key begins so. */
export const listForgottenSessions = async (
  db: Db,
  expiredBy: Date,
  keyPrefix: string,
  most: number,
): Promise<SessionRow[]> =>
  db
    .selectFrom('payment_sessions')
    .selectAll()
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('session_arrivals').select('session_id').where('settled_at', 'is', null),
    )
    .where('expires_at', '<=', expiredBy)
    .where(
      sql<boolean>`NOT EXISTS (SELECT FROM jobs WHERE key = ${keyPrefix} || payment_sessions.id AND dead_at IS NULL)`,
    )
    .orderBy('expires_at')
    .limit(most)
    .execute()

/** What a buyer is granted. */
export interface Grant {
  readonly postId: string
  readonly accountId: string | null
  readonly wallet: Wallet | null
  readonly source: EntitlementSource
  readonly sessionId: string | null
}

/** For a session's payer: the account, the wallet that paid by itself, or both. */
export const grantPost = (tx: Tx, session: SessionRow, now: Date): Promise<boolean> =>
  grant(tx, now, {
    postId: session.post_id,
    accountId: session.payer_id,
    sessionId: session.id,
    wallet: session.payer_wallet === null ? null : { network: networkOf[session.asset], address: session.payer_wallet },
    source: session.payer_wallet === null ? 'purchase' : 'x402',
  })

/** False: they have the Post already. A second buyer at the same moment waits here for the first. */
export async function grant(tx: Tx, now: Date, granted: Grant): Promise<boolean> {
  const { postId, accountId, wallet, source, sessionId } = granted
  // What refers to a Post holds it, and its figures are to be counted too: they are locked first.
  await lockPostFigures(tx, postId)
  if (source === 'purchase' && accountId !== null && (await hasBought(tx, accountId, postId))) return false
  const shared = { post_id: postId, granted_at: now }
  if (accountId !== null) {
    const { numInsertedOrUpdatedRows } = await tx
      .insertInto('entitlements')
      .values({ ...shared, account_id: accountId, source, session_id: sessionId })
      .onConflict((conflict) => conflict.columns(['account_id', 'post_id']).doNothing())
      .executeTakeFirst()
    if (numInsertedOrUpdatedRows !== 1n) return false
  }
  if (wallet === null || source === 'purchase') return true
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('wallet_entitlements')
    .values({ ...shared, network: wallet.network, wallet: wallet.address, source })
    .onConflict((conflict) => conflict.columns(['network', 'wallet', 'post_id']).doNothing())
    .executeTakeFirst()
  return accountId !== null || numInsertedOrUpdatedRows === 1n
}

/** The account itself, or a wallet that is linked to it: whoever may read the Post need not pay for it again. */
export async function hasBought(db: Db | Tx, accountId: string, postId: string): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM entitlements WHERE account_id = ${accountId} AND post_id = ${postId}
    UNION ALL SELECT FROM wallets own CROSS JOIN LATERAL (SELECT FROM wallet_entitlements paid
      WHERE paid.network = CASE own.kind WHEN 'nano' THEN 'nano:mainnet' ELSE 'eip155:8453' END
        AND paid.wallet = own.address AND paid.post_id BETWEEN ${postId} AND ${postId} OFFSET 0) paid
    WHERE own.account_id = ${accountId}
    LIMIT 1`.execute(db)
  return rows.length > 0
}

export async function hasWalletBought(db: Db | Tx, wallet: Wallet, postId: string): Promise<boolean> {
  const found = await db
    .selectFrom('wallet_entitlements')
    .select('source')
    .where('network', '=', wallet.network)
    .where('wallet', '=', wallet.address)
    .where('post_id', '=', postId)
    .executeTakeFirst()
  return found !== undefined
}

/** To another account, unless that has the Post already: then it stays where it is. */
export async function moveEntitlement(
  tx: Tx,
  postId: string,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await sql`UPDATE entitlements SET account_id = ${to} WHERE account_id = ${from} AND post_id = ${postId}
    AND NOT EXISTS (SELECT FROM entitlements WHERE account_id = ${to} AND post_id = ${postId})`.execute(tx)
}
