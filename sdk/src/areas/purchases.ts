import type { Context } from '../context.ts'
import { type FollowOptions, followOrder, untilPaid } from '../follow-order.ts'
import type { ClaimPurchaseReply, CreatePurchaseReply, ListPurchasesInput } from '../generated/operations.ts'
import type { Purchase } from '../generated/types.ts'
import { type List, listByPage } from '../list.ts'
import type { CallOptions } from '../operation.ts'
import { type OrderKeys, orderKeysIn } from '../order-keys.ts'

/** Buying with any Nano wallet, for the account that is signed in. `posts.buy` also pays, with a signer. */
export class Purchases {
  readonly #context: Context
  readonly #keys: OrderKeys

  constructor(context: Context) {
    this.#context = context
    this.#keys = orderKeysIn(context.store)
  }

  /**
   * Gets an address and an exact amount, which are valid for an hour. Calling it again for the same post, also after a
   * crash, returns the same purchase unless it was cancelled or has expired.
   * @example
   * const { purchase, ephemeral_address } = await pennypost.purchases.create(postId)
   * showQrCode(ephemeral_address.uri)
   * await pennypost.purchases.untilPaid(purchase.id)
   */
  create(postId: string, options?: CallOptions): Promise<CreatePurchaseReply> {
    return this.#keys.orderOnce(`purchase ${this.#context.baseUrl} ${postId}`, {
      isOver: async (purchaseId) => isEnded((await this.get(purchaseId, options)).status),
      order: async (idempotencyKey) => {
        const { body } = await this.#context.operations.createPurchase({ body: { postId }, idempotencyKey }, options)
        return { id: body.purchase.id, order: body, isOver: isEnded(body.purchase.status) }
      },
    })
  }

  async get(purchaseId: string, options?: CallOptions): Promise<Purchase> {
    return (await this.#context.operations.getPurchase({ params: { purchaseId } }, options)).body
  }

  /** Your purchases, newest first. */
  list(query: ListPurchasesInput['query'] = {}, options?: CallOptions): List<Purchase> {
    return listByPage(query, async (page) => {
      const { body } = await this.#context.operations.listPurchases({ query: page }, options)
      return { items: body.data, total: body.total, perPage: body.perPage }
    })
  }

  /**
   * The purchase now, and after every change until it is paid, cancelled or expired. Reconnects automatically.
   * @example for await (const { status } of pennypost.purchases.watch(purchase.id)) console.log(status)
   */
  watch(purchaseId: string, options: FollowOptions = {}): AsyncGenerator<Purchase, void> {
    const input = { params: { purchaseId } }
    const source = {
      events: (signal: AbortSignal) => this.#context.operations.getPurchase.events(input, { ...options, signal }),
      read: () => this.get(purchaseId, options),
      isOver: ({ status }: Purchase) => status === 'paid' || status === 'cancelled' || status === 'expired',
    }
    return followOrder(source, options)
  }

  /** The purchase once the money has arrived: from then on you can read the post. */
  untilPaid(purchaseId: string, options: FollowOptions = {}): Promise<Purchase> {
    return untilPaid(this.watch(purchaseId, options))
  }

  /** The receipt of a paid purchase. */
  async receipt(purchaseId: string, options?: CallOptions): Promise<ClaimPurchaseReply['receipt']> {
    return (await this.#context.operations.claimPurchase({ params: { purchaseId } }, options)).body.receipt
  }

  async cancel(purchaseId: string, options?: CallOptions): Promise<Purchase> {
    return (await this.#context.operations.cancelPurchase({ params: { purchaseId } }, options)).body
  }
}

const isEnded = (status: Purchase['status']): boolean => status === 'cancelled' || status === 'expired'
