import { Earnings, Keys, ProfileArea, Sessions } from './areas/account.ts'
import { Attachments } from './areas/attachments.ts'
import { Checkouts } from './areas/checkouts.ts'
import { Comments } from './areas/comments.ts'
import { Drafts } from './areas/drafts.ts'
import { Images } from './areas/images.ts'
import { Payments } from './areas/payments.ts'
import { Posts } from './areas/posts.ts'
import { Purchases } from './areas/purchases.ts'
import { Feed, Library, Notifications } from './areas/reading.ts'
import { Tips } from './areas/tips.ts'
import { Caller, operationsOf } from './caller.ts'
import type { Context } from './context.ts'
import type { Operations } from './generated/operations.ts'
import type { RetryOptions } from './http/send.ts'
import { Payer } from './payments/payer.ts'
import { usdcOnBase } from './payments/sign-payment.ts'
import type { Signers } from './payments/signers.ts'
import { SpendingGuard, type SpendingLimit } from './payments/spending-limit.ts'
import { type Session, SessionKeeper } from './session.ts'
import { memoryStore, type Store } from './store.ts'

export interface PennypostOptions {
  /** The origin of the service, such as `https://pennypost.example`. */
  baseUrl: string
  /** For everything about your own posts. */
  publishingKey?: string | undefined
  /** The tokens of a sign-in, unless the store has newer ones: passing the first ones again is harmless. */
  session?: Session | undefined
  /** Where tokens, signed payments and what was spent are kept. Default: in memory, until the program ends. */
  store?: Store | undefined
  /** The signer of payments: an account of viem for USDC, `nanoSigner` of `@pennypost/sdk/nano` for Nano. */
  signers?: Signers | undefined
  /** The limit of what may be spent. Without it nothing is paid. */
  spendingLimit?: SpendingLimit | undefined
  /** How requests are repeated that met 429, 503 or a broken connection. */
  retry?: RetryOptions | undefined
  /** How long to wait for a response. Default: 60. */
  timeoutSeconds?: number | undefined
  /** Instead of the global `fetch`. */
  fetch?: typeof fetch | undefined
  /** The token that is paid with, for a test chain. Default: USDC on Base. */
  usdcAddress?: string | undefined
}

/**
 * A client for one service.
 * @example
 * const pennypost = new Pennypost({ baseUrl: 'https://pennypost.example' })
 * for await (const post of pennypost.posts.list({ sort: 'newest' })) console.log(post.title)
 */
export class Pennypost {
  readonly posts: Posts
  readonly drafts: Drafts
  readonly images: Images
  readonly attachments: Attachments
  readonly purchases: Purchases
  readonly checkouts: Checkouts
  readonly tips: Tips
  readonly payments: Payments
  readonly library: Library
  readonly comments: Comments
  readonly feed: Feed
  readonly notifications: Notifications
  readonly profile: ProfileArea
  readonly earnings: Earnings
  readonly keys: Keys
  readonly session: Sessions
  /** Every operation of the API by its `operationId`, with its status and headers. */
  readonly operations: Operations

  constructor(options: PennypostOptions) {
    const context = contextOf(options)
    this.operations = context.operations
    this.posts = new Posts(context)
    this.drafts = new Drafts(context)
    this.images = new Images(context)
    this.attachments = new Attachments(context)
    this.purchases = new Purchases(context)
    this.checkouts = new Checkouts(context)
    this.tips = new Tips(context)
    this.payments = new Payments(context)
    this.library = new Library(context)
    this.comments = new Comments(context)
    this.feed = new Feed(context)
    this.notifications = new Notifications(context)
    this.profile = new ProfileArea(context)
    this.earnings = new Earnings(context)
    this.keys = new Keys(context)
    this.session = new Sessions(context)
  }
}

function contextOf(options: PennypostOptions): Context {
  const { store = memoryStore(), signers = {}, usdcAddress = usdcOnBase } = options
  const baseUrl = new URL(options.baseUrl).href.replace(/\/$/, '')
  // Browsers refuse a `fetch` that is called as the method of another object.
  const fetch: typeof globalThis.fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init))
  const timeoutMs = (options.timeoutSeconds ?? 60) * 1000
  const session = new SessionKeeper({ baseUrl, fetch, store, timeoutMs }, options.session)
  const retry = { attempts: options.retry?.attempts ?? 4, maxWaitSeconds: options.retry?.maxWaitSeconds ?? 30 }
  const caller = new Caller({ baseUrl, fetch, publishingKey: options.publishingKey, session, retry, timeoutMs })
  const spending = new SpendingGuard(store, options.spendingLimit)
  const payer = new Payer({ baseUrl, caller, store, signers, spending, usdcAddress })
  return { baseUrl, fetch, operations: operationsOf(caller), caller, session, store, payer, spending }
}
