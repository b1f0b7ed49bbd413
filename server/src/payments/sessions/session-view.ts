import { formatAmount, networkOf } from '@pennypost/contract/money'
import type { Purchase, TipSession } from '@pennypost/contract/purchases'
import { paymentUri } from '@pennypost/nano/payment-uri'
import type pg from 'pg'
import { readRows, type Statement } from '../../platform/database/database.ts'
import type { PayoutState } from '../payouts/payout-state.ts'
import { stateAt } from './session-rules.ts'
import type { SessionKind, SessionRow } from './session-store.ts'

/** A session with all that its payer sees of it. */
export interface SeenSession extends SessionRow {
  readonly address: string
  readonly granted_at: Date | null
  readonly refunded_raw: string
  readonly payout_state: PayoutState | null
  readonly payout_block: string | null
}

const columns = `session.*, address.address, entitlement.granted_at, creator.state AS payout_state,
  coalesce(creator.block_hash, block.hash) AS payout_block,
  coalesce((SELECT sum(refund.amount) FROM payouts refund WHERE refund.session_id = session.id AND refund.role = 'refund'), 0)
    AS refunded_raw`
const joins = `JOIN nano_addresses address ON address.id = session.address_id
  LEFT JOIN entitlements entitlement ON entitlement.session_id = session.id
  LEFT JOIN payouts creator ON creator.session_id = session.id AND creator.role = 'creator'
  LEFT JOIN nano_blocks block ON block.send_id = creator.id AND block.refused_at IS NULL`

export const ownSession: Statement<SeenSession> = {
  name: 'own-payment-session',
  text: `SELECT ${columns} FROM payment_sessions session ${joins}
    WHERE session.id = $1 AND session.payer_id = $2 AND session.kind = $3`,
}

const ownSessions: Statement<SeenSession> = {
  name: 'own-payment-sessions',
  text: `SELECT ${columns} FROM payment_sessions session ${joins}
    WHERE session.payer_id = $1 AND session.kind = $2 ORDER BY session.created_at DESC, session.id LIMIT $3 OFFSET $4`,
}

const countOwn: Statement<{ total: number }> = {
  name: 'count-own-payment-sessions',
  text: `SELECT count(*)::int AS total FROM payment_sessions WHERE payer_id = $1 AND kind = $2 AND asset = 'XNO'`,
}

export const findOwnSession = async (
  pool: pg.Pool,
  { id, payerId, kind }: { id: string; payerId: string; kind: SessionKind },
): Promise<SeenSession | undefined> => (await readRows(pool, ownSession, [id, payerId, kind]))[0]

export async function listOwnSessions(
  pool: pg.Pool,
  payerId: string,
  kind: SessionKind,
  { page, perPage }: { page: number; perPage: number },
): Promise<{ sessions: SeenSession[]; total: number }> {
  const [sessions, [count]] = await Promise.all([
    readRows(pool, ownSessions, [payerId, kind, perPage, (page - 1) * perPage]),
    readRows(pool, countOwn, [payerId, kind]),
  ])
  return { sessions, total: count!.total }
}

const currency = { asset: 'XNO', network: networkOf.XNO } as const

const sharedView = (session: SeenSession, now: Date) => ({
  id: session.id,
  post_id: session.post_id,
  status: stateAt(session, now),
  ...currency,
  amount_raw: session.amount_raw,
  received_raw: session.received_raw,
  refunded_raw: session.refunded_raw,
  quote: {
    amount_raw: session.amount_raw,
    amount: formatAmount('XNO', BigInt(session.amount_raw)),
    ...currency,
    expires_at: session.expires_at.toISOString(),
  },
  ephemeral_address: {
    ephemeral_address: session.address,
    expires_at: session.expires_at.toISOString(),
    uri: paymentUri(session.address, BigInt(session.amount_raw)),
  },
  created_at: session.created_at.toISOString(),
  received_at: session.received_at?.toISOString() ?? null,
  paid_at: session.paid_at?.toISOString() ?? null,
  payout: { status: session.payout_state ?? ('none' as const), block_hash: session.payout_block },
})

export const purchaseView = (session: SeenSession, now: Date): Purchase => ({
  ...sharedView(session, now),
  entitlement: session.granted_at && { source: 'purchase', granted_at: session.granted_at.toISOString() },
})

export const tipView = (session: SeenSession, now: Date): TipSession => ({
  ...sharedView(session, now),
  comment_id: session.comment_id,
  message: session.message,
})
