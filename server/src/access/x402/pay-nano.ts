import { randomUUID } from 'node:crypto'
import { temporarilyUnavailable } from '@pennypost/contract/errors'
import { paymentMalformed } from '@pennypost/contract/x402'
import { nanoAddress, parseNanoAddress } from '@pennypost/nano/address'
import { hasWalletBought } from '../../payments/entitlements/entitlement-store.ts'
import { openOrder } from '../../payments/orders/open-order.ts'
import { leastRaw, quoteMs } from '../../payments/orders/order-rules.ts'
import { changePayer, findOrderOfAddress } from '../../payments/orders/order-store.ts'
import type { Tx } from '../../platform/database/database.ts'
import { refuse } from '../../platform/http/refuse.ts'
import { allocateAddress } from '../../rails/nano/custody/allocate-address.ts'
import { findAddressByText } from '../../rails/nano/custody/custody-store.ts'
import { NodeNonsense, NodeRefusal, NodeUnreachable } from '../../rails/nano/node/node-errors.ts'
import type { AccessServices } from '../services.ts'
import { checkNanoProof, type NanoProof, readNanoProof } from './nano-proof.ts'
import { type Buyer, type Offered, type Outcome, outcomeOf, type Refusal, refused } from './outcome.ts'
import { checkIdentifier } from './payment-identifier.ts'
import { NanoPayload } from './payment-signature.ts'
import {
  addPayment,
  findBlockPayment,
  findUnderWay,
  isOf,
  lockBuying,
  lockQuote,
  type PaymentRow,
  quoteHashOf,
} from './payment-store.ts'
import type { Quote } from './quote.ts'
import { settleNano } from './settle-nano.ts'
import { settleLater } from './settle-payment.job.ts'

const network = 'nano:mainnet'

const readNanoPayload = (payload: unknown): NanoPayload =>
  NanoPayload.safeParse(payload).data ?? refuse(paymentMalformed)

/** The payment that this very proof made, if it is brought back with the token it was made under. */
export async function recallNano(
  { db }: Pick<AccessServices, 'db'>,
  { quote, payload, identifier }: Offered,
): Promise<PaymentRow | undefined | Refusal> {
  const given = readNanoPayload(payload)
  const read = readNanoProof(given, quote)
  if ('reason' in read) return read
  if ('block' in given) {
    const payer = nanoAddress(parseNanoAddress(given.block.account)!)
    await checkIdentifier(db, { network, payer, nonce: read.hash }, identifier)
  }
  const known = await findBlockPayment(db, read.hash)
  return known && !isOf(known, quote) ? { reason: 'payment_already_used' } : known
}

// Money that is on the chain already may be shown a while later. A price is not kept for ever: after that it goes back.
const graceMs = 3_600_000

/** Takes a new proof: checks it, writes it down, and only then tells the network. */
export async function payNano(
  services: AccessServices,
  offered: Offered,
  buyer: Buyer,
  wanted: 'whatever is shown' | 'only what was sent' = 'whatever is shown',
): Promise<Outcome> {
  const { db, clock } = services
  const { quote, payload } = offered
  const checked = await checkNanoProof(services, readNanoPayload(payload), quote).catch(nodeIsAway)
  if ('reason' in checked) {
    if (checked.isStray) await takeBackLater(services, quote)
    return refused(checked)
  }
  const { proof } = checked
  if (wanted === 'only what was sent' && !proof.isPublished) return refused({ reason: 'payment_not_needed' })
  const owned = async (): Promise<Outcome> => {
    if (proof.isPublished) await takeBackLater(services, quote)
    return { kind: 'owned', wallet: { network, address: proof.payer } }
  }
  if (quote.purpose === 'access' && (await hasWalletBought(db, { network, address: proof.payer }, quote.postId)))
    return owned()
  const lateMs = clock.now().getTime() - quote.expiresAt.getTime()
  if (lateMs > (proof.isPublished ? graceMs : 0)) {
    if (proof.isPublished) await takeBackLater(services, quote)
    return refused({ reason: 'quote_expired' })
  }
  await checkIdentifier(db, { network, payer: proof.payer, nonce: proof.hash }, offered.identifier)
  try {
    const opened = await db.transaction().execute((tx) => open(services, tx, offered, proof, buyer))
    if ('payment' in opened) return outcomeOf(await settleNano(services, opened.payment))
    if (opened.earlier === 'settled') return owned()
    // Signed again while the first is under way, as a client does that is started anew: the first one's end decides.
    const earlier = await settleNano(services, opened.earlier)
    if (earlier.state === 'settling') return { kind: 'pending', payment: earlier }
  } catch (error) {
    if (error instanceof NotOpened) return refused(error)
    throw error
  }
  return payNano(services, offered, buyer, wanted)
}

/** Thrown, so that nothing stays of what was begun: an order without its payment would take the money and sell nothing. */
class NotOpened extends Error {
  override name = 'NotOpened'
  readonly reason: string
  constructor(reason: string) {
    super(reason)
    this.reason = reason
  }
}

/** Sends back what a payment has brought to its quote's address, and only what the chain shows to be there. */
export async function declineNano(services: AccessServices, { quote, payload }: Offered): Promise<void> {
  const checked = await checkNanoProof(services, readNanoPayload(payload), quote).catch(nodeIsAway)
  if ('reason' in checked ? checked.isStray : checked.proof.isPublished) await takeBackLater(services, quote)
}

async function open(
  services: AccessServices,
  tx: Tx,
  { quote, identifier = null }: { quote: Quote; identifier?: string | null | undefined },
  proof: NanoProof,
  buyer: Buyer,
): Promise<{ readonly payment: PaymentRow } | { readonly earlier: 'settled' | PaymentRow }> {
  await lockQuote(tx, quote.token)
  const known = await findBlockPayment(tx, proof.hash)
  if (known && !isOf(known, quote)) throw new NotOpened('payment_already_used')
  if (known) return { payment: known }
  const buying = { network, asset: 'XNO', payer: proof.payer, post_id: quote.postId } as const
  if (quote.purpose !== 'tip') {
    await lockBuying(tx, buying)
    // In this order: one that is settled in between is found by the second look.
    const underWay = await findUnderWay(tx, buying)
    if (underWay) return { earlier: underWay }
    if (await hasWalletBought(tx, { network, address: proof.payer }, quote.postId)) return { earlier: 'settled' }
  }
  const orderId = await orderFor(services, tx, quote, proof.payer, buyer)
  // What is on the chain has its place there: it rivals nothing that waits for the same one.
  const previous = proof.isPublished ? null : proof.previous
  const payment = await addPayment(tx, {
    id: randomUUID(),
    purpose: quote.purpose,
    ...buying,
    payee_id: buyer.payeeId,
    nonce: proof.hash,
    previous,
    amount: String(quote.amount),
    pay_to: quote.payTo,
    quote_hash: quoteHashOf(quote.token),
    proof: { block: proof.block },
    identifier,
    valid_before: null,
    seen_at_block: null,
    checkout_id: null,
    account_id: buyer.accountId ?? null,
    order_id: orderId,
    created_at: services.clock.now(),
  })
  if (!payment) throw new NotOpened('another_payment_is_under_way')
  await settleLater(services, tx, payment)
  return { payment }
}

/** The order of the quote's address: a new one, or the one that an earlier proof left unpaid. */
async function orderFor(
  services: AccessServices,
  tx: Tx,
  quote: Quote,
  payerWallet: string,
  { accountId, payeeId }: Buyer,
): Promise<string> {
  const address = await findAddressByText(tx, quote.payTo)
  if (address) {
    const order = await findOrderOfAddress(tx, address.id)
    // Money that could not buy came there before. All is sent back from there, perhaps this payment already.
    if (!order) throw new NotOpened('quote_returns_its_money')
    if (order.state === 'received' || order.state === 'paid') throw new NotOpened('quote_already_used')
    await changePayer(tx, order.id, { payer_id: accountId ?? null, payer_wallet: payerWallet })
    return order.id
  }
  const { amount, derivation, postId } = quote
  return openOrder(services, tx, {
    kind: quote.purpose === 'tip' ? 'tip' : 'purchase',
    payerId: accountId ?? null,
    payeeId,
    postId,
    commentId: null,
    message: null,
    amount,
    recipient: quote.recipient!,
    commission: (amount * BigInt(quote.commissionBps)) / 10_000n,
    x402: { payerWallet, derivation },
  })
}

/** Money came to a quote's address that cannot buy: from now on the address is ours to watch, and returns it. */
async function takeBackLater(services: AccessServices, { token, payTo, derivation, amount }: Quote): Promise<void> {
  await services.db.transaction().execute(async (tx) => {
    await lockQuote(tx, token)
    if (await findAddressByText(tx, payTo)) return
    const expiresAt = new Date(services.clock.now().getTime() + quoteMs)
    await allocateAddress(services, tx, { purpose: 'x402-stray', leastRaw: leastRaw(amount), expiresAt, derivation })
  })
}

/** Nothing was written and nothing was sent: the same request may simply come again. */
function nodeIsAway(error: unknown): never {
  if (![NodeUnreachable, NodeNonsense, NodeRefusal].some((kind) => error instanceof kind)) throw error
  return refuse(temporarilyUnavailable, {}, { retryAfterSeconds: 2 })
}
