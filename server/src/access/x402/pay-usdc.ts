import { randomUUID } from 'node:crypto'
import { temporarilyUnavailable } from '@pennypost/contract/errors'
import { paymentMalformed } from '@pennypost/contract/x402'
import { hasWalletBought } from '../../payments/entitlements/entitlement-store.ts'
import type { Tx } from '../../platform/database/database.ts'
import { refuse } from '../../platform/http/refuse.ts'
import { type Authorization, readAuthorization } from '../../rails/base/payment/authorization.ts'
import type { PaymentProof, Verdict } from '../../rails/base/payment/facilitator.ts'
import { NodeNonsense, NodeUnreachable } from '../../rails/nano/node/node-errors.ts'
import type { AccessServices } from '../services.ts'
import { type Buyer, type Offered, type Outcome, outcomeOf, type Refusal, refused } from './outcome.ts'
import { checkIdentifier } from './payment-identifier.ts'
import {
  addPayment,
  findAuthorizationPayment,
  findUnderWay,
  isOf,
  isQuoteSettled,
  lockBuying,
  lockQuote,
  type PaymentRow,
  quoteHashOf,
} from './payment-store.ts'
import { requirementOf } from './quote.ts'
import { settleLater } from './settle-payment.job.ts'
import { settleUsdc } from './settle-usdc.ts'

const network = 'eip155:8453'

const readUsdcPayload = (payload: unknown): Authorization => readAuthorization(payload) ?? refuse(paymentMalformed)

/** The payment that this very authorization made, if it is brought back unchanged and with its token. */
export async function recallUsdc(
  { db, config }: Pick<AccessServices, 'db' | 'config'>,
  offered: Offered,
): Promise<PaymentRow | undefined | Refusal> {
  const { from: payer, nonce } = readUsdcPayload(offered.payload)
  await checkIdentifier(db, { network, payer, nonce }, offered.identifier)
  const known = await findAuthorizationPayment(db, { asset: config.usdcAddress, payer, nonce })
  return known && !isSame(known, offered) ? { reason: 'payment_already_used' } : known
}

const isSame = (payment: PaymentRow, { quote, payload }: Offered): boolean =>
  isOf(payment, quote) && textOf((payment.proof as PaymentProof).payload.payload) === textOf(payload)

/** All that was signed, and the signature, in one spelling. */
const textOf = (payload: unknown): string =>
  JSON.stringify(readAuthorization(payload), (_, value) => (typeof value === 'bigint' ? String(value) : value))

/** Takes a new authorization: has it checked, writes it down, and only then tells the chain. */
export async function payUsdc(services: AccessServices, offered: Offered, buyer: Buyer): Promise<Outcome> {
  const { db, clock, base } = services
  const { quote, payload } = offered
  if (!base) return refused({ reason: 'rail_off' })
  if (clock.now() > quote.expiresAt) return refused({ reason: 'quote_expired' })
  const requirements = requirementOf(services, quote)
  const accepted = requirements as PaymentProof['payload']['accepted']
  const told = { x402Version: 2, payload: { ...payload }, accepted, ...buyer.listing }
  const proof: PaymentProof = { payload: told, requirements: accepted }
  const verdict = await base.facilitator.verify(proof)
  if (verdict.kind === 'invalid') return payWithoutMoney(services, offered, buyer, verdict)
  // Nothing was written and nothing was sent: the same request may simply come again.
  if (verdict.kind === 'unavailable') return refuse(temporarilyUnavailable, {}, { retryAfterSeconds: 2 })
  const opened = await db.transaction().execute((tx) => open(services, tx, offered, proof, verdict, buyer))
  if ('reason' in opened) return refused(opened)
  if ('payment' in opened) return outcomeOf(await settleUsdc(services, opened.payment, verdict.gas))
  return payAfter(services, opened.earlier, offered, buyer, verdict.payer)
}

/** The wallet pays or has paid for the Post already: what it signed now is not sent. */
async function payAfter(
  services: AccessServices,
  known: Earlier,
  offered: Offered,
  buyer: Buyer,
  payer: string,
): Promise<Outcome> {
  if (known === 'settled') return { kind: 'owned', wallet: { network, address: payer } }
  // Signed again while the first is under way, as a client does that is started anew: the first one's end decides.
  const earlier = await settleUsdc(services, known)
  if (earlier.state === 'settling') return { kind: 'pending', payment: earlier }
  return payUsdc(services, offered, buyer)
}

/** Whoever has spent all on the Post, and signs for it once more, is not told to pay again. */
async function payWithoutMoney(
  services: AccessServices,
  offered: Offered,
  buyer: Buyer,
  { reason }: Refusal,
): Promise<Outcome> {
  const { db, config, base } = services
  const authorization = readUsdcPayload(offered.payload)
  if (!base?.chain || !/insufficient/.test(reason)) return refused({ reason })
  const { from: payer } = authorization
  const buying = { network, asset: config.usdcAddress, payer, post_id: offered.quote.postId } as const
  const known = await db.transaction().execute((tx) => findEarlier(tx, buying))
  if (!known) return refused({ reason })
  // Loaded with the first payment: it brings the largest of our libraries.
  const { isSignedByPayer } = await import('../../rails/base/payment/signed-by-payer.ts')
  const isSigned = await isSignedByPayer(authorization, base.token, base.chain).catch(chainIsAway)
  return isSigned ? payAfter(services, known, offered, buyer, payer) : refused({ reason })
}

/** Nothing was written and nothing was sent: the same request may simply come again. */
function chainIsAway(error: unknown): never {
  if (![NodeUnreachable, NodeNonsense].some((kind) => error instanceof kind)) throw error
  return refuse(temporarilyUnavailable, {}, { retryAfterSeconds: 2 })
}

/** What a new proof meets: it is written down, it is of no use, or its wallet pays or has paid for the Post already. */
type Opened = { readonly payment: PaymentRow } | Refusal | { readonly earlier: Earlier }
type Earlier = 'settled' | PaymentRow

async function open(
  services: AccessServices,
  tx: Tx,
  offered: Offered,
  proof: PaymentProof,
  { payer, nonce, validBefore, seenAtBlock }: Extract<Verdict, { kind: 'valid' }>,
  buyer: Buyer,
): Promise<Opened> {
  const { quote } = offered
  const asset = services.config.usdcAddress
  await lockQuote(tx, quote.token)
  const known = await findAuthorizationPayment(tx, { asset, payer, nonce })
  if (known) return isSame(known, offered) ? { payment: known } : { reason: 'payment_already_used' }
  if (await isQuoteSettled(tx, quote.token)) return { reason: 'quote_already_used' }
  const buying = { network, asset, payer, post_id: quote.postId } as const
  const earlier = await findEarlier(tx, buying)
  if (earlier) return { earlier }
  const payment = await addPayment(tx, {
    id: randomUUID(),
    purpose: quote.purpose,
    ...buying,
    nonce,
    payee_id: buyer.payeeId,
    previous: null,
    amount: String(quote.amount),
    pay_to: quote.payTo,
    proof,
    identifier: offered.identifier ?? null,
    quote_hash: quoteHashOf(quote.token),
    valid_before: String(validBefore),
    seen_at_block: seenAtBlock === undefined ? null : String(seenAtBlock),
    checkout_id: buyer.checkoutId ?? null,
    account_id: buyer.accountId ?? null,
    order_id: null,
    created_at: services.clock.now(),
  })
  if (!payment) return { reason: 'another_payment_is_under_way' }
  await settleLater(services, tx, payment)
  return { payment }
}

/** How this wallet came to have the Post, or may come to have it. Nobody else of it begins to pay until the transaction ends. */
async function findEarlier(
  tx: Tx,
  buying: Pick<PaymentRow, 'network' | 'asset' | 'payer' | 'post_id'>,
): Promise<Earlier | undefined> {
  await lockBuying(tx, buying)
  // In this order: one that is settled in between is found by the second look.
  const underWay = await findUnderWay(tx, buying)
  if (underWay) return underWay
  return (await hasWalletBought(tx, { network, address: buying.payer }, buying.post_id)) ? 'settled' : undefined
}
