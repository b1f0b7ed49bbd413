import { type Asset, formatAmount, networkOf } from '@pennypost/contract/money'
import type { Purchase, TipSession } from '@pennypost/contract/purchases'
import { paymentUri } from '@pennypost/nano/payment-uri'
import type pg from 'pg'
import { readRows, type Statement } from '../../platform/database/database.ts'
import { lookSoon } from '../../rails/nano/custody/look-soon.ts'
import type { Services } from '../../services.ts'
import type { PayoutState } from '../payouts/payout-state.ts'
import { stateAt } from './session-rules.ts'
import type { EntitlementSource, SessionKind, SessionRow } from './session-store.ts'

/** A session with all that its payer sees of it. */
export interface SeenSession extends SessionRow {
  /** Only sessions in Nano have one. */
  readonly address: string | null
  readonly next_look_at: Date | null
  readonly entitlement_source: EntitlementSource | null
  readonly granted_at: Date | null
  readonly refunded_raw: string
  readonly payout_state: PayoutState | null
  readonly payout_block: string | null
}

const columns = `session.*, address.address, address.next_look_at, entitlement.source AS entitlement_source, entitlement.granted_at,
  creator.state AS payout_state, coalesce(creator.block_hash, block.hash) AS payout_block,
  coalesce((SELECT sum(refund.amount) FROM payouts refund WHERE refund.session_id = session.id AND refund.role = 'refund'), 0)
    AS refunded_raw`
const joins = `LEFT JOIN nano_addresses address ON address.id = session.address_id
  LEFT JOIN entitlements entitlement ON entitlement.session_id = session.id
  LEFT JOIN payouts creator ON creator.session_id = session.id AND creator.role = 'creator'
  LEFT JOIN nano_blocks block ON block.send_id = creator.id AND block.refused_at IS NULL`

// What a guest bought and somebody claimed is of that account from then on.
const claim = 'x402_payments payment JOIN checkouts checkout ON checkout.id = payment.checkout_id'
const isNotClaimed = `NOT EXISTS (SELECT FROM ${claim} WHERE payment.session_id = session.id AND checkout.claimed_by <> $1)`
const claimed = `${claim} JOIN payment_sessions session ON session.id = payment.session_id
  WHERE checkout.claimed_by = $1 AND session.payer_id <> $1 AND session.kind = $2`

export const ownSession: Statement<SeenSession> = {
  name: 'own-payment-session',
  text: `SELECT ${columns} FROM payment_sessions session ${joins}
    WHERE session.id = $1 AND session.kind = $3 AND coalesce(
      (SELECT checkout.claimed_by FROM ${claim} WHERE payment.session_id = session.id), session.payer_id) = $2`,
}

const ownSessions: Statement<SeenSession> = {
  name: 'own-payment-sessions',
  text: `SELECT ${columns} FROM (
      (SELECT session.id, session.created_at FROM payment_sessions session
        WHERE session.payer_id = $1 AND session.kind = $2 AND ${isNotClaimed}
        ORDER BY session.created_at DESC, session.id LIMIT $3::int + $4::int)
      UNION ALL SELECT session.id, session.created_at FROM ${claimed}
      ORDER BY created_at DESC, id LIMIT $3::int OFFSET $4::int
    ) own JOIN payment_sessions session ON session.id = own.id ${joins}
    ORDER BY session.created_at DESC, session.id`,
}

const countOwn: Statement<{ total: number }> = {
  name: 'count-own-payment-sessions',
  text: `SELECT ((SELECT count(*) FROM payment_sessions session WHERE session.payer_id = $1 AND session.kind = $2
      AND ${isNotClaimed}) + (SELECT count(*) FROM ${claimed}))::int AS total`,
}

interface WantedSession {
  readonly id: string
  readonly payerId: string
  readonly kind: SessionKind
}

export const findOwnSession = async (
  pool: pg.Pool,
  { id, payerId, kind }: WantedSession,
): Promise<SeenSession | undefined> => (await readRows(pool, ownSession, [id, payerId, kind]))[0]

/** For somebody who waits for what becomes of it: money that may have come is looked for. */
export async function followOwnSession(
  services: Pick<Services, 'pool' | 'db' | 'clock'>,
  wanted: WantedSession,
): Promise<SeenSession | undefined> {
  const session = await findOwnSession(services.pool, wanted)
  if (session?.next_look_at && session.state !== 'received' && session.state !== 'paid') {
    const { address_id: id, created_at, expires_at, next_look_at } = session
    await lookSoon(services, { id, created_at, expires_at, next_look_at })
  }
  return session
}

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

const sharedView = <A extends Asset>(session: SeenSession, asset: A, now: Date) => {
  const currency = { asset, network: networkOf[asset] }
  return {
    id: session.id,
    post_id: session.post_id,
    status: stateAt(session, now),
    ...currency,
    amount_raw: session.amount_raw,
    received_raw: session.received_raw,
    refunded_raw: session.refunded_raw,
    quote: {
      amount_raw: session.amount_raw,
      amount: formatAmount(asset, BigInt(session.amount_raw)),
      ...currency,
      expires_at: session.expires_at.toISOString(),
    },
    created_at: session.created_at.toISOString(),
    received_at: session.received_at?.toISOString() ?? null,
    paid_at: session.paid_at?.toISOString() ?? null,
  }
}

/** Nano comes to an address of the session's own, and is paid out from there. */
const nanoView = (session: SeenSession, now: Date) => ({
  ...sharedView(session, 'XNO', now),
  ephemeral_address: {
    ephemeral_address: session.address!,
    expires_at: session.expires_at.toISOString(),
    uri: paymentUri(session.address!, BigInt(session.amount_raw)),
  },
  payout: { status: session.payout_state ?? ('none' as const), block_hash: session.payout_block },
})

const entitlementView = ({ entitlement_source: source, granted_at }: SeenSession) => ({
  entitlement: granted_at && { source: source!, granted_at: granted_at.toISOString() },
})

export const nanoPurchaseView = (session: SeenSession, now: Date) => ({
  ...nanoView(session, now),
  ...entitlementView(session),
})

/** USDC went straight to the creator, by one transaction. */
const usdcPurchaseView = (session: SeenSession, now: Date) => ({
  ...sharedView(session, 'USDC', now),
  ephemeral_address: null,
  payout: { status: 'confirmed' as const, block_hash: session.transaction },
  ...entitlementView(session),
})

export const purchaseView = (session: SeenSession, now: Date): Purchase =>
  (session.asset === 'XNO' ? nanoPurchaseView : usdcPurchaseView)(session, now)

export const tipView = (session: SeenSession, now: Date): TipSession => ({
  ...nanoView(session, now),
  comment_id: session.comment_id,
  message: session.message,
})
