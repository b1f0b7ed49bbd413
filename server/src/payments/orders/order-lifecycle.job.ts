import { randomUUID } from 'node:crypto'
import { guestCheckoutBusy } from '@pennypost/contract/checkout'
import { type Amount, amountOf, minus, type Sale, smallerOf, storedSale, sumOf } from '@pennypost/contract/money'
import { maxPendingQuotes, tooManyQuotes } from '@pennypost/contract/order-fields'
import { z } from 'zod'
import { createAccount } from '../../accounts/account-store.ts'
import { isDeleted } from '../../accounts/close-account.ts'
import { addGuestWallet } from '../../accounts/wallets/wallet-store.ts'
import type { Tx } from '../../platform/database/database.ts'
import { refuse } from '../../platform/http/refuse.ts'
import { enqueue } from '../../platform/jobs/job.ts'
import { isOfferedFor } from '../../posts/sellable-post.ts'
import { allocateAddress, markAddressPaid } from '../../rails/nano/custody/addresses.ts'
import { grantPost } from '../entitlements/entitlement-store.ts'
import { book, negative, recordMoney } from '../ledger/ledger.ts'
import { owe } from '../payouts/payouts.job.ts'
import type { Job, PaymentServices } from '../services.ts'
import {
  addOrder,
  changePayer,
  countOpenGuestOrders,
  countPendingQuotes,
  decide,
  isLate,
  leastArrival,
  listUnspentArrivals,
  lockOrder,
  markArrivalsSpent,
  moveOrder,
  type OrderKind,
  type OrderRow,
  orderQuoteMs,
  refundAt,
  stateAt,
  type UnspentArrival,
} from './order-store.ts'

// The life of an order: it is opened with a quote, its money buys or goes back, and it is closed.

interface NewOrder {
  readonly kind: OrderKind
  /** Null for a wallet that pays through x402, and for a guest. */
  readonly payerId: string | null
  readonly payeeId: string
  readonly postId: string
  readonly commentId: string | null
  readonly message: string | null
  readonly sale: Sale<'XNO'>
  /** Where the author's part goes. */
  readonly recipient: string
  /** The wallet that pays through x402, and the address it was offered before there was an order. */
  readonly x402?: { readonly payerWallet: string; readonly derivation: string }
}

/** Opens an order: fixes its price for an hour and gives it an address. Needs no node. Returns the order's id. */
export async function openOrder(services: PaymentServices, tx: Tx, order: NewOrder): Promise<string> {
  const now = services.clock.now()
  const expiresAt = new Date(now.getTime() + orderQuoteMs)
  const { sale, x402 } = order
  const address = await allocateAddress(services, tx, {
    purpose: x402 ? 'x402' : 'order',
    leastRaw: leastArrival(sale.gross),
    expiresAt,
    ...(x402 && { derivation: x402.derivation }),
  })
  const row = await addOrder(tx, {
    id: randomUUID(),
    kind: order.kind,
    payer_id: order.payerId,
    payee_id: order.payeeId,
    payer_wallet: x402?.payerWallet ?? null,
    is_guest: order.payerId === null && x402 === undefined,
    post_id: order.postId,
    comment_id: order.commentId,
    message: order.message,
    amount_raw: String(sale.gross),
    commission_raw: String(sale.commission),
    recipient: order.recipient,
    address_id: address.id,
    created_at: now,
    expires_at: expiresAt,
  })
  await closeLater(services, tx, row)
  return row.id
}

/**
 * Limits how many unpaid quotes an account has, and how many all guests have together: each takes an address that is
 * watched. Orders through x402 are opened with their payment and do not count.
 */
export async function requireRoomForQuote(
  { clock, config }: PaymentServices,
  tx: Tx,
  payerId: string | null,
): Promise<void> {
  const now = clock.now()
  if (payerId === null) {
    // Not under a lock: a few more than the limit do no harm, and guests would wait for each other.
    const isFull = (await countOpenGuestOrders(tx, now, config.openGuestOrders)) >= config.openGuestOrders
    return isFull ? refuse(guestCheckoutBusy, {}, { retryAfterSeconds: 60 }) : undefined
  }
  const { count, first_ends_at } = await countPendingQuotes(tx, payerId, now)
  if (count < maxPendingQuotes) return
  const retryAfterSeconds = Math.ceil((first_ends_at!.getTime() - now.getTime()) / 1000)
  refuse(tooManyQuotes, {}, { retryAfterSeconds })
}

/**
 * The outcome for an order's money: it bought the post or paid the tip, it goes back to its senders, or it waits for more.
 * `nothing` if none had arrived.
 */
type Spent = 'sold' | 'returned' | 'waits' | 'nothing'

/** Applies the rules to an order's unspent money. The caller must hold the lock on the order. */
export async function spendArrivals(services: PaymentServices, tx: Tx, order: OrderRow): Promise<Spent> {
  const now = services.clock.now()
  const arrivals = await listUnspentArrivals(tx, order.id)
  const unspent = sumOf(arrivals.map(({ amount }) => amount))
  if (unspent === 0n) return 'nothing'
  const decision = await decideFor(services, tx, order, unspent)
  if (decision === 'wait') return 'waits'
  await markArrivalsSpent(tx, order.id, now)
  const isGuest = decision === 'buy' && order.is_guest
  const payable = isGuest ? await namePayer(services, tx, order, arrivals) : order
  const buys = decision === 'buy' && (order.kind === 'tip' || (await grantPost(tx, payable, now)))
  if (!buys) {
    // The payer has bought the post with another order in the meantime: this one is no longer needed. One that reads as
    // expired stays so, although the job that marks it has not run yet.
    if (decision === 'buy') await moveOrder(tx, order.id, stateAt(order, now) === 'expired' ? 'expire' : 'cancel', now)
    await giveBack(services, tx, order, arrivals, unspent)
    return 'returned'
  }
  await sell(services, tx, payable, arrivals, unspent)
  return 'sold'
}

/**
 * Gives a guest's order its payer, now that the money has arrived. The holder of the checkout's credential gets the account
 * of a purchase. The wallet may read too, and signs in to the account, only if it paid the whole price: otherwise a person
 * who adds a small part to a stranger's payment would get what the stranger bought. A wallet that many people share never
 * does.
 */
async function namePayer(
  { clock, config }: PaymentServices,
  tx: Tx,
  order: OrderRow,
  arrivals: readonly UnspentArrival[],
): Promise<OrderRow> {
  const { wallet, paid } = mainPayer(arrivals)
  if (order.kind === 'tip') return changePayer(tx, order.id, { payer_id: null, payer_wallet: wallet })
  const guest = (await createAccount(tx, { isAnonymous: true, now: clock.now() }))!
  const isBuyer = paid >= BigInt(order.amount_raw) && !config.nano.sharedWallets.includes(wallet)
  if (isBuyer) await addGuestWallet(tx, guest.id, { kind: 'nano', address: wallet })
  return changePayer(tx, order.id, { payer_id: guest.id, payer_wallet: isBuyer ? wallet : null })
}

/** The wallet that sent most of the money. */
function mainPayer(arrivals: readonly UnspentArrival[]): { readonly wallet: string; readonly paid: bigint } {
  const paidBy = new Map<string, bigint>()
  for (const { source, amount } of arrivals) paidBy.set(source, (paidBy.get(source) ?? 0n) + amount)
  const [wallet, paid] = [...paidBy].reduce((most, each) => (each[1] > most[1] ? each : most))
  return { wallet, paid }
}

/** Money for an account that was deleted meanwhile goes back: nobody could read what it buys. */
const decideFor = async (services: PaymentServices, tx: Tx, order: OrderRow, unspent: Amount<'XNO'>) => {
  const now = services.clock.now()
  if (await isDeleted(tx, order.payer_id)) return 'return'
  return decide(order, unspent, now, await isStillOffered(services, tx, order, now))
}

/** Whether late money can buy: a post that costs no more than the quote now. A tip has no price. */
const isStillOffered = async (services: PaymentServices, tx: Tx, order: OrderRow, now: Date): Promise<boolean> =>
  !isLate(order, now) ||
  order.kind === 'tip' ||
  (await isOfferedFor(services, tx, order.post_id, amountOf('XNO', order.amount_raw)))

async function sell(
  services: PaymentServices,
  tx: Tx,
  order: OrderRow,
  arrivals: readonly UnspentArrival[],
  unspent: Amount<'XNO'>,
): Promise<void> {
  const now = services.clock.now()
  const sold = (await moveOrder(tx, order.id, 'receive', now))!
  await markAddressPaid(tx, order.address_id, now)
  const { gross, commission, net } = storedSale('XNO', order.amount_raw, order.commission_raw)
  const kind = order.kind === 'purchase' ? 'sale' : 'tip'
  await book(tx, {
    asset: 'XNO',
    kind,
    cause: `${kind}:${order.id}`,
    orderId: order.id,
    at: now,
    entries: [
      { account: 'order', ref: order.id, amount: gross },
      { account: 'creator', ref: order.payee_id, amount: negative(net) },
      { account: 'house', ref: 'house', amount: negative(commission) },
    ],
  })
  // The creator first, the house last: blocks are sent in the order of these calls.
  const common = { orderId: order.id, arrivalHash: null, addressId: order.address_id }
  if (net > 0n)
    await owe(services, tx, {
      ...common,
      role: 'creator',
      payeeId: order.payee_id,
      destination: order.recipient,
      amount: net,
    })
  else await moveOrder(tx, order.id, 'pay', now)
  await giveBack(services, tx, order, arrivals, minus(unspent, gross))
  if (commission > 0n)
    await owe(services, tx, {
      ...common,
      role: 'house',
      payeeId: null,
      destination: await services.addresses.house(),
      amount: commission,
    })
  await recordMoney(services, tx, { kind: kind === 'sale' ? 'sale-received' : 'tip-received', order: sold })
}

/** Sends money back to its senders, the latest arrival first. */
async function giveBack(
  services: PaymentServices,
  tx: Tx,
  order: OrderRow,
  arrivals: readonly UnspentArrival[],
  amount: Amount<'XNO'>,
): Promise<void> {
  let left = amount
  for (const { hash, source, amount: whole } of arrivals.toReversed()) {
    if (left === 0n) return
    const part = smallerOf(left, whole)
    left = minus(left, part)
    const refund = await owe(services, tx, {
      role: 'refund',
      orderId: order.id,
      arrivalHash: hash,
      payeeId: order.payer_id,
      addressId: order.address_id,
      destination: source,
      amount: part,
    })
    await book(tx, {
      asset: 'XNO',
      kind: 'refund',
      cause: `refund:${hash}`,
      orderId: order.id,
      at: services.clock.now(),
      entries: [
        { account: 'order', ref: order.id, amount: part },
        { account: 'refund', ref: refund.id, amount: negative(part) },
      ],
    })
  }
}

const payload = z.object({ orderId: z.uuid() })

/** Expires an order after its hour, and an hour later sends back money that was not enough. */
export const closeOrder: Job<typeof payload> = {
  name: 'close-order',
  payload,
  attempts: 20,
  // Anyone can start orders, so many may expire at the same moment.
  concurrency: 4,
  async run(services, { orderId }) {
    const { db, clock } = services
    await db.transaction().execute(async (tx) => {
      const order = await lockOrder(tx, orderId)
      // The order may be gone: unpaid guest orders are deleted after a while.
      if (!order) return
      const now = clock.now()
      const closed = (now >= order.expires_at && (await moveOrder(tx, orderId, 'expire', now))) || order
      if ((await spendArrivals(services, tx, closed)) === 'waits') await closeLater(services, tx, closed)
    })
  },
}

export const closeKey = (orderId: string): string => `order:${orderId}`

/** Runs when the quote ends or, after that, when parts go back. */
export const closeLater = ({ clock }: Pick<PaymentServices, 'clock'>, tx: Tx, order: OrderRow): Promise<void> => {
  const runAt = clock.now() < order.expires_at ? order.expires_at : refundAt(order)
  return enqueue(tx, clock, closeOrder, { orderId: order.id }, { key: closeKey(order.id), runAt })
}
