import type { Context } from '../context.ts'
import type {
  IssueKeyInput,
  ListEarningsInput,
  ListKeysReply,
  ListPayoutsInput,
  ListTransactionsInput,
  RotateKeyInput,
  UpdateProfileInput,
} from '../generated/operations.ts'
import type { EarningsReport, FinancialItem, IssuedKey, Me, Profile } from '../generated/types.ts'
import { type List, listByCursor } from '../list.ts'
import type { CallOptions } from '../operation.ts'
import type { Session } from '../session.ts'

/** Signing in by email, and the session of this client. Tokens are kept in the store and refreshed when necessary. */
export class Sessions {
  readonly #context: Context

  constructor(context: Context) {
    this.#context = context
  }

  /** Emails a code. The reply is the same whether or not the address has an account. */
  async sendCode(email: string, options?: CallOptions): Promise<void> {
    await this.#context.operations.logIn({ body: { email } }, options)
  }

  /** Signs in with the code of the email. From now on this client uses the session. */
  async signIn(email: string, code: string, options?: CallOptions): Promise<void> {
    const { body } = await this.#context.operations.verifyLogin({ body: { email, code } }, options)
    await this.use(body)
  }

  /** Uses a session that you have, such as that of a guest's checkout. */
  use(session: Session): Promise<void> {
    return this.#context.session.use(session)
  }

  /** The tokens of this client, or undefined if it is not signed in. */
  current(): Promise<Session | undefined> {
    return this.#context.session.current()
  }

  /** An access token that is not about to expire, for a request of your own. Undefined if it is not signed in. */
  accessToken(): Promise<string | undefined> {
    return this.#context.session.accessToken()
  }

  /** Ends the session and forgets its tokens. */
  async signOut(options?: CallOptions): Promise<void> {
    await this.#context.operations.logOut({}, options)
    await this.#context.session.forget()
  }
}

/** Your account and public profile. */
export class ProfileArea {
  readonly #context: Context

  constructor(context: Context) {
    this.#context = context
  }

  /** Who you are, and what your credential can do. */
  async me(options?: CallOptions): Promise<Me> {
    return (await this.#context.operations.getMe({}, options)).body
  }

  async get(options?: CallOptions): Promise<Profile> {
    return (await this.#context.operations.getProfile({}, options)).body
  }

  async update(changes: UpdateProfileInput['body'], options?: CallOptions): Promise<Profile> {
    return (await this.#context.operations.updateProfile({ body: changes }, options)).body
  }

  async isHandleAvailable(handle: string, options?: CallOptions): Promise<boolean> {
    return (await this.#context.operations.getHandleAvailability({ query: { handle } }, options)).body.available
  }

  /** Where you are paid in Nano. Needs a session: a publishing key cannot redirect your money. */
  async setNanoAddress(payoutAddress: string, options?: CallOptions): Promise<void> {
    await this.#context.operations.savePayoutAddress({ body: { payoutAddress } }, options)
  }

  /** Where you are paid in USDC on Base. Needs a session. */
  async setUsdcAddress(payoutAddress: string, options?: CallOptions): Promise<void> {
    await this.#context.operations.saveBasePayoutAddress({ body: { payoutAddress } }, options)
  }
}

/** Publishing keys. Needs a session. */
export class Keys {
  readonly #context: Context

  constructor(context: Context) {
    this.#context = context
  }

  async list(options?: CallOptions): Promise<ListKeysReply['keys']> {
    return (await this.#context.operations.listKeys({}, options)).body.keys
  }

  /** Creates a key. `key` is shown only this once. */
  async create(
    key: IssueKeyInput['body'],
    { idempotencyKey, ...options }: CallOptions & { idempotencyKey?: string | undefined } = {},
  ): Promise<IssuedKey> {
    return (await this.#context.operations.issueKey({ body: key, idempotencyKey }, options)).body
  }

  /** Replaces a key with a new one, which is shown only this once. The old one stops working. */
  async rotate(keyId: string, key: RotateKeyInput['body'] = {}, options?: CallOptions): Promise<IssuedKey> {
    return (await this.#context.operations.rotateKey({ params: { keyId }, body: key }, options)).body
  }

  async revoke(keyId: string, options?: CallOptions): Promise<void> {
    await this.#context.operations.revokeKey({ params: { keyId } }, options)
  }
}

/** What you earned, received and paid. Needs a session. */
export class Earnings {
  readonly #context: Context

  constructor(context: Context) {
    this.#context = context
  }

  /** What your posts and comments earned, newest first. */
  list(query: ListEarningsInput['query'] = {}, options?: CallOptions): List<FinancialItem> {
    return listByCursor(query, async (page) => {
      const { body } = await this.#context.operations.listEarnings({ query: page }, options)
      return { items: body.items, nextCursor: body.pagination.nextCursor }
    })
  }

  /** Everything that you received and paid, newest first. */
  transactions(query: ListTransactionsInput['query'] = {}, options?: CallOptions): List<FinancialItem> {
    return listByCursor(query, async (page) => {
      const { body } = await this.#context.operations.listTransactions({ query: page }, options)
      return { items: body.items, nextCursor: body.pagination.nextCursor }
    })
  }

  /** Payouts that were sent or are owed to you, newest first. */
  payouts(query: ListPayoutsInput['query'] = {}, options?: CallOptions): List<FinancialItem> {
    return listByCursor(query, async (page) => {
      const { body } = await this.#context.operations.listPayouts({ query: page }, options)
      return { items: body.items, nextCursor: body.pagination.nextCursor }
    })
  }

  /** Earnings by day and by post. */
  async report(days = 30, options?: CallOptions): Promise<EarningsReport> {
    return (await this.#context.operations.getEarningsReport({ query: { days } }, options)).body
  }
}
