import { randomUUID } from 'node:crypto'
import { type Amount, type Asset, amountOf, networkOf } from '@pennypost/contract/money'
import { z } from 'zod'
import { createAccount } from '../../accounts/account-store.ts'
import { addGuestWallet } from '../../accounts/wallets/wallet-store.ts'
import type { Tx } from '../../platform/database/database.ts'
import { faultPoint } from '../../platform/fault-point.ts'
import { enqueue } from '../../platform/jobs/job.ts'
import { lockPostFigures } from '../../posts/post-figures.ts'
import { isNodeError } from '../../rails/node-errors.ts'
import { railsByNetwork } from '../../rails/rails.ts'
import type { Arrival, Settlement, WrittenPayment } from '../../rails/settlement.ts'
import { type EntitlementSource, grant } from '../entitlements/entitlement-store.ts'
import { book, negative, recordMoney } from '../ledger/ledger.ts'
import { addPaidOrder, type OrderKind } from '../orders/order-store.ts'
import { receiveArrival } from '../receive-arrivals.ts'
import { journalTransaction } from '../recovery/journal-record.ts'
import type { Job, PaymentServices } from '../services.ts'
import { noteGas } from './gas-guard.ts'
import {
  endPayment,
  findPayment,
  listTransactions,
  lockPayment,
  movePayment,
  noteTransaction,
  type PaymentRow,
  storeTransaction,
} from './payment-store.ts'

const payload = z.object({ paymentId: z.uuid() })

const firstCheckMs = 5_000
const longestPauseMs = 300_000
/** A recovered payment that no node ever shows is checked forever, so the pause between its checks may grow to a day. */
const longestRecoveredPauseMs = 86_400_000
const marginSeconds = 60

/** Tries a payment again whose outcome is uncertain, or whose process died, until it is settled or never will be. */
export const settlePayment: Job<typeof payload> = {
  name: 'settle-x402-payment',
  payload,
  queue: ({ paymentId }) => `x402:${paymentId}`,
  attempts: 20,
  concurrency: 2,
  async run(services, { paymentId }) {
    const payment = (await findPayment(services.db, paymentId))!
    if (isOver(services, payment)) return
    const current = await settle(services, payment)
    if (!isOver(services, current)) await services.db.transaction().execute((tx) => settleLater(services, tx, payment))
  },
}

/** The failure of a recovered payment whose outcome has not been read from the chain yet. */
export const unknownAfterRestore = 'not_known_after_restore'

/** An authorization that we gave up can still be used by anyone who saw it, until it is void or has expired. */
function isOver(
  { clock }: Pick<PaymentServices, 'clock'>,
  { state, failure, is_final, valid_before }: PaymentRow,
): boolean {
  if (state !== 'failed') return state === 'settled'
  // It may have expired long before the recovery, and have been paid before that.
  if (failure === unknownAfterRestore) return is_final
  return is_final || valid_before === null || clock.now().getTime() / 1000 > Number(valid_before) + marginSeconds
}

/** Schedules the next check: soon at first, then less and less often. */
export function settleLater({ clock }: Pick<PaymentServices, 'clock'>, tx: Tx, payment: PaymentRow): Promise<void> {
  const now = clock.now().getTime()
  const longestMs = payment.failure === unknownAfterRestore ? longestRecoveredPauseMs : longestPauseMs
  const pauseMs = Math.min(longestMs, firstCheckMs + (now - payment.created_at.getTime()) / 4)
  const runAt = new Date(now + pauseMs)
  return enqueue(tx, clock, settlePayment, { paymentId: payment.id }, { key: `x402:${payment.id}`, runAt })
}

/**
 * Settles a stored payment, or finds that its outcome is not known yet. If a transaction was signed before, the chain is
 * asked for its outcome; a new one is signed only if there was none. An uncertain payment has not failed: call this again.
 * @param gas from a check made just before.
 */
export async function settle(services: PaymentServices, payment: PaymentRow, gas?: bigint): Promise<PaymentRow> {
  faultPoint('x402-payment-written')
  const rail = railsByNetwork[payment.network]
  const written = await writtenPayment(services, payment, gas)
  const isFirstTry = written.transactions.every(({ raw }) => raw === undefined) && payment.state === 'settling'
  const found = isFirstTry ? await rail.settle(services, written) : await rail.reconcile(services, written)
  await noteGas(services, payment, found)
  if (found.kind === 'settled') return noteSettled(services, payment, found.transaction)
  // The arrival's order decides what the money buys, and settles or fails the payment with it.
  if (found.kind === 'arrived') await receiveListed(services, found.arrivals)
  else await noteUnsettled(services, payment, found)
  return (await findPayment(services.db, payment.id))!
}

async function writtenPayment(
  { db, clock, journal }: Pick<PaymentServices, 'db' | 'clock' | 'journal'>,
  payment: PaymentRow,
  gas: bigint | undefined,
): Promise<WrittenPayment<Asset>> {
  const signed = await listTransactions(db, payment.id)
  // A remote facilitator's transaction is known by its hash alone.
  const named = payment.transaction
  const isSigned = named === null || signed.some(({ hash }) => hash === named)
  const { valid_before: validBefore, seen_at_block: seenAtBlock } = payment
  return {
    payer: payment.payer,
    nonce: payment.nonce,
    payTo: payment.pay_to,
    amount: amountOf(railsByNetwork[payment.network].asset, payment.amount),
    proof: payment.proof,
    previous: payment.previous,
    validBefore: validBefore === null ? null : BigInt(validBefore),
    seenAtBlock: seenAtBlock === null ? undefined : BigInt(seenAtBlock),
    gas,
    transactions: isSigned ? signed : [...signed, { hash: named }],
    async store(transaction) {
      const outcome = await storeTransaction(db, payment.id, transaction, clock.now())
      if (outcome === 'stored') await journalTransaction({ db, journal }, payment.id, transaction)
      return outcome
    },
  }
}

/** Without a node nothing is received now. The next check finds it. */
async function receiveListed(services: PaymentServices, arrivals: readonly Arrival[]): Promise<void> {
  try {
    for (const arrival of arrivals) await receiveArrival(services, arrival)
  } catch (error) {
    if (!isNodeError(error)) throw error
    services.log.warn({ cause: error.message }, 'an x402 payment arrived and could not be confirmed yet')
  }
}

async function noteUnsettled(
  { db, log }: PaymentServices,
  { id }: PaymentRow,
  found: Extract<Settlement, { kind: 'refused' | 'uncertain' }>,
): Promise<void> {
  // An authorization that was broadcast can be read and used by anyone while it is valid, so its buyer is not
  // asked for another one.
  const isPublic = async () => (await listTransactions(db, id)).length > 0
  if (found.kind === 'refused' && (found.isFinal || !(await isPublic()))) {
    await movePayment(db, id, 'fail', { failure: found.reason })
    if (found.isFinal) await endPayment(db, id)
    return
  }
  log.warn({ paymentId: id, found }, 'the outcome of an x402 payment is not known yet')
  if (found.kind === 'uncertain' && found.transaction) await noteTransaction(db, id, found.transaction)
}

/** Records the sale and the end of the payment in one transaction, once, however many processes saw the money. */
async function noteSettled(services: PaymentServices, { id }: PaymentRow, transaction: string): Promise<PaymentRow> {
  faultPoint('usdc-payment-mined')
  const settled = await services.db.transaction().execute(async (tx) => {
    const payment = await lockPayment(tx, id)
    if (payment.state === 'settled') return payment
    const settled_at = services.clock.now()
    const { asset, walletKind } = railsByNetwork[payment.network]
    // A buyer who checks out without an account gets one with the purchase.
    const isGuest = payment.purpose === 'checkout' && payment.account_id === null
    const guest = isGuest ? await createAccount(tx, { isAnonymous: true, now: settled_at }) : undefined
    if (guest) await addGuestWallet(tx, guest.id, { kind: walletKind, address: payment.payer })
    const account_id = guest?.id ?? payment.account_id
    const order_id = await recordDirectSale(services, tx, {
      asset,
      kind: payment.purpose === 'tip' ? 'tip' : 'purchase',
      postId: payment.post_id,
      commentId: payment.comment_id,
      payeeId: payment.payee_id,
      payerId: account_id,
      payerWallet: payment.payer,
      isGuest,
      amount: amountOf(asset, payment.amount),
      recipient: payment.pay_to,
      transaction,
      source: payment.purpose === 'checkout' ? 'checkout' : 'x402',
    })
    const moved = (await movePayment(tx, id, 'settle', { settled_at, order_id, account_id, transaction }))!
    faultPoint('usdc-sale-uncommitted')
    return moved
  })
  faultPoint('usdc-sale-committed')
  return settled
}

interface DirectSale<A extends Asset> {
  readonly asset: A
  readonly kind: OrderKind
  readonly postId: string
  /** Null for a tip to the post itself. */
  readonly commentId: string | null
  readonly payeeId: string
  readonly payerId: string | null
  readonly payerWallet: string
  /** The payer's account was made with the sale. */
  readonly isGuest?: boolean
  readonly amount: Amount<A>
  /** The creator's own address: the money was never ours. */
  readonly recipient: string
  readonly transaction: string
  readonly source: Exclude<EntitlementSource, 'purchase'>
}

/**
 * Records a sale or tip whose money went straight to the creator and is final on the chain: the order, paid from the
 * start, what it entitles to, the ledger and the figures. Returns the order's id.
 */
export async function recordDirectSale<A extends Asset>(
  services: Pick<PaymentServices, 'clock' | 'moneyCounters'>,
  tx: Tx,
  sale: DirectSale<A>,
): Promise<string> {
  const { asset, kind, postId, commentId, payeeId, payerId, payerWallet, amount, recipient, transaction, source } = sale
  const isTip = kind === 'tip'
  const at = services.clock.now()
  // A post's figures are locked before anything that refers to the post, here and wherever they are counted.
  await lockPostFigures(tx, postId)
  const order = await addPaidOrder(tx, {
    id: randomUUID(),
    kind,
    asset,
    payer_id: payerId,
    payer_wallet: payerWallet,
    is_guest: sale.isGuest ?? false,
    payee_id: payeeId,
    post_id: postId,
    comment_id: commentId,
    message: null,
    recipient,
    transaction,
    amount_raw: String(amount),
    commission_raw: '0',
    received_raw: String(amount),
    address_id: null,
    created_at: at,
    expires_at: at,
    received_at: at,
    paid_at: at,
  })
  if (!isTip) {
    // A buyer who has the post already keeps it. The second payment is the creator's, who may give it back.
    const wallet = { network: networkOf[asset], address: payerWallet }
    await grant(tx, at, { postId, accountId: payerId, wallet: null, source, orderId: order.id })
    await grant(tx, at, { postId, accountId: null, wallet, source, orderId: null })
  }
  const shared = { asset, orderId: order.id, at }
  await book(tx, {
    ...shared,
    kind: isTip ? 'tip' : 'sale',
    cause: `${isTip ? 'tip' : 'sale'}:${order.id}`,
    entries: [
      { account: 'outside', ref: payerWallet, amount },
      { account: 'creator', ref: payeeId, amount: negative(amount) },
    ],
  })
  await book(tx, {
    ...shared,
    kind: 'payout',
    cause: `payout:${order.id}`,
    entries: [
      { account: 'creator', ref: payeeId, amount },
      { account: 'outside', ref: recipient, amount: negative(amount) },
    ],
  })
  await recordMoney(services, tx, { kind: isTip ? 'tip-received' : 'sale-received', order })
  return order.id
}
