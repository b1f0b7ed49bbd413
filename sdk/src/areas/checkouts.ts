import type { Context } from '../context.ts'
import { PennypostError } from '../errors.ts'
import { type FollowOptions, followOrder } from '../follow-order.ts'
import type { CreateTipCheckoutReply, GetCheckoutReply } from '../generated/operations.ts'
import type { NanoCheckout, NanoPayment } from '../generated/types.ts'
import type { CallOptions } from '../operation.ts'
import { type OrderKeys, orderKeysIn } from '../order-keys.ts'
import { readJson, writeJson } from '../store.ts'

export interface StartedCheckout {
  readonly checkout: NanoCheckout
  /** The address of this checkout, the exact amount, and a `nano:` link for a QR code. */
  readonly payment: NanoPayment
}

export interface TipCheckoutInput {
  postId?: string | undefined
  commentId?: string | undefined
  /** In XNO: one of the amounts that the author suggests. */
  amount?: string | undefined
  amountRaw?: string | undefined
  message?: string | undefined
}

/** Buying and tipping with any Nano wallet, without an account. The credential of each checkout is kept in the store. */
export class Checkouts {
  readonly #context: Context
  readonly #keys: OrderKeys

  constructor(context: Context) {
    this.#context = context
    this.#keys = orderKeysIn(context.store)
  }

  /** Starts buying a post. The same post has the same checkout unless that has expired, also after a crash. */
  create(postId: string, options?: CallOptions): Promise<StartedCheckout> {
    return this.#start(`checkout ${this.#context.baseUrl} ${postId}`, options, async (idempotencyKey) => {
      const body = { postId, asset: 'XNO' } as const
      return (await this.#context.operations.createCheckout({ body, idempotencyKey }, options))
        .body as CreateTipCheckoutReply
    })
  }

  /** Starts a tip. With the same `key`, a tip is started once. */
  createTip(tip: TipCheckoutInput, options: CallOptions & { key?: string | undefined } = {}): Promise<StartedCheckout> {
    const { key = crypto.randomUUID(), ...rest } = options
    return this.#start(`tip checkout ${this.#context.baseUrl} ${key}`, rest, async (idempotencyKey) => {
      return (await this.#context.operations.createTipCheckout({ body: tip, idempotencyKey }, rest)).body
    })
  }

  async get(checkoutId: string, options: CallOptions = {}): Promise<GetCheckoutReply> {
    const calling = await this.#withCredential(checkoutId, options)
    return (await this.#context.operations.getCheckout({ params: { checkoutId } }, calling)).body
  }

  /** The checkout now, and after every change until it is paid, cancelled or expired. */
  async *watch(checkoutId: string, options: FollowOptions = {}): AsyncGenerator<GetCheckoutReply, void> {
    const calling = await this.#withCredential(checkoutId, options)
    const input = { params: { checkoutId } }
    const source = {
      events: (signal: AbortSignal) => this.#context.operations.getCheckout.events(input, { ...calling, signal }),
      read: () => this.get(checkoutId, options),
      isOver: ({ checkout }: GetCheckoutReply) => /^(paid|cancelled|expired)$/.test(checkout.status),
    }
    yield* followOrder(source, options)
  }

  /**
   * The checkout once it is paid. `session` is that of a new guest account which has the post: pass it to `session.use`
   * to read the post.
   */
  async untilPaid(checkoutId: string, options: FollowOptions = {}): Promise<GetCheckoutReply> {
    let status = 'unknown'
    for await (const reply of this.watch(checkoutId, options)) {
      if (reply.checkout.status === 'paid') return reply
      status = reply.checkout.status
    }
    const detail = `The checkout is ${status}, and was not paid. A full payment that arrives within a day still counts.`
    throw new PennypostError({ code: 'order-ended', detail, details: { status } })
  }

  /** Moves the purchase of a guest into the account that is signed in. */
  async claim(checkoutId: string, options: CallOptions = {}): Promise<GetCheckoutReply> {
    const checkoutCredential = options.token ?? (await readJson<string>(this.#context.store, credentialKey(checkoutId)))
    if (checkoutCredential === undefined) throw missingCredential()
    const input = { params: { checkoutId }, body: { checkoutCredential } }
    return (await this.#context.operations.claimCheckout(input, { signal: options.signal })).body
  }

  #start(
    name: string,
    options: CallOptions | undefined,
    send: (idempotencyKey: string) => Promise<CreateTipCheckoutReply>,
  ): Promise<StartedCheckout> {
    return this.#keys.orderOnce(name, {
      isOver: async (checkoutId) => isEnded((await this.get(checkoutId, options)).checkout.status),
      order: async (idempotencyKey) => {
        const { checkout, payment, checkoutCredential } = await send(idempotencyKey)
        await writeJson(this.#context.store, credentialKey(checkout.id), checkoutCredential)
        const order = { checkout, payment: payment! }
        return { id: checkout.id, order, isOver: isEnded(checkout.status) }
      },
    })
  }

  async #withCredential(checkoutId: string, { signal, token }: CallOptions): Promise<CallOptions> {
    const credential = token ?? (await readJson<string>(this.#context.store, credentialKey(checkoutId)))
    return { signal, token: credential }
  }
}

const isEnded = (status: string): boolean => status === 'cancelled' || status === 'expired'

const credentialKey = (checkoutId: string): string => `checkout credential ${checkoutId}`

const missingCredential = () =>
  new PennypostError({
    code: 'credential-missing',
    detail: 'The store of this client does not have the credential of this checkout. Pass it as `token`.',
  })
