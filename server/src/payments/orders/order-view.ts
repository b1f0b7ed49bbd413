import { type Asset, amountOf, formatAmount, networkOf } from '@pennypost/contract/money'
import type { Purchase } from '@pennypost/contract/purchases'
import type { Tip, TipSession } from '@pennypost/contract/tips'
import { paymentUri } from '@pennypost/nano/payment-uri'
import { oneLine } from '@pennypost/site/clean-text'
import type pg from 'pg'
import { readRows, type Statement } from '../../platform/database/database.ts'
import { checkSoon } from '../../rails/nano/custody/addresses.ts'
import type { EntitlementSource } from '../entitlements/entitlement-store.ts'
import type { PayoutState } from '../payouts/payout-store.ts'
import type { PaymentServices } from '../services.ts'
import { type OrderKind, type OrderRow, stateAt } from './order-store.ts'

/** An order with everything that its payer sees. */
export interface DetailedOrder extends OrderRow {
  /** Only orders in Nano have one. */
  readonly address: string | null
  readonly next_check_at: Date | null
  readonly checked_at: Date | null
  readonly address_paid_at: Date | null
  readonly entitlement_source: EntitlementSource | null
  readonly granted_at: Date | null
  readonly refunded_raw: string
  readonly payout_state: PayoutState | null
  readonly payout_block: string | null
  /** Null for a post that was deleted. */
  readonly post_title: string | null
}

/** The facts that the view of an order needs besides its row: the time, and the name of the site for the payer's wallet. */
interface ViewContext {
  readonly now: Date
  readonly siteName: string
}

export const viewContextOf = ({ clock, site }: Pick<PaymentServices, 'clock' | 'site'>): ViewContext => ({
  now: clock.now(),
  siteName: site.settings().name,
})

/** The link that opens the payer's wallet, which shows who is paid and what for. */
export const orderUri = ({ address, amount_raw, kind, post_title }: DetailedOrder, siteName: string): string => {
  const title = post_title === null ? undefined : oneLine(post_title)
  const message = kind === 'tip' ? ['Tip', title].filter(Boolean).join(': ') : title
  return paymentUri(address!, BigInt(amount_raw), { label: siteName, ...(message && { message }) })
}

const columns = `orders.*, address.address, address.next_check_at, address.checked_at,
  address.paid_at AS address_paid_at, entitlement.source AS entitlement_source, entitlement.granted_at,
  (SELECT title FROM posts WHERE posts.id = orders.post_id) AS post_title,
  creator.state AS payout_state, coalesce(creator.block_hash, block.hash) AS payout_block,
  coalesce((SELECT sum(refund.amount) FROM payouts refund WHERE refund.order_id = orders.id AND refund.role = 'refund'), 0)
    AS refunded_raw`
const joins = `LEFT JOIN nano_addresses address ON address.id = orders.address_id
  LEFT JOIN entitlements entitlement ON entitlement.order_id = orders.id
  LEFT JOIN payouts creator ON creator.order_id = orders.id AND creator.role = 'creator'
  LEFT JOIN nano_blocks block ON block.send_id = creator.id AND block.refused_at IS NULL`

// What a guest bought belongs to the account that claimed it.
const paid = 'orders WHERE payer_id = $1 AND kind = $2 AND (claimed_by IS NULL OR claimed_by = $1)'
const claimed = 'orders WHERE claimed_by = $1 AND payer_id <> $1 AND kind = $2'

export const ownOrder: Statement<DetailedOrder> = {
  name: 'own-order',
  text: `SELECT ${columns} FROM orders ${joins}
    WHERE orders.id = $1 AND orders.kind = $3 AND coalesce(orders.claimed_by, orders.payer_id) = $2`,
}

const nanoOrder: Statement<DetailedOrder> = {
  name: 'nano-order',
  text: `SELECT ${columns} FROM orders ${joins} WHERE orders.id = $1 AND orders.asset = 'XNO'`,
}

const ownOrders: Statement<DetailedOrder> = {
  name: 'own-orders',
  text: `SELECT ${columns} FROM (
      (SELECT id, created_at FROM ${paid} ORDER BY created_at DESC, id LIMIT $3::int + $4::int)
      UNION ALL (SELECT id, created_at FROM ${claimed} ORDER BY created_at DESC, id LIMIT $3::int + $4::int)
      ORDER BY created_at DESC, id LIMIT $3::int OFFSET $4::int
    ) own JOIN orders ON orders.id = own.id ${joins}
    ORDER BY orders.created_at DESC, orders.id`,
}

const countOwn: Statement<{ total: number }> = {
  name: 'count-own-orders',
  text: `SELECT ((SELECT count(*) FROM ${paid}) + (SELECT count(*) FROM ${claimed}))::int AS total`,
}

interface WantedOrder {
  readonly id: string
  readonly payerId: string
  readonly kind: OrderKind
}

export const findOwnOrder = async (
  pool: pg.Pool,
  { id, payerId, kind }: WantedOrder,
): Promise<DetailedOrder | undefined> => (await readRows(pool, ownOrder, [id, payerId, kind]))[0]

/** An order in Nano, of an account or a guest. */
export const findNanoOrder = async (pool: pg.Pool, id: string): Promise<DetailedOrder | undefined> =>
  (await readRows(pool, nanoOrder, [id]))[0]

type Followed = Pick<PaymentServices, 'pool' | 'db' | 'clock'>

/** Reads an order for a client that waits for its payment, and schedules a check of its address. */
export async function followOwnOrder(services: Followed, wanted: WantedOrder): Promise<DetailedOrder | undefined> {
  const order = await findOwnOrder(services.pool, wanted)
  if (order) await checkAddressOf(services, order)
  return order
}

/** Schedules a check of an order's address, for a client that waits for its payment. */
export async function checkAddressOf(services: Followed, order: DetailedOrder): Promise<void> {
  if (order.address === null) return
  const { address_id: id, next_check_at, checked_at, address_paid_at: paid_at } = order
  await checkSoon(services, { id, next_check_at, checked_at, paid_at })
}

export async function listOwnOrders(
  pool: pg.Pool,
  payerId: string,
  kind: OrderKind,
  { page, perPage }: { page: number; perPage: number },
): Promise<{ orders: DetailedOrder[]; total: number }> {
  const [orders, [count]] = await Promise.all([
    readRows(pool, ownOrders, [payerId, kind, perPage, (page - 1) * perPage]),
    readRows(pool, countOwn, [payerId, kind]),
  ])
  return { orders, total: count!.total }
}

const sharedView = <A extends Asset>(order: DetailedOrder, asset: A, now: Date) => {
  const currency = { asset, network: networkOf[asset] }
  return {
    id: order.id,
    post_id: order.post_id,
    status: stateAt(order, now),
    ...currency,
    amount_raw: order.amount_raw,
    received_raw: order.received_raw,
    refunded_raw: order.refunded_raw,
    quote: {
      amount_raw: order.amount_raw,
      amount: formatAmount(asset, amountOf(asset, order.amount_raw)),
      ...currency,
      expires_at: order.expires_at.toISOString(),
    },
    created_at: order.created_at.toISOString(),
    received_at: order.received_at?.toISOString() ?? null,
    paid_at: order.paid_at?.toISOString() ?? null,
  }
}

/** Nano arrives at the order's address and is paid out from there. */
const nanoView = (order: DetailedOrder, { now, siteName }: ViewContext) => ({
  ...sharedView(order, 'XNO', now),
  ephemeral_address: {
    ephemeral_address: order.address!,
    expires_at: order.expires_at.toISOString(),
    uri: orderUri(order, siteName),
  },
  payout: { status: order.payout_state ?? ('none' as const), block_hash: order.payout_block },
})

const entitlementView = ({ entitlement_source: source, granted_at }: DetailedOrder) => ({
  entitlement: granted_at && { source: source!, granted_at: granted_at.toISOString() },
})

export const nanoPurchaseView = (order: DetailedOrder, shown: ViewContext) => ({
  ...nanoView(order, shown),
  ...entitlementView(order),
})

/** USDC went straight to the creator in one transaction. */
const usdcView = (order: DetailedOrder, { now }: ViewContext) => ({
  ...sharedView(order, 'USDC', now),
  ephemeral_address: null,
  payout: { status: 'confirmed' as const, block_hash: order.transaction },
})

const viewOf = (order: DetailedOrder, shown: ViewContext) =>
  (order.asset === 'USDC' ? usdcView : nanoView)(order, shown)

export const purchaseView = (order: DetailedOrder, shown: ViewContext): Purchase => ({
  ...viewOf(order, shown),
  ...entitlementView(order),
})

const tipped = ({ comment_id, message }: DetailedOrder) => ({ comment_id, message })

/** A tip that is paid to one of our addresses. */
export const tipSessionView = (order: DetailedOrder, shown: ViewContext): TipSession => ({
  ...nanoView(order, shown),
  ...tipped(order),
})

export const tipView = (order: DetailedOrder, shown: ViewContext): Tip => ({
  ...viewOf(order, shown),
  ...tipped(order),
})
