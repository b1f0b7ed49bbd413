import { type Asset, amountOf, unitsOf } from '../amounts.ts'
import type { Caller } from '../caller.ts'
import { PaymentUncertainError, PennypostError, secondsOf } from '../errors.ts'
import type { PaymentRequired, PaymentRequirements } from '../generated/types.ts'
import type { AnyInput } from '../http/prepare-request.ts'
import { pause } from '../http/send.ts'
import type { CallOptions, Reply } from '../operation.ts'
import { readJson, type Store, withLock } from '../store.ts'
import { PaymentRecords, type SavedPayment } from './payment-records.ts'
import { jwsOf, type ReceiptSource, type VerifiedReceipt, verifyReceipt } from './receipt.ts'
import { jsonOfHeader, offerIn, payerOf, signPayment } from './sign-payment.ts'
import type { Signers } from './signers.ts'
import type { SpendingGuard } from './spending-limit.ts'

/** The operation to pay for. It replies with 402. */
export interface Payable {
  /** Names the payment in the store. The same key means the same payment. */
  readonly key: string
  readonly operation: 'getAccess' | 'tipThroughX402' | 'tipCommentThroughX402'
  readonly input: AnyInput
}

export interface PayOptions extends CallOptions {
  /** The currency to pay in. Default: USDC if there is a signer for it and the offer is within the limits, else Nano. */
  asset?: Asset | undefined
  /** The most to pay, in whole coins, such as `{ USDC: '0.25' }`. Applies together with the client's `spendingLimit`. */
  maxPrice?: Partial<Record<Asset, string>> | undefined
  /** How long to wait for the outcome of a payment before it is reported as uncertain. Default: 60. The last request may take five more. */
  waitSeconds?: number | undefined
}

/** A payment that went through. */
export interface Payment {
  readonly asset: Asset
  /** In whole coins. */
  readonly amount: string
  readonly network: string
  readonly payer: string
  /** The Nano block or the transaction on Base. */
  readonly transaction: string
  /** The receipt that the service signed, or undefined if it sent no receipt. */
  readonly receipt: VerifiedReceipt | undefined
  readonly signedAt: string
  /** Whether this call signed it. Otherwise an earlier one did, and nothing more was paid. */
  readonly isNew: boolean
}

export interface PaidReply {
  readonly body: unknown
  /** Undefined if nothing had to be paid. */
  readonly payment: Payment | undefined
}

interface PaymentResponse extends ReceiptSource {
  readonly success: boolean
  readonly transaction?: string
  readonly errorReason?: string
}

export interface PayerParts {
  readonly baseUrl: string
  readonly caller: Caller
  readonly store: Store
  readonly signers: Signers
  readonly spending: SpendingGuard
  readonly usdcAddress: string
}

const defaultWaitSeconds = 60
// Between two looks at a payment that is not final, whatever the service asks for.
const [minPauseSeconds, defaultPauseSeconds, maxPauseSeconds] = [0.25, 2, 10]
// A payment that was signed is sent, however little time is left.
const minCallMs = 5_000

/**
 * Pays 402 replies. The order of steps is what keeps money safe: count it against the limit, sign, save the signed
 * payment, and only then send it. Every further attempt, also after a restart, sends the same bytes.
 */
export class Payer {
  readonly records: PaymentRecords
  readonly #parts: PayerParts

  constructor(parts: PayerParts) {
    this.#parts = parts
    this.records = new PaymentRecords(parts.store)
  }

  /** Pays what the operation costs, unless the caller has it already, and returns its reply. */
  pay(payable: Payable, options: PayOptions = {}): Promise<PaidReply> {
    return withLock(this.#parts.store, `payment ${payable.key}`, async () => {
      const saved = await this.records.find(payable.key)
      if (saved && saved.state !== 'unneeded') return this.#finish(saved, options)
      const reply = await this.#call(payable, undefined, options)
      if (reply.status !== 402) return { body: reply.body, payment: undefined }
      const { asset, offer } = this.#choose(offersOf(payable, reply.body), options)
      const payOffer = async () => this.#finish(await this.#sign(payable, asset, offer), options, true)
      // Two blocks signed for the same position of an account exclude each other, so a Nano account pays one at a time.
      return asset === 'XNO'
        ? withLock(this.#parts.store, `nano ${this.#parts.signers.nano!.address}`, payOffer)
        : payOffer()
    })
  }

  /** Finds out what became of a saved payment, by sending it again. */
  resume(key: string, options: PayOptions = {}): Promise<PaidReply> {
    return withLock(this.#parts.store, `payment ${key}`, async () => {
      const saved = await this.records.find(key)
      if (!saved) throw new PennypostError({ code: 'payment-not-found', detail: `No payment is saved as ${key}.` })
      return this.#finish(saved, options)
    })
  }

  async #sign(payable: Payable, asset: Asset, offer: PaymentRequirements): Promise<SavedPayment> {
    const { signers, spending } = this.#parts
    const reservation = await spending.reserve(asset, offer.amount)
    try {
      const header = await signPayment(asset, offer, signers).catch(signerFailed)
      const saved: SavedPayment = {
        ...payable,
        header,
        asset,
        units: offer.amount,
        network: offer.network,
        payer: payerOf(asset, signers)!,
        state: 'sent',
        signedAt: new Date().toISOString(),
      }
      await this.records.save(saved)
      return saved
    } catch (error) {
      // Nothing was sent, and what was signed is forgotten with this call.
      await spending.release(reservation)
      throw error
    }
  }

  #choose(accepts: readonly PaymentRequirements[], { asset: wanted, maxPrice }: PayOptions) {
    const { signers, spending, usdcAddress } = this.#parts
    const objections: string[] = []
    let isOverLimit = false
    for (const asset of wanted ? [wanted] : (['USDC', 'XNO'] as const)) {
      const offer = offerIn(asset, accepts, usdcAddress)
      if (!offer) objections.push(`It is not sold for ${asset}.`)
      else if (payerOf(asset, signers) === undefined) objections.push(`There is no signer for ${asset}.`)
      else {
        const objection = spending.objection(asset, offer.amount) ?? overMaxPrice(asset, offer.amount, maxPrice)
        if (objection === undefined) return { asset, offer }
        isOverLimit = true
        objections.push(objection)
      }
    }
    throw new PennypostError({ code: isOverLimit ? 'spending-limit' : 'no-way-to-pay', detail: objections.join(' ') })
  }

  /** Sends the saved payment until its outcome is known, or the time is over. */
  async #finish(saved: SavedPayment, options: PayOptions, isNew = false): Promise<PaidReply> {
    const until = Date.now() + (options.waitSeconds ?? defaultWaitSeconds) * 1000
    for (;;) {
      const deadline = AbortSignal.timeout(Math.max(until - Date.now(), minCallMs))
      const signal = options.signal ? AbortSignal.any([options.signal, deadline]) : deadline
      const reply = await this.#call(saved, saved.header, { ...options, signal }).catch((error: unknown) => error)
      if (options.signal?.aborted) throw this.#uncertain(saved, 'The wait was ended.', reply)
      if (!isReply(reply)) {
        if (reply === deadline.reason) throw this.#uncertain(saved, 'The service did not reply in time.', reply)
        if (isUnreadable(reply)) await this.records.forget(saved.key)
        if (!isTemporary(reply)) throw reply
        if (Date.now() > until) throw this.#uncertain(saved, 'The service could not be reached.', reply)
        await pause(2_000, options.signal).catch(() => {})
        continue
      }
      const response = jsonOfHeader<PaymentResponse>(reply.headers.get('payment-response'))
      if (reply.status !== 402 && isUnneeded(saved, response)) {
        await this.records.finish({ ...saved, state: 'unneeded' })
        return { body: reply.body, payment: undefined }
      }
      if (reply.status !== 402) return this.#paid(saved, reply, response, isNew)
      const reason = response?.errorReason ?? (reply.body as Partial<PaymentRequired> | undefined)?.error
      if (reason !== 'settlement_pending') return this.#refused(saved, String(reason ?? 'it gave no reason'))
      if (Date.now() > until) throw this.#uncertain(saved, 'The payment is not final yet.', undefined)
      const seconds = secondsOf(reply.headers.get('retry-after')) ?? defaultPauseSeconds
      await pause(Math.min(Math.max(seconds, minPauseSeconds), maxPauseSeconds) * 1000, options.signal).catch(() => {})
    }
  }

  async #paid(
    saved: SavedPayment,
    reply: Reply<number, unknown>,
    response: PaymentResponse | undefined,
    isNew: boolean,
  ) {
    if (saved.state !== 'paid') await this.records.finish({ ...saved, state: 'paid' })
    const { asset, units, network, payer, signedAt } = saved
    const transaction = response?.transaction ?? ''
    const jws = jwsOf(response)
    // The post is here and the money is gone, so a key that cannot be loaded now must not fail the call.
    const receipt =
      jws === undefined
        ? undefined
        : await verifyReceipt(jws, this.#parts, { payer, transaction }).catch(() => undefined)
    return {
      body: reply.body,
      payment: { asset, amount: amountOf(asset, units), network, payer, transaction, receipt, signedAt, isNew },
    }
  }

  async #refused(saved: SavedPayment, reason: string): Promise<never> {
    // It opened the resource before, so it is not thrown away.
    if (saved.state !== 'paid') await this.records.forget(saved.key)
    const detail = `The service did not take the payment: ${reason}. You were not charged.`
    throw new PennypostError({
      operation: saved.operation,
      status: 402,
      code: 'payment-refused',
      detail,
      details: { reason },
    })
  }

  #uncertain({ key, operation }: SavedPayment, why: string, cause: unknown): PaymentUncertainError {
    const detail = `${why} The payment may have gone through. Call the same method again, and do not pay in another way.`
    return new PaymentUncertainError({ paymentKey: key, operation, detail, cause })
  }

  #call({ operation, input }: Payable, header: string | undefined, { signal, token }: PayOptions) {
    const headers = { ...input.headers, 'payment-signature': header }
    return this.#parts.caller.call(operation, { ...input, headers }, { signal, token })
  }

  /** The saved payment that opens a resource, if it was paid. */
  async proofOf(key: string): Promise<string | undefined> {
    const saved = await readJson<SavedPayment>(this.#parts.store, key)
    return saved?.state === 'paid' ? saved.header : undefined
  }
}

/** The offers of a 402 reply. The reply is checked strictly, because this is about money. */
function offersOf({ operation }: Payable, body: unknown): readonly PaymentRequirements[] {
  const { accepts } = (body ?? {}) as Partial<PaymentRequired>
  if (Array.isArray(accepts)) return accepts
  const detail = 'The service wants a payment, but does not say how much and to whom.'
  throw new PennypostError({ operation, status: 402, code: 'invalid-reply', detail })
}

function signerFailed(cause: unknown): never {
  if (cause instanceof PennypostError) throw cause
  const detail = `Nothing was paid, because the signer failed: ${cause instanceof Error ? cause.message : String(cause)}`
  throw new PennypostError({ code: 'signer-failed', detail, cause })
}

function overMaxPrice(asset: Asset, units: string, maxPrice: PayOptions['maxPrice']): string | undefined {
  if (maxPrice === undefined) return undefined
  const most = maxPrice[asset]
  if (most === undefined) return `\`maxPrice\` does not name ${asset}.`
  if (BigInt(units) <= BigInt(unitsOf(asset, most))) return undefined
  return `It costs ${amountOf(asset, units)} ${asset}, more than ${most} ${asset}.`
}

const isReply = (value: unknown): value is Reply<number, unknown> =>
  typeof value === 'object' && value !== null && 'headers' in value && 'status' in value && !(value instanceof Error)

/**
 * The service showed the post and took nothing: the wallet bought it before, with another store. The payment opens the post
 * only as long as its offer is valid, so it is not kept as a proof.
 */
const isUnneeded = ({ operation, state }: SavedPayment, response: PaymentResponse | undefined): boolean =>
  operation === 'getAccess' && state !== 'paid' && response?.success !== true

/** The service refused to look at the payment, so it took nothing. */
const isUnreadable = (error: unknown): boolean =>
  error instanceof PennypostError && /^(payment-malformed|payment-identifier-conflict)$/.test(error.code)

const isTemporary = (error: unknown): boolean =>
  error instanceof PennypostError && (error.status === 0 || error.status === 429 || error.status >= 500)
