import { type Asset, unitsOf } from '../amounts.ts'
import type { Context } from '../context.ts'
import { type FollowOptions, followOrder, untilPaid } from '../follow-order.ts'
import type { TipPostReply, TipThroughX402Reply } from '../generated/operations.ts'
import type { Tip } from '../generated/types.ts'
import type { CallOptions } from '../operation.ts'
import { type OrderKeys, orderKeysIn } from '../order-keys.ts'
import type { Payment, PayOptions } from '../payments/payer.ts'

/** The target of a tip: a post or a comment. */
export type TipTarget = { readonly postId: string } | { readonly commentId: string }

export interface SendTipOptions extends Omit<PayOptions, 'asset'> {
  /**
   * Names this tip, so that calling it again after a crash does not tip twice. Without it, every call is another tip; a
   * tip whose outcome is uncertain is found again with `payments.resume()`.
   */
  key?: string | undefined
}

export interface SentTip {
  readonly tip: TipThroughX402Reply['tip']
  readonly payment: Payment | undefined
}

/** Tips for authors of posts and comments. */
export class Tips {
  readonly #context: Context
  readonly #keys: OrderKeys

  constructor(context: Context) {
    this.#context = context
    this.#keys = orderKeysIn(context.store)
  }

  /**
   * Sends a tip with x402, with the signer of the client and within its spending limit. Needs no account.
   * @example await pennypost.tips.send({ postId }, { amount: '0.25', asset: 'USDC' })
   */
  async send(
    target: TipTarget,
    { amount, asset }: { amount: string; asset: Asset },
    { key = crypto.randomUUID(), ...options }: SendTipOptions = {},
  ): Promise<SentTip> {
    const units = unitsOf(asset, amount)
    const query = asset === 'XNO' ? { amount_raw: units } : { amount_atomic: units, asset }
    const payable =
      'postId' in target
        ? { operation: 'tipThroughX402' as const, input: { params: { postId: target.postId }, query } }
        : { operation: 'tipCommentThroughX402' as const, input: { params: { commentId: target.commentId }, query } }
    const named = { key: `payment tip ${this.#context.baseUrl} ${key}`, ...payable }
    // The offer says what is paid, so it must not say more than what is given.
    const maxPrice = withinTip(asset, amount, options.maxPrice)
    const { body, payment } = await this.#context.payer.pay(named, { ...options, asset, maxPrice })
    return { tip: (body as TipThroughX402Reply).tip, payment }
  }

  /**
   * Gets an address and an exact amount for a tip with any Nano wallet, for the account that is signed in. With the same
   * `key`, a tip is made once.
   */
  create(
    target: TipTarget,
    tip: { amount: string; message?: string | undefined },
    options: CallOptions & { key?: string | undefined } = {},
  ): Promise<TipPostReply> {
    const { key = crypto.randomUUID(), ...rest } = options
    const body = { amountRaw: unitsOf('XNO', tip.amount), message: tip.message }
    return this.#keys.orderOnce(`tip ${this.#context.baseUrl} ${key}`, {
      // A tip can be given again, but not by the same key.
      isOver: async () => false,
      order: async (idempotencyKey) => {
        const { operations } = this.#context
        const { body: made } =
          'postId' in target
            ? await operations.tipPost({ params: { postId: target.postId }, body, idempotencyKey }, rest)
            : await operations.tipComment({ params: { commentId: target.commentId }, body, idempotencyKey }, rest)
        return { id: made.session.id, order: made, isOver: false }
      },
    })
  }

  async get(tipId: string, options?: CallOptions): Promise<Tip> {
    return (await this.#context.operations.getTip({ params: { sessionId: tipId } }, options)).body
  }

  /** The tip now, and after every change until it is paid, cancelled or expired. */
  watch(tipId: string, options: FollowOptions = {}): AsyncGenerator<Tip, void> {
    const input = { params: { sessionId: tipId } }
    const source = {
      events: (signal: AbortSignal) => this.#context.operations.getTip.events(input, { ...options, signal }),
      read: () => this.get(tipId, options),
      isOver: ({ status }: Tip) => status === 'paid' || status === 'cancelled' || status === 'expired',
    }
    return followOrder(source, options)
  }

  /** The tip once the money has arrived. */
  untilPaid(tipId: string, options: FollowOptions = {}): Promise<Tip> {
    return untilPaid(this.watch(tipId, options))
  }
}

function withinTip(asset: Asset, amount: string, maxPrice: PayOptions['maxPrice']): PayOptions['maxPrice'] {
  if (maxPrice === undefined) return { [asset]: amount }
  const most = maxPrice[asset]
  const isLess = most === undefined || BigInt(unitsOf(asset, most)) < BigInt(unitsOf(asset, amount))
  return isLess ? maxPrice : { [asset]: amount }
}
