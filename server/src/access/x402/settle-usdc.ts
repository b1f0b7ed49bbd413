import { createAccount } from '../../accounts/account-store.ts'
import { recordUsdcSale } from '../../payments/orders/record-usdc-sale.ts'
import { faultPoint } from '../../platform/fault-point.ts'
import type { PaymentProof, Settlement, Store, WrittenPayment } from '../../rails/base/payment/facilitator.ts'
import type { Hex } from '../../rails/base/rpc/chain-answers.ts'
import type { AccessServices } from '../services.ts'
import { endPayment, findPayment, lockPayment, movePayment, noteTransaction, type PaymentRow } from './payment-store.ts'
import { listTransactions, storeTransaction } from './usdc-transaction-store.ts'

/**
 * Brings a payment that is written down to its end, or says that nobody knows yet. Where a transaction was signed, the
 * chain is asked what became of it; only where none ever was is one made.
 * @param gas from the verdict of a moment ago.
 */
export async function settleUsdc(services: AccessServices, payment: PaymentRow, gas?: bigint): Promise<PaymentRow> {
  const { db, clock, base } = services
  if (!base) return payment
  faultPoint('usdc-payment-written')
  const { facilitator } = base
  const signed = await listTransactions(db, payment.id)
  // A remote facilitator's is known by its name alone.
  const named = payment.transaction
  const isSigned = named === null || signed.some(({ hash }) => hash === named)
  const transactions = isSigned ? signed : [...signed, { hash: named }]
  const seenAtBlock = payment.seen_at_block === null ? undefined : BigInt(payment.seen_at_block)
  const store: Store = (transaction) => storeTransaction(db, payment.id, transaction, clock.now())
  const settle = () => facilitator.settle(payment.proof as PaymentProof, { seenAtBlock, store, gas })
  const written: WrittenPayment = {
    payer: payment.payer,
    nonce: payment.nonce as Hex,
    payTo: payment.pay_to,
    seenAtBlock,
    transactions,
    amountAtomic: BigInt(payment.amount),
    validBefore: BigInt(payment.valid_before!),
  }
  const isFirst = signed.length === 0 && payment.state === 'settling'
  const found = isFirst ? await settle() : await facilitator.reconcile(written, store)
  return note(services, payment, found)
}

async function note(services: AccessServices, payment: PaymentRow, found: Settlement): Promise<PaymentRow> {
  const { db } = services
  if (found.kind === 'settled') return noteSettled(services, payment, found.transaction)
  if (found.kind === 'refused' && (found.isFinal || !(await isPublic(services, payment)))) {
    await movePayment(db, payment.id, 'fail', { failure: found.reason })
    if (found.isFinal) await endPayment(db, payment.id)
  } else {
    services.log.warn({ paymentId: payment.id, found }, 'nobody knows yet what became of a payment')
    if (found.kind === 'uncertain' && found.transaction) await noteTransaction(db, payment.id, found.transaction)
  }
  return (await findPayment(db, payment.id))!
}

/**
 * Whether the authorization was handed to the chain, where everybody reads it. As long as it is good anybody may use it
 * yet, so its buyer is not asked for another one.
 */
const isPublic = async ({ db }: Pick<AccessServices, 'db'>, { id }: PaymentRow): Promise<boolean> =>
  (await listTransactions(db, id)).length > 0

/** The sale and the end of the payment are one transaction, made once however many saw the money. */
async function noteSettled(services: AccessServices, { id }: PaymentRow, transaction: string): Promise<PaymentRow> {
  faultPoint('usdc-payment-mined')
  const settled = await services.db.transaction().execute(async (tx) => {
    const payment = await lockPayment(tx, id)
    if (payment.state === 'settled') return payment
    const settled_at = services.clock.now()
    // Whoever checks out without an account gets one with the purchase.
    const isGuest = payment.purpose === 'checkout' && payment.account_id === null
    const guest = isGuest ? await createAccount(tx, { isAnonymous: true, now: settled_at }) : undefined
    const account_id = guest?.id ?? payment.account_id
    const order_id = await recordUsdcSale(services, tx, {
      postId: payment.post_id,
      payeeId: payment.payee_id,
      payerId: account_id,
      payerWallet: payment.payer,
      amount: BigInt(payment.amount),
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
