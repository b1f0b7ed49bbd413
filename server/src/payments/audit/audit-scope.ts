/** The scope of an audit: queries of ids, on which every check is based. */
export interface Scope {
  readonly addresses: string
  readonly orders: string
  readonly movements: string
}

const none = (type: string) => `SELECT NULL::${type} AS id WHERE false`

export const everything: Scope = {
  addresses: 'SELECT id FROM nano_addresses',
  orders: 'SELECT id FROM orders',
  movements: 'SELECT id FROM ledger_movements',
}

/** A range of ids, both ends included. */
export interface Range {
  readonly first: bigint
  readonly last: bigint
}

const within = (column: string, { first, last }: Range) => `${column} BETWEEN ${first} AND ${last}`

export const scopeOfAddresses = (range: Range): Scope => ({
  addresses: `SELECT id FROM nano_addresses WHERE ${within('id', range)}`,
  orders: `SELECT id FROM orders WHERE ${within('address_id', range)}`,
  movements: none('bigint'),
})

/** Movements, and the orders in USDC, which have no address. */
export const scopeOfMovements = (range: Range): Scope => ({
  addresses: none('bigint'),
  orders: `SELECT DISTINCT order_id AS id FROM ledger_movements
    WHERE ${within('id', range)} AND order_id IS NOT NULL AND asset = 'USDC'`,
  movements: `SELECT id FROM ledger_movements WHERE ${within('id', range)}`,
})

/** Movements with all that they moved: every change of money is one, also of orders and addresses that are old. */
export function scopeOfNewMovements(range: Range): Scope {
  const orders = `SELECT DISTINCT order_id AS id FROM ledger_movements WHERE ${within('id', range)} AND order_id IS NOT NULL`
  return {
    addresses: `SELECT address_id AS id FROM orders WHERE id IN (${orders}) AND address_id IS NOT NULL
      UNION SELECT arrival.address_id FROM ledger_movements movement JOIN nano_arrivals arrival ON arrival.hash = substr(movement.cause, 9)
      WHERE ${within('movement.id', range)} AND movement.kind = 'arrival'
      UNION SELECT payout.address_id FROM ledger_movements movement JOIN payouts payout
        ON payout.id = CASE WHEN movement.cause ~ '^payout:[0-9a-f-]{36}$' THEN substr(movement.cause, 8)::uuid END
      WHERE ${within('movement.id', range)} AND movement.kind = 'payout' AND movement.asset = 'XNO'`,
    orders,
    movements: `SELECT id FROM ledger_movements WHERE ${within('id', range)}`,
  }
}

/** Everything that can still change without a new movement: money that is owed, unspent, or on its way. */
export const unfinished: Scope = {
  addresses: `SELECT address_id AS id FROM payouts WHERE state <> 'confirmed'
    UNION SELECT address_id FROM nano_sends WHERE confirmed_at IS NULL AND refused_at IS NULL
    UNION SELECT address_id FROM nano_blocks WHERE confirmed_at IS NULL AND refused_at IS NULL
    UNION SELECT arrival.address_id FROM order_arrivals came JOIN nano_arrivals arrival ON arrival.hash = came.hash WHERE came.spent_at IS NULL`,
  orders: `SELECT order_id AS id FROM payouts WHERE state <> 'confirmed' AND order_id IS NOT NULL
    UNION SELECT order_id FROM order_arrivals WHERE spent_at IS NULL`,
  movements: none('bigint'),
}

export const paidWithoutSale: Scope = {
  addresses: none('bigint'),
  orders: `SELECT id FROM orders WHERE received_at IS NOT NULL AND NOT EXISTS (
    SELECT FROM ledger_movements movement WHERE movement.order_id = orders.id AND movement.kind IN ('sale', 'tip'))`,
  movements: none('bigint'),
}

/** A query can select from `scope_addresses`, `scope_orders`, `scope_movements`, and the payouts of those addresses and orders. */
export const withScope = ({ addresses, orders, movements }: Scope, query: string): string => `
  WITH scope_addresses AS (${addresses}), scope_orders AS (${orders}), scope_movements AS (${movements}),
  scope_payouts AS (
    SELECT payout.id FROM scope_orders JOIN payouts payout ON payout.order_id = scope_orders.id AND payout.role <> 'refund'
    UNION ALL SELECT payout.id FROM scope_addresses
      JOIN nano_arrivals arrival ON arrival.address_id = scope_addresses.id
      JOIN payouts payout ON payout.arrival_hash = arrival.hash)
  ${query}`
