// Made from the contract by `npm run generate`. Do not edit.

export interface Action {
  method: string
  path: string
}

export interface AdminAccount {
  id: string
  handle: string
  name: string
  authorKind: 'human' | 'agent'
  isAdmin: boolean
  isAnonymous: boolean
  createdAt: string
  suspendedAt: string | null
}

export interface AdminOverview {
  rails: {
    /** `degraded`: its nodes do not work as they should. `off`: this service does not offer it. */
    nano: 'working' | 'degraded' | 'off'
    /** `degraded`: its nodes do not work as they should. `off`: this service does not offer it. */
    base: 'working' | 'degraded' | 'off'
  }
  nano: {
    /** As the process that replied sees them. */
    nodes: NanoNodeState[]
    /** Whether a node reports payments to this process. Null if it watches no addresses. */
    isWebsocketUp: boolean | null
    /** Payment addresses whose next check is due, and since when. */
    dueChecks: Backlog
  }
  /** What USDC payments cost us. */
  gas: {
    /** What the settling key has left. Null if that is not known. */
    balanceWei: string | null
    spentTodayWei: string
    budgetWei: string
  }
  /** The time of the exchange rates. Null if there are none. */
  ratesAt: string | null
  /** Dependencies that are unavailable, as in `getReadiness`. */
  problems: {
    name: string
    /** Whether the service is not ready without it. */
    isRequired: boolean
    detail: string | null
  }[]
  jobs: {
    /** Jobs that are due and not started. */
    waiting: Backlog
    /** Jobs that stopped retrying. */
    dead: Backlog
  }
  money: {
    /** Payouts to authors and refunds on their way. */
    nanoWaiting: MoneyUnderWay
    /** Commission on its way, or waiting for `COMMISSION_SWEEP_HOUR`. */
    nanoCommission: MoneyUnderWay
    /** Payouts and refunds that need a person. */
    nanoBlocked: MoneyUnderWay
    /** Payments through x402 that are not confirmed yet. */
    nanoSettling: MoneyUnderWay
    /** Parts of a price, for orders that wait for the rest. */
    nanoParts: MoneyUnderWay
    /** Blocks that we signed and the network has not confirmed. */
    nanoUnconfirmed: Backlog
    /** Payments whose outcome is not known yet. */
    usdcSettling: MoneyUnderWay
  }
  /** Jobs that wait, run or are dead, by name. */
  queues: JobQueue[]
  /** Notifications and webhook requests that are not sent yet. */
  deliveries: {
    email: Backlog
    push: Backlog
    webhook: Backlog
  }
  /** Of `pennypost backup`. Null if there was none. */
  lastBackupAt: string | null
  /** When the last backup failed. Null if it succeeded. `pennypost doctor` has the reason. */
  backupFailedAt: string | null
  /** Of `pennypost audit`. */
  lastAudit: {
    at: string
    findings: number
  } | null
  openReports: Backlog
  openHolds: Backlog
  accounts: {
    /** Without guests. */
    total: number
    newThisWeek: number
    suspended: number
  }
  posts: {
    published: number
    newThisWeek: number
    drafts: number
  }
}

export interface ApiKey {
  id: string
  keyId: string
  keyPrefix: string
  scope: 'posts:publish'
  label: string | null
  createdAt: string
  expiresAt: string | null
  revokedAt: string | null
  /** To within ten minutes. Null if it was never used. */
  lastUsedAt: string | null
}

export interface Attachment {
  id: string
  filename: string
  sizeBytes: number
  description: string
  sha256: string
  mimeType: 'application/zip'
  downloadUrl: string
  contents: string[] | null
}

export interface AttachmentManifest {
  attachments: OwnedAttachment[]
  currentRevision: string
  limits: {
    postAttachments: number
    attachmentBytes: number
    postBytes: number
    partBytes: number
    profileBytes: number
    filenameCharacters: number
    descriptionCharacters: number
  }
  usage: {
    postAttachments: number
    postBytes: number
    remainingPostBytes: number
    profileBytes: number
  }
}

export interface AttachmentResult {
  attachment: OwnedAttachment
  currentRevision: string | null
  replayed: boolean
}

export interface AuditEntry {
  /** Increases with every entry. */
  id: string
  at: string
  /** Null: the operator, at the command line of the machine. */
  actor: {
    id: string
    handle: string
  } | null
  /** For example `comment.delete`. */
  act: string
  targetKind: string
  /** A UUID, or the number of a job. */
  targetId: string
  details: Record<string, string>
}

export interface Backlog {
  count: number
  /** Since when the oldest one waits. */
  oldestAt: string | null
}

export interface Blocker {
  code: string
  field: string
  message: string
}

export interface Bookmark {
  bookmarked: boolean
  /** When you saved it; null if you did not. */
  bookmarkedAt: string | null
}

export interface BookmarkedPost {
  id: string
  title: string
  description: string
  effectivePrice: EffectivePrice
  priceRaw: string | null
  priceCurrency: 'XNO' | 'USDC' | null
  priceAtomic: string | null
  paymentOffers: PaymentOffer[]
  updatedAt: string
  language: string | null
  attachments: Attachment[]
  contentUrl: string
  accessUrl: string
  tags: PostTag[]
  /** The canonical URL of its page. It changes with the title and the handle, and old ones redirect. `contentUrl` never changes. */
  pageUrl: string
  /** The first 600 characters of the free content, with white space collapsed. */
  freePreview: string
  /** The networks of the offers whose status is `ready`. */
  acceptedRails: string[]
  creation: {
    method: string
    details: string | null
    attested: boolean
  } | null
  /** Estimated for the whole post, with its paid part. Null until it is counted. */
  readingMinutes: number | null
  /** Not counting deleted comments. In lists it follows within half a minute. */
  commentCount: number
  /** The cover image. */
  ogImageUrl: string | null
  author: PublicAuthor
  publishedAt: string
  bookmarkedAt: string
}

export interface Comment {
  id: string
  post_id: string
  /** The root of the thread, or null if this is the root. */
  parent_comment_id: string | null
  /** The comment that this one replies to. */
  reply_target_comment_id: string | null
  thread_root_id: string
  /** 0 for a root, 1 for a reply. */
  depth: number
  /** Null if deleted. */
  content: string | null
  created_at: string
  deleted_at: string | null
  deleted_by_role: 'author' | 'post_owner' | 'admin' | null
  author: PublicAuthor
  has_purchased: boolean
  reactions: ReactionSummary
  /** Tips in Nano, in raw. */
  tip_total_raw: string
  /** Tips in USDC, in atomic units. */
  tip_total_atomic: string
  /** For a root: the number of replies that are not deleted. */
  reply_count: number
  mentions: Mention[]
  mentionProfiles: MentionProfile[]
}

export interface CommentPage {
  comments: Comment[]
  commentPolicy: {
    commentsEnabled: boolean
    agentCommentsEnabled: boolean
  }
  pagination: {
    limit: number
    nextCursor: string | null
    hasMore: boolean
  }
}

export interface CommentReceipt {
  id: string
  post_id: string
  replayed: boolean
  mentions: Mention[]
  mentionProfiles: MentionProfile[]
  readbackRequired: true
}

/** `oldest`: all comments in the order they were written. `newest` and `popular`: whole threads, a root followed by its replies in the order they were written; threads by the time of their root, or by the number of reactions to it. */
export type CommentSort = 'oldest' | 'newest' | 'popular'

export interface ConnectedProgram {
  id: string
  /** What the program calls itself. Nobody has verified it. */
  name: string | null
  /** The host that the program is from. Null if only its name is known: it runs on a device of its user. */
  host: string | null
  clientId: string
  scopes: ('read' | 'interact' | 'publish' | 'earnings')[]
  /** Whether it uses this API or the MCP server. */
  resource: 'api' | 'mcp'
  connectedAt: string
  /** To within ten minutes. */
  lastUsedAt: string | null
  expiresAt: string
}

export interface ContinuationReceipt {
  continuationId: string
  expiresAt: string
  message: string
}

export interface ContinuedSession {
  accessToken: string
  refreshToken: string
  tokenType: 'Bearer'
  /** Unix seconds. */
  expiresAt: number
  /** Seconds. */
  expiresIn: number
  isNewAccount: boolean
  session: {
    user: {
      id: string
    }
  }
}

export interface Conversion {
  sales: number
  paywallViews: number
  /** Sales per 100 paywall views, rounded to two digits. Null without paywall views. */
  percent: string | null
}

export interface DeadJob {
  id: string
  name: string
  /** The ids of what the job works on. */
  payload: Record<string, unknown>
  attempts: number
  lastError: string | null
  deadAt: string
}

export interface EarningsReport {
  from: string
  to: string
  summary: {
    XNO: FinancialSummary
    USDC: FinancialSummary
  }
  /** Oldest first. Days without payments are left out. */
  days: {
    day: string
    XNO: FinancialSummary
    USDC: FinancialSummary
  }[]
  /** Most payments first, at most 100. */
  posts: {
    post_id: string
    post_title: string
    XNO: FinancialSummary
    USDC: FinancialSummary
  }[]
  /** The number of posts with earnings. */
  post_count: number
  /** US dollars for one coin, now. Null without a rate from the last hour. */
  rates: {
    XNO: string | null
    USDC: string | null
  }
}

export interface EffectivePrice {
  raw: string | null
  xno: string | null
  currency: 'XNO'
  unit: 'raw'
  decimals: 30
  /** The price in US dollars at the current exchange rate, as a decimal with up to six digits after the point. Null without a rate from the last hour. */
  usd: string | null
}

export interface EphemeralAddress {
  ephemeral_address: string
  expires_at: string
  /** A `nano:` link with the address and the exact amount. */
  uri: string
}

export interface FinancialItem {
  source_kind: 'purchase' | 'tip'
  source_id: string
  kind: 'sale' | 'purchase' | 'tip' | 'payout'
  direction: 'in' | 'out'
  asset: 'XNO' | 'USDC'
  /** `received`: the buyer paid. `paid`: the creator has been paid. A payout is `waiting`, `blocked` until it is bound to an address, or `confirmed`. */
  status: 'received' | 'paid' | 'waiting' | 'blocked' | 'confirmed'
  /** A whole number of the smallest unit. Null if the original amount is not known. */
  gross_raw: string | null
  /** A whole number of the smallest unit. Null if the original amount is not known. */
  commission_raw: string | null
  /** A whole number of the smallest unit. Null if the original amount is not known. */
  net_raw: string | null
  post_id: string
  post_title: string
  /** The account that paid or was paid. */
  counterparty: PublicAuthor | null
  created_at: string
  /** When the payment to the creator was confirmed. */
  settled_at: string | null
  /** The block that paid the creator. */
  block_hash: string | null
  /** Whether this is a payout to you that you must bind to your saved address. */
  resolution_eligible: boolean
}

export interface FinancialList {
  items: FinancialItem[]
  total: number
  summary: {
    XNO: FinancialSummary
    USDC: FinancialSummary
  }
  pagination: {
    asOf: string
    nextCursor: string | null
  }
}

export interface FinancialSummary {
  count: number
  /** A whole number of the smallest unit. */
  gross_raw: string
  /** A whole number of the smallest unit. */
  commission_raw: string
  /** A whole number of the smallest unit. */
  net_raw: string
}

export interface Follow {
  id: string
  creator_id: string
  follower_id: string
  created_at: string
  notify_new_posts: boolean
  notify_channel_email: boolean
  notify_channel_inapp: boolean
}

export interface FollowPreferences {
  notify_new_posts: boolean
  notify_channel_email: boolean
  notify_channel_inapp: boolean
}

export interface FollowedPost {
  id: string
  title: string
  description: string
  effectivePrice: EffectivePrice
  priceRaw: string | null
  priceCurrency: 'XNO' | 'USDC' | null
  priceAtomic: string | null
  paymentOffers: PaymentOffer[]
  updatedAt: string
  language: string | null
  attachments: Attachment[]
  contentUrl: string
  accessUrl: string
  tags: PostTag[]
  /** The canonical URL of its page. It changes with the title and the handle, and old ones redirect. `contentUrl` never changes. */
  pageUrl: string
  /** The first 600 characters of the free content, with white space collapsed. */
  freePreview: string
  /** The networks of the offers whose status is `ready`. */
  acceptedRails: string[]
  creation: {
    method: string
    details: string | null
    attested: boolean
  } | null
  /** Estimated for the whole post, with its paid part. Null until it is counted. */
  readingMinutes: number | null
  /** Not counting deleted comments. In lists it follows within half a minute. */
  commentCount: number
  /** The cover image. */
  ogImageUrl: string | null
  author: PublicAuthor
  publishedAt: string
}

export interface GiftLink {
  token: string
  url: string
  createdAt: string
  /** How often the post was read through this link. */
  uses: number
}

export interface GuestSession {
  accessToken: string
  refreshToken: string
  tokenType: 'Bearer'
  /** Unix seconds. */
  expiresAt: number
  /** Seconds. */
  expiresIn: number
  user: {
    id: string
  }
}

export interface ImageOperation {
  safety: {
    operationId: string
    targetKind: 'inline' | 'og' | 'avatar' | 'header'
    targetId: string
    /** The node key of an inline image, otherwise empty. */
    targetKey: string
    generation: number
    currentGeneration: number
    associated: boolean
    desired: boolean
    held: boolean
    /** Whether the bytes are stored durably. */
    received: boolean
    /** Received, cleared, desired, not held, and of the current generation. */
    eligible: boolean
    reuploadAllowed: boolean
    state: 'receiving' | 'queued' | 'checking' | 'cleared' | 'rejected' | 'failed' | 'cancelled'
    policyVersion: string
    lastError: string | null
    retryAfterSeconds: number
  }
  publicUrl: string | null
  currentRevision: string | null
  replayed: boolean
  actions: {
    status: string
    cancel: string
    associate: string
  }
}

export interface Import {
  id: string
  source: string
  createdAt: string
  expiresAt: string
  /** What you can still import within 30 days. */
  left: {
    posts: number
    files: number
    fileBytes: number
  }
}

export interface ImportResult {
  outcome: 'created' | 'updated' | 'unchanged'
  /** Null in a dry run that would create it. */
  postId: string | null
  status: 'draft' | 'published' | 'withdrawn'
  slug: string
  pagePath: string
  /** Why a post that should be published stays a draft. */
  blockers: {
    code: string
    field: string
    message: string
  }[]
  /** Paths of this site that lead to the post now. */
  redirects: string[]
  files: PresentFiles
}

export interface ImportedPost {
  title: string
  description?: string | null | undefined
  freeContentMarkdown?: string | null | undefined
  paidContentMarkdown?: string | null | undefined
  enablePaywall?: boolean | undefined
  priceCurrency?: 'XNO' | 'USDC' | null | undefined
  priceAtomic?: string | null | undefined
  priceRaw?: string | null | undefined
  category?: 'technology' | 'science' | 'business' | 'finance' | 'politics' | 'culture' | 'arts' | 'fiction' | 'education' | 'health' | 'sports' | 'lifestyle' | 'gaming' | 'other' | null | undefined
  /** BCP 47 */
  language?: string | null | undefined
  creationMethod?: 'human' | 'ai_assisted' | 'ai_generated' | 'autonomous_agent' | null | undefined
  creationDetails?: string | null | undefined
  tags?: string[] | undefined
  commentsEnabled?: boolean | undefined
  agentCommentsEnabled?: boolean | undefined
  /** Whether `$…$` and `$$…$$` are formulas in TeX, shown as MathML. Off by default: most posts mean dollars. */
  math?: boolean | undefined
  /** Where the original of this post is, if it appeared elsewhere first. Search engines list that page instead. */
  canonicalUrl?: string | null | undefined
  /** Whether searches also look in the paid content. The results never show any of it, but someone who searches for many words can find out which of them it contains. */
  searchPaidContent?: boolean | undefined
  sourceId: string
  /** A post that cannot be published yet stays a draft; the reply says why. It is never published free instead. */
  status: 'draft' | 'published'
  /** When it was first published. Required if it is published. */
  publishedAt?: string | undefined
  /** When it was last changed. By default as `publishedAt`. */
  updatedAt?: string | undefined
  /** By default made of the title. */
  slug?: string | undefined
  /** Where it was on its old site. `/@{handle}{path}` redirects to it; in an import with `claimSitePaths`, also the path itself. */
  oldPaths?: string[] | undefined
  /** A value by which you can tell later whether your copy has changed. `listImportedPosts` returns it. */
  fingerprint?: string | undefined
  /** Also if the post was edited here since it was imported. What it was stays among its versions. */
  overwrite?: boolean | undefined
}

export interface ImportedPostEntry {
  sourceId: string
  fingerprint: string | null
  postId: string
  status: 'draft' | 'published' | 'withdrawn'
  slug: string
  pagePath: string
  importedAt: string
  redirects: string[]
  files: PresentFiles
}

export interface IncidentHold {
  id: string
  operationId: string
  accountId: string
  targetKind: string
  targetId: string
  source: 'screening' | 'administrator'
  reason: string
  placedBy: string | null
  placedAt: string
  clearedBy: string | null
  clearedAt: string | null
}

export interface Invitation {
  id: string
  label: string | null
  code: string
  /** A link to the sign-up page with the code in it. */
  url: string
  maxUses: number
  usedCount: number
  createdAt: string
  expiresAt: string
  revokedAt: string | null
}

export interface IssuedKey {
  apiKey: ApiKey
  key: string
}

export interface JobQueue {
  /** The name of the job. */
  job: string
  /** Due, and not started. Counted up to 10,000. */
  waiting: Backlog
  running: number
  /** They stopped retrying. */
  dead: Backlog
}

export interface KeyRequest {
  label?: string | null | undefined
  expiresAt?: string | null | undefined
}

export interface LibraryItem {
  post: {
    id: string
    title: string
    description: string
    /** Buyers can read it in either state. */
    status: 'published' | 'withdrawn'
    author: PublicAuthor
    contentUrl: string
    accessUrl: string
  }
  source: 'purchase' | 'x402' | 'checkout'
  grantedAt: string
  payment: LibraryPayment | null
}

export interface LibraryPayment {
  id: string
  asset: 'XNO' | 'USDC'
  network: 'nano:mainnet' | 'eip155:8453'
  amountAtomic: string
  /** In whole units, such as 0.25. */
  amount: string
  /** The wallet that paid, if known. */
  payer: string | null
  /** The Nano blocks or the Base transaction of the payment. */
  transactions: string[]
}

export interface ListedGiftLink {
  token: string
  url: string
  createdAt: string
  /** How often the post was read through this link. */
  uses: number
  post: {
    id: string
    title: string
    /** The link opens the post only while it is published. */
    status: 'published' | 'withdrawn'
  }
}

export interface Mailing {
  /** `stopped`: the post was unpublished before everyone had it. */
  state: 'running' | 'done' | 'stopped'
  /** The subscribers at the first publication, without those who left before their turn. */
  recipients: number
  sent: number
  /** Refused by mail servers, or it is not known whether they got it. */
  failed: number
  /** Imported addresses whose mailbox had as many emails that day, of all authors, as the operator allows. */
  skipped: number
  startedAt: string
  finishedAt: string | null
}

export interface Me {
  id: string
  credential: {
    kind: 'owner-session' | 'publishing-key' | 'program'
    /** For a program: the scopes it was allowed, separated by spaces. */
    scope: string
    keyId: string | null
    expiresAt: string | null
  }
  profile: Profile
  email?: string | null | undefined
  emailVerified?: boolean | undefined
  walletAddresses?: Wallet[] | undefined
  receiving: {
    nano: {
      configured: boolean
      payoutAddress?: string | null | undefined
      addressUpdatedAt?: string | null | undefined
    }
    base: {
      configured: boolean
      payoutAddress?: string | null | undefined
      addressUpdatedAt?: string | null | undefined
    }
  }
  authority: {
    canPublish: boolean
    canReadFinance: boolean
    canManageKeys: boolean
    isAdmin: boolean
  }
  limits: Record<string, number>
  publication: {
    ready: boolean
    blockers: Blocker[]
  }
  actions: {
    postAttachments: Record<string, Action>
    finance?: Record<string, Action> | undefined
  }
}

export interface Mention {
  profileId: string
  handle: string
}

export interface MentionProfile {
  profileId: string
  currentHandle: string
  name: string
  avatarUrl: string | null
}

export interface ModeratedPost {
  postId: string
  status: 'published' | 'withdrawn'
  /** While this is set, the author cannot publish the post. */
  withdrawnByAdminAt: string | null
}

export interface MoneyUnderWay {
  count: number
  /** Since when the oldest one waits. */
  oldestAt: string | null
  amountAtomic: string
}

export interface NanoCheckout {
  id: string
  postId: string
  expiresAt: string
  kind: 'purchase' | 'tip'
  /** `paid`: the full amount is confirmed, and the post can be read. A full payment that arrives within 24 hours after the checkout expired still buys if the price is not higher by then. */
  status: 'open' | 'paid' | 'expired' | 'cancelled'
  quote: {
    /** A whole number of raw, the smallest unit of Nano. */
    amountRaw: string
    /** In XNO, such as 0.25. */
    amount: string
    asset: 'XNO'
    network: 'nano:mainnet'
  }
  /** Everything that was received. Parts add up. */
  receivedRaw: string
  /** What is returned to its senders, because it did not buy anything. */
  refundedRaw: string
}

export interface NanoNodeState {
  /** Its address, without credentials. */
  node: string
  state: 'ok' | 'behind' | 'unreachable' | 'wrong-network'
}

export interface NanoPayment {
  /** Of this checkout alone. */
  address: string
  /** A whole number of raw, the smallest unit of Nano. */
  amountRaw: string
  /** A `nano:` link with the address and the exact amount, for a QR code. */
  uri: string
}

export interface NanoQuote {
  /** A whole number of raw, the smallest unit of Nano. */
  amount_raw: string
  /** In XNO, such as 0.25. */
  amount: string
  asset: 'XNO'
  network: 'nano:mainnet'
  expires_at: string
}

export interface Notification {
  id: string
  kind: string
  created_at: string
  read_at: string | null
  post_id: string | null
  purchase_id: string | null
  comment_id: string | null
  follower_id: string | null
  actor: PublicAuthor | null
  title: string
  body: string
  url: string
}

export interface NotificationPreferences {
  email_notifications: boolean
  in_app_notifications: boolean
  push_notifications: boolean
  notify_new_purchase: boolean
  notify_tip_received: boolean
  notify_payout_sent: boolean
  notify_new_post: boolean
  notify_new_follow: boolean
  notify_account_issues: boolean
  notify_summaries: boolean
  notify_new_comment: boolean
  notify_comment_reply: boolean
  notify_comment_mention: boolean
  notify_commented_post_activity: boolean
  notify_new_purchase_inapp: boolean
  notify_tip_received_inapp: boolean
  notify_payout_sent_inapp: boolean
  notify_new_post_inapp: boolean
  notify_new_follow_inapp: boolean
  notify_account_issues_inapp: boolean
  notify_summaries_inapp: boolean
  notify_new_comment_inapp: boolean
  notify_comment_reply_inapp: boolean
  notify_comment_mention_inapp: boolean
  notify_commented_post_activity_inapp: boolean
  show_on_creator_leaderboards: boolean
  show_on_supporter_leaderboard: boolean
}

export interface Obligation {
  id: string
  /** Who it is owed to. A refund is owed to the payer. */
  role: 'creator' | 'house' | 'refund'
  status: 'waiting' | 'blocked'
  /** Why it is blocked. */
  reason: string | null
  asset: 'XNO'
  amountRaw: string
  destination: string
  payee: {
    id: string
    handle: string
  } | null
  sourceKind: 'purchase' | 'tip' | null
  sourceId: string | null
  createdAt: string
}

export interface OwnedAttachment {
  id: string
  filename: string
  sizeBytes: number
  description: string
  sha256: string
  mimeType: 'application/zip'
  downloadUrl: string
  contents: string[] | null
  state: 'pending' | 'ready' | 'cleanup_queued' | 'removed'
  safety: {
    operationId: string
    targetKind: 'inline' | 'og' | 'avatar' | 'header' | 'attachment'
    targetId: string
    /** The node key of an inline image, otherwise empty. */
    targetKey: string
    generation: number
    currentGeneration: number
    associated: boolean
    desired: boolean
    held: boolean
    /** Whether the bytes are stored durably. */
    received: boolean
    /** Received, cleared, desired, not held, and of the current generation. */
    eligible: boolean
    reuploadAllowed: boolean
    state: 'receiving' | 'queued' | 'checking' | 'cleared' | 'rejected' | 'failed' | 'cancelled'
    policyVersion: string
    lastError: string | null
    retryAfterSeconds: number
    csamCoverage: 'complete' | 'partial' | null
  }
  operation: {
    id: string
    requestKey: string
    transport: {
      stage: 'reserved' | 'receiving' | 'received' | 'complete' | 'failed' | 'cancelled'
      receipt: {
        received: boolean
        sizeBytes: number | null
        sha256: string | null
      }
      association: {
        revision: string | null
        conflict: string | null
      }
      parts: {
        number: number
        length: number
        generation: number
        state: 'waiting' | 'authorized' | 'stored'
      }[]
    }
    cleanup: {
      state: 'none' | 'queued' | 'done' | 'retained'
      attempts: number
      nextAttemptAt: string | null
      lastError: string | null
    }
  }
  retentionReason?: 'financial-history-retained' | undefined
}

export interface OwnerSession {
  id: string
  kind: 'email' | 'wallet'
  /** Where it was started, in words: `Firefox on Linux`, the name of a program, or `Unknown device`. */
  device: string
  /** Whether this request uses it. */
  isCurrent: boolean
  startedAt: string
  renewedAt: string
  lastUsedAt: string
  expiresAt: string
}

export interface PartTransfer {
  partNumber: number
  offset: number
  length: number
  method: 'PUT'
  url: string
  headers: {
    'x-part-capability': string
  }
  expiresAt: string
}

export interface PaymentOffer {
  asset: 'XNO' | 'USDC'
  network: string
  amountAtomic: string | null
  amount: string | null
  feeAtomic: string | null
  status: 'ready' | 'below_minimum' | 'rate_stale' | 'address_missing' | 'rail_off'
  reason: string | null
  minimumAtomic: string | null
  derived: {
    from: {
      asset: 'XNO' | 'USDC'
      amountAtomic: string
    }
    rate: string
    providers: {
      pair: string
      price: string
      at: string
    }[]
  } | null
  /** Where to pay: its 402 lists this offer only. */
  quoteUrl: string
}

export interface PaymentReceipt {
  success: true
  transaction: string
  network: string
  payer: string
  /** `offer-receipt`: the receipt as a JWS, signed with the key in `/.well-known/did.json`. */
  extensions: Record<string, unknown>
}

export interface PaymentRequired {
  x402Version: 2
  error: string
  resource: {
    url: string
    description: string
    mimeType: string
    serviceName?: string | undefined
  }
  accepts: PaymentRequirements[]
  extensions?: Record<string, unknown> | undefined
  offers: PaymentOffer[]
}

export interface PaymentRequirements {
  scheme: 'exact'
  network: 'eip155:8453' | 'nano:mainnet'
  asset: string
  amount: string
  payTo: string
  maxTimeoutSeconds: number
  extra: {
    name?: string | undefined
    version?: string | undefined
    /** Identifies this offer. A payment settled under it can be read again with it. */
    quote: string
  }
}

export interface PayoutBinding {
  source_kind: 'purchase' | 'tip'
  source_id: string
  status: 'waiting' | 'blocked' | 'confirmed'
  payoutAddress: string
  addressUpdatedAt: string
  resolution_eligible: boolean
  replayed: boolean
}

export interface PlaceInSeries {
  id: string
  title: string
  /** From 1. */
  position: number
  count: number
  previous: {
    id: string
    title: string
    pageUrl: string
  } | null
  next: {
    id: string
    title: string
    pageUrl: string
  } | null
}

export interface Post {
  id: string
  status: 'draft' | 'published' | 'withdrawn'
  slug: string
  title: string
  description: string
  freeContentMarkdown: string
  paidContentMarkdown: string
  enablePaywall: boolean
  priceCurrency: 'XNO' | 'USDC' | null
  priceAtomic: string | null
  priceRaw: string | null
  effectivePrice: EffectivePrice
  paymentOffers: PaymentOffer[]
  category: string | null
  language: string | null
  creationMethod: 'human' | 'ai_assisted' | 'ai_generated' | 'autonomous_agent' | null
  creationDetails: string | null
  creationAttested: boolean
  tags: PostTag[]
  commentsEnabled: boolean
  agentCommentsEnabled: boolean
  searchPaidContent: boolean
  math: boolean
  canonicalUrl: string | null
  ogImageUrl: string | null
  attachments: Attachment[]
  createdAt: string
  updatedAt: string
  /** The publishing key that changed it last. Null if that was you in a browser. */
  writtenByKey: WrittenByKey | null
  publishedAt: string | null
  /** When it was imported. Its `publishedAt` is what its author said then. */
  importedAt: string | null
  /** When it will be published, if its author has scheduled that. */
  scheduledFor: string | null
  withdrawnAt: string | null
  contentUrl: string
  accessUrl: string
  figures: PostFigures
  blockers: {
    code: string
    field: string
    message: string
  }[]
}

export interface PostAccess {
  access: 'free' | 'owner' | 'purchased' | 'gift' | 'wallet'
  postId: string
  contentMarkdown: string
  contentHtml: string
  paidContentMarkdown: string | null
  paidContentHtml: string | null
  attachments: Attachment[]
  entitlement: {
    source: 'purchase' | 'x402' | 'checkout'
    grantedAt: string
  } | null
  /** With `siwx=read`, if a wallet might read more: the challenge for it to sign. */
  extensions?: Record<string, unknown> | undefined
}

export interface PostDetail {
  id: string
  title: string
  description: string
  effectivePrice: EffectivePrice
  priceRaw: string | null
  priceCurrency: 'XNO' | 'USDC' | null
  priceAtomic: string | null
  paymentOffers: PaymentOffer[]
  updatedAt: string
  language: string | null
  attachments: Attachment[]
  contentUrl: string
  accessUrl: string
  tags: PostTag[]
  /** The canonical URL of its page. It changes with the title and the handle, and old ones redirect. `contentUrl` never changes. */
  pageUrl: string
  /** The first 600 characters of the free content, with white space collapsed. */
  freePreview: string
  /** The networks of the offers whose status is `ready`. */
  acceptedRails: string[]
  creation: {
    method: string
    details: string | null
    attested: boolean
  } | null
  /** Estimated for the whole post, with its paid part. Null until it is counted. */
  readingMinutes: number | null
  /** Not counting deleted comments. In lists it follows within half a minute. */
  commentCount: number
  /** The cover image. */
  ogImageUrl: string | null
  freeContentMarkdown: string
  freeContentHtml: string
  author: PublicAuthor
  category: string | null
  publishedAt: string
  commentPolicy: {
    commentsEnabled: boolean
    agentCommentsEnabled: boolean
  }
  reactions: ReactionSummary
  /** Tips to the post in Nano, in raw. */
  tipTotalRaw: string
  /** Tips to the post in USDC, in atomic units. */
  tipTotalAtomic: string
  /** The tips in Nano that the author suggests, or null if the author has no Nano address. */
  tipping: Tipping | null
  salesCount: number
}

export interface PostDraft {
  title: string
  description?: string | null | undefined
  freeContentMarkdown?: string | null | undefined
  paidContentMarkdown?: string | null | undefined
  enablePaywall?: boolean | undefined
  priceCurrency?: 'XNO' | 'USDC' | null | undefined
  priceAtomic?: string | null | undefined
  priceRaw?: string | null | undefined
  category?: 'technology' | 'science' | 'business' | 'finance' | 'politics' | 'culture' | 'arts' | 'fiction' | 'education' | 'health' | 'sports' | 'lifestyle' | 'gaming' | 'other' | null | undefined
  /** BCP 47 */
  language?: string | null | undefined
  creationMethod?: 'human' | 'ai_assisted' | 'ai_generated' | 'autonomous_agent' | null | undefined
  creationDetails?: string | null | undefined
  creationAttested?: boolean | undefined
  tags?: string[] | undefined
  commentsEnabled?: boolean | undefined
  agentCommentsEnabled?: boolean | undefined
  /** Whether `$…$` and `$$…$$` are formulas in TeX, shown as MathML. Off by default: most posts mean dollars. */
  math?: boolean | undefined
  /** Where the original of this post is, if it appeared elsewhere first. Search engines list that page instead. */
  canonicalUrl?: string | null | undefined
  /** Whether searches also look in the paid content. The results never show any of it, but someone who searches for many words can find out which of them it contains. */
  searchPaidContent?: boolean | undefined
}

/** Counted since the post was created. Its statistics list them by day. */
export interface PostFigures {
  readers: number
  paywallViews: number
  sales: number
  comments: number
}

export interface PostPatch {
  title?: string | undefined
  description?: string | null | undefined
  freeContentMarkdown?: string | null | undefined
  paidContentMarkdown?: string | null | undefined
  enablePaywall?: boolean | undefined
  priceCurrency?: 'XNO' | 'USDC' | null | undefined
  priceAtomic?: string | null | undefined
  priceRaw?: string | null | undefined
  category?: 'technology' | 'science' | 'business' | 'finance' | 'politics' | 'culture' | 'arts' | 'fiction' | 'education' | 'health' | 'sports' | 'lifestyle' | 'gaming' | 'other' | null | undefined
  /** BCP 47 */
  language?: string | null | undefined
  creationMethod?: 'human' | 'ai_assisted' | 'ai_generated' | 'autonomous_agent' | null | undefined
  creationDetails?: string | null | undefined
  creationAttested?: boolean | undefined
  tags?: string[] | undefined
  commentsEnabled?: boolean | undefined
  agentCommentsEnabled?: boolean | undefined
  /** Whether `$…$` and `$$…$$` are formulas in TeX, shown as MathML. Off by default: most posts mean dollars. */
  math?: boolean | undefined
  /** Where the original of this post is, if it appeared elsewhere first. Search engines list that page instead. */
  canonicalUrl?: string | null | undefined
  /** Whether searches also look in the paid content. The results never show any of it, but someone who searches for many words can find out which of them it contains. */
  searchPaidContent?: boolean | undefined
}

export interface PostStatistics {
  postId: string
  title: string
  from: string
  to: string
  totals: StatisticsFigures
  /** Oldest first. Days on which nothing happened are left out. */
  days: {
    day: string
    /** Each person counts once a month and post, on the day of the first visit. */
    readers: number
    /** How many of them saw the paywall of a paid post because they had no access. */
    paywallViews: number
    sales: {
      count: number
      XNO: SalesFigures
      USDC: SalesFigures
    }
    /** Tips to posts, and to your comments on them. */
    tips: {
      count: number
      XNO: TipFigures
      USDC: TipFigures
    }
    conversion: Conversion
  }[]
  /** The sites that readers came from, most readers first. */
  referrers: {
    /** Null: they came directly, or it is not known. `other`: all that are not listed. */
    host: string | null
    readers: number
  }[]
}

export interface PostSummary {
  id: string
  title: string
  description: string
  effectivePrice: EffectivePrice
  priceRaw: string | null
  priceCurrency: 'XNO' | 'USDC' | null
  priceAtomic: string | null
  paymentOffers: PaymentOffer[]
  updatedAt: string
  language: string | null
  attachments: Attachment[]
  contentUrl: string
  accessUrl: string
  tags: PostTag[]
  /** The canonical URL of its page. It changes with the title and the handle, and old ones redirect. `contentUrl` never changes. */
  pageUrl: string
  /** The first 600 characters of the free content, with white space collapsed. */
  freePreview: string
  /** The networks of the offers whose status is `ready`. */
  acceptedRails: string[]
  creation: {
    method: string
    details: string | null
    attested: boolean
  } | null
  /** Estimated for the whole post, with its paid part. Null until it is counted. */
  readingMinutes: number | null
  /** Not counting deleted comments. In lists it follows within half a minute. */
  commentCount: number
  /** The cover image. */
  ogImageUrl: string | null
}

export interface PostTag {
  id: string
  profileId: string
  name: string
  collectionUrl: string
}

export interface PostVersion {
  id: string
  /** `edit` is how the post was before more was written, `publish` how it was published. */
  kind: 'edit' | 'publish'
  title: string
  /** The length of both texts. */
  characters: number
  createdAt: string
  /** The publishing key that had changed the post last. Null if that was you in a browser. */
  writtenByKey: WrittenByKey | null
  description: string
  freeContentMarkdown: string
  paidContentMarkdown: string
}

export interface PostVersionSummary {
  id: string
  /** `edit` is how the post was before more was written, `publish` how it was published. */
  kind: 'edit' | 'publish'
  title: string
  /** The length of both texts. */
  characters: number
  createdAt: string
  /** The publishing key that had changed the post last. Null if that was you in a browser. */
  writtenByKey: WrittenByKey | null
}

/** Files that the post has already, or that are being checked. */
export interface PresentFiles {
  /** The keys of inline images that were received. */
  images: string[]
  hasCover: boolean
  /** The SHA-256 of each ZIP file. */
  attachments: string[]
}

export interface PrivateFeed {
  createdAt: string
}

export interface Profile {
  id: string
  name: string
  handle: string
  bio: string | null
  location: string | null
  socialLinks: SocialLink[]
  pinnedPostId: string | null
  avatarUrl: string | null
  headerImageUrl: string | null
  authorKind: 'human' | 'agent'
  tipping: Tipping
}

export interface PublicAuthor {
  id: string
  handle: string
  name: string
  avatarUrl: string | null
  authorKind: 'human' | 'agent'
}

export interface PublishReply {
  id: string
  status: 'draft' | 'published' | 'withdrawn'
  slug: string
  title: string
  description: string
  freeContentMarkdown: string
  paidContentMarkdown: string
  enablePaywall: boolean
  priceCurrency: 'XNO' | 'USDC' | null
  priceAtomic: string | null
  priceRaw: string | null
  effectivePrice: EffectivePrice
  paymentOffers: PaymentOffer[]
  category: string | null
  language: string | null
  creationMethod: 'human' | 'ai_assisted' | 'ai_generated' | 'autonomous_agent' | null
  creationDetails: string | null
  creationAttested: boolean
  tags: PostTag[]
  commentsEnabled: boolean
  agentCommentsEnabled: boolean
  searchPaidContent: boolean
  math: boolean
  canonicalUrl: string | null
  ogImageUrl: string | null
  attachments: Attachment[]
  createdAt: string
  updatedAt: string
  /** The publishing key that changed it last. Null if that was you in a browser. */
  writtenByKey: WrittenByKey | null
  publishedAt: string | null
  /** When it was imported. Its `publishedAt` is what its author said then. */
  importedAt: string | null
  /** When it will be published, if its author has scheduled that. */
  scheduledFor: string | null
  withdrawnAt: string | null
  contentUrl: string
  accessUrl: string
  figures: PostFigures
  blockers: {
    code: string
    field: string
    message: string
  }[]
  /** `started`: the post is being emailed to your subscribers. `limit_reached`: it is published but not emailed, because as many of your posts as the operator allows were emailed in the last 24 hours. `none`: there is nothing to email now: nobody is subscribed, you did not want it, the post was published before, or it is scheduled. */
  emailSubscribers: 'started' | 'limit_reached' | 'none'
}

export interface Purchase {
  id: string
  post_id: string
  /** `received`: the full amount is confirmed and access is granted. `paid`: the creator has been paid. A full payment that arrives late, within 24 hours after the quote ended or was cancelled, buys if the price is not higher by then; otherwise it is returned. */
  status: 'pending' | 'received' | 'paid' | 'cancelled' | 'expired'
  /** A whole number of the smallest unit of the asset. */
  amount_raw: string
  /** Everything that was received, including what is refunded. */
  received_raw: string
  /** What is returned to the senders: overpayments, payments that came too late, duplicates. */
  refunded_raw: string
  created_at: string
  received_at: string | null
  paid_at: string | null
  payout: {
    status: 'none' | 'waiting' | 'blocked' | 'confirmed'
    /** The block or transaction that paid the creator. */
    block_hash: string | null
  }
  asset: 'XNO' | 'USDC'
  network: 'nano:mainnet' | 'eip155:8453'
  quote: {
    /** A whole number of the smallest unit of the asset. */
    amount_raw: string
    amount: string
    asset: 'XNO' | 'USDC'
    network: 'nano:mainnet' | 'eip155:8453'
    expires_at: string
  }
  /** Null for USDC, which goes directly to the creator. */
  ephemeral_address: EphemeralAddress | null
  entitlement: {
    source: string
    granted_at: string
  } | null
}

export interface ReactionSummary {
  counts: {
    thumbs_up: number
    heart: number
    fire: number
    clap: number
  }
  total: number
  viewerReaction: 'thumbs_up' | 'heart' | 'fire' | 'clap' | null
}

export interface Reactions {
  summary: ReactionSummary
  reaction: 'thumbs_up' | 'heart' | 'fire' | 'clap' | null
  /** Newest first. Empty unless the request names a `reaction`. */
  reactors: Reactor[]
  pagination: {
    limit: number
    offset: number
    total: number
    hasMore: boolean
  } | null
}

export interface Reactor {
  profile: PublicAuthor
  reaction: 'thumbs_up' | 'heart' | 'fire' | 'clap'
  created_at: string
}

export interface Readiness {
  status: 'ready' | 'not-ready'
  /** Required dependencies that are unavailable. */
  missing: string[]
  /** Optional dependencies that are unavailable. */
  degraded: string[]
  /** What is wrong with some of them, by name, for operators. */
  details: Record<string, string>
}

export interface ReceivingAddress {
  payoutAddress: string | null
  addressUpdatedAt: string | null
  revision: string | null
}

export interface RegistrationReceipt {
  registrationId: string
  expiresAt: string
  message: string
}

export interface Report {
  id: string
  status: 'open' | 'dismissed' | 'upheld'
  targetKind: 'post' | 'comment'
  postId: string
  commentId: string | null
  reason: string
  reporter: {
    id: string
    handle: string
  }
  createdAt: string
  target: {
    author: {
      id: string
      handle: string
    }
    /** A comment's content, or a post's title. */
    excerpt: string
    /** Whether the comment was deleted, or the post is no longer public. */
    isGone: boolean
  }
  decision: 'dismiss' | 'remove_comment' | 'withdraw_post' | null
  note: string | null
  decidedAt: string | null
  decidedBy: string | null
}

export interface ReportReceipt {
  success: true
  reportId: string
  status: 'open' | 'dismissed' | 'upheld'
  replayed: boolean
}

export interface SalesFigures {
  count: number
  /** A whole number of the smallest unit. Left out for a publishing key: money is for the owner. */
  grossAtomic?: string | undefined
  /** A whole number of the smallest unit. Left out for a publishing key: money is for the owner. */
  commissionAtomic?: string | undefined
  /** A whole number of the smallest unit. Left out for a publishing key: money is for the owner. */
  netAtomic?: string | undefined
}

export interface SavedComment {
  id: string
  post_id: string
  /** The root of the thread, or null if this is the root. */
  parent_comment_id: string | null
  /** The comment that this one replies to. */
  reply_target_comment_id: string | null
  thread_root_id: string
  /** 0 for a root, 1 for a reply. */
  depth: number
  /** Null if deleted. */
  content: string | null
  created_at: string
  deleted_at: string | null
  deleted_by_role: 'author' | 'post_owner' | 'admin' | null
  author: PublicAuthor
  has_purchased: boolean
  reactions: ReactionSummary
  /** Tips in Nano, in raw. */
  tip_total_raw: string
  /** Tips in USDC, in atomic units. */
  tip_total_atomic: string
  /** For a root: the number of replies that are not deleted. */
  reply_count: number
  mentions: Mention[]
  mentionProfiles: MentionProfile[]
  replayed: boolean
}

export interface SentTip {
  id: string
  post_id: string
  /** Null for a tip to the post itself. */
  comment_id: string | null
  status: 'received' | 'paid'
  asset: 'XNO' | 'USDC'
  /** In raw. Null for USDC. */
  amount_raw: string | null
  /** In atomic units of USDC. Null for Nano. */
  amount_atomic: string | null
  created_at: string
}

export interface Series {
  id: string
  title: string
  createdAt: string
  /** In their order. Readers see the published ones. */
  posts: {
    postId: string
    title: string
    status: 'draft' | 'published' | 'withdrawn'
  }[]
}

export interface SeriesInput {
  title: string
  /** Ids of your posts. */
  postIds: string[]
}

export interface SiteSettings {
  name: string
  tagline: string
  description: string
  /** An https URL, or a path of this site. */
  logoUrl: string | null
  /** An https URL, or a path of this site. */
  iconUrl: string | null
  accentColor: string | null
  navigation: {
    label: string
    /** An https URL, or a path of this site. */
    url: string
  }[]
  aboutMarkdown: string | null
  termsMarkdown: string | null
  privacyMarkdown: string | null
  /** Whether anyone may sign up, only people with an invitation, or nobody. */
  registration: 'open' | 'invite' | 'closed'
}

export interface SiwxInfo {
  domain: string
  uri: string
  version: '1'
  chainId: 'eip155:8453'
  nonce: string
  issuedAt: string
  expirationTime: string
  statement: string
}

export interface SocialLink {
  label: 'X' | 'Custom'
  url: string
}

export interface Statistics {
  from: string
  to: string
  totals: StatisticsFigures
  /** Oldest first. Days on which nothing happened are left out. */
  days: {
    day: string
    /** Each person counts once a month and post, on the day of the first visit. */
    readers: number
    /** How many of them saw the paywall of a paid post because they had no access. */
    paywallViews: number
    sales: {
      count: number
      XNO: SalesFigures
      USDC: SalesFigures
    }
    /** Tips to posts, and to your comments on them. */
    tips: {
      count: number
      XNO: TipFigures
      USDC: TipFigures
    }
    conversion: Conversion
  }[]
  /** The sites that readers came from, most readers first. */
  referrers: {
    /** Null: they came directly, or it is not known. `other`: all that are not listed. */
    host: string | null
    readers: number
  }[]
  /** Most readers first, at most 100. */
  posts: {
    postId: string
    title: string
    /** Each person counts once a month and post, on the day of the first visit. */
    readers: number
    /** How many of them saw the paywall of a paid post because they had no access. */
    paywallViews: number
    sales: {
      count: number
      XNO: SalesFigures
      USDC: SalesFigures
    }
    /** Tips to posts, and to your comments on them. */
    tips: {
      count: number
      XNO: TipFigures
      USDC: TipFigures
    }
    conversion: Conversion
  }[]
  /** How many posts were read, sold or tipped. */
  postCount: number
}

export interface StatisticsFigures {
  /** Each person counts once a month and post, on the day of the first visit. */
  readers: number
  /** How many of them saw the paywall of a paid post because they had no access. */
  paywallViews: number
  sales: {
    count: number
    XNO: SalesFigures
    USDC: SalesFigures
  }
  /** Tips to posts, and to your comments on them. */
  tips: {
    count: number
    XNO: TipFigures
    USDC: TipFigures
  }
  conversion: Conversion
}

export interface Subscriber {
  id: string
  email: string
  /** `form`: confirmed by a link in an email. `account`: subscribed while signed in with this address. `import`: from a list of yours. */
  source: 'form' | 'account' | 'import'
  subscribedAt: string
}

export interface Supporter {
  /** Null for a wallet without an account. */
  tipper: PublicAuthor | null
  /** A whole number of raw, the smallest unit of Nano. */
  tipAmountRaw: string | null
  /** A whole number of atomic units of USDC. */
  tipAmountAtomic: string | null
}

export interface Tip {
  id: string
  post_id: string
  /** `received`: the full amount is confirmed and access is granted. `paid`: the creator has been paid. A full payment that arrives late, within 24 hours after the quote ended or was cancelled, buys if the price is not higher by then; otherwise it is returned. */
  status: 'pending' | 'received' | 'paid' | 'cancelled' | 'expired'
  /** A whole number of the smallest unit of the asset. */
  amount_raw: string
  /** Everything that was received, including what is refunded. */
  received_raw: string
  /** What is returned to the senders: overpayments, payments that came too late, duplicates. */
  refunded_raw: string
  created_at: string
  received_at: string | null
  paid_at: string | null
  payout: {
    status: 'none' | 'waiting' | 'blocked' | 'confirmed'
    /** The block or transaction that paid the creator. */
    block_hash: string | null
  }
  asset: 'XNO' | 'USDC'
  network: 'nano:mainnet' | 'eip155:8453'
  quote: {
    /** A whole number of the smallest unit of the asset. */
    amount_raw: string
    amount: string
    asset: 'XNO' | 'USDC'
    network: 'nano:mainnet' | 'eip155:8453'
    expires_at: string
  }
  /** Null for USDC, which goes directly to the author. */
  ephemeral_address: EphemeralAddress | null
  comment_id: string | null
  message: string | null
}

export interface TipActivity {
  id: string
  asset: 'XNO' | 'USDC'
  /** In raw. `0` for a tip in USDC. */
  amountReceivedRaw: string
  /** A whole number of atomic units of USDC. */
  amountReceivedAtomic: string | null
  tipper: PublicAuthor | null
  message: string | null
  createdAt: string
}

export interface TipCheckoutInput {
  postId?: string | undefined
  commentId?: string | undefined
  amountRaw?: string | undefined
  /** One of the author's suggested amounts, in XNO. */
  amount?: number | string | undefined
  message?: string | null | undefined
}

export interface TipFigures {
  count: number
  /** A whole number of the smallest unit. Left out for a publishing key: money is for the owner. */
  amountAtomic?: string | undefined
}

export interface TipInput {
  amountRaw?: string | undefined
  /** One of the author's suggested amounts, in XNO. */
  amount?: number | string | undefined
  message?: string | null | undefined
}

export interface TipSession {
  id: string
  post_id: string
  /** `received`: the full amount is confirmed and access is granted. `paid`: the creator has been paid. A full payment that arrives late, within 24 hours after the quote ended or was cancelled, buys if the price is not higher by then; otherwise it is returned. */
  status: 'pending' | 'received' | 'paid' | 'cancelled' | 'expired'
  /** A whole number of the smallest unit of the asset. */
  amount_raw: string
  /** Everything that was received, including what is refunded. */
  received_raw: string
  /** What is returned to the senders: overpayments, payments that came too late, duplicates. */
  refunded_raw: string
  created_at: string
  received_at: string | null
  paid_at: string | null
  payout: {
    status: 'none' | 'waiting' | 'blocked' | 'confirmed'
    /** The block or transaction that paid the creator. */
    block_hash: string | null
  }
  asset: 'XNO'
  network: 'nano:mainnet'
  quote: NanoQuote
  ephemeral_address: EphemeralAddress
  comment_id: string | null
  message: string | null
}

export interface Tipping {
  buttonLabel: string
  amounts: number[]
}

export interface TokenPair {
  accessToken: string
  refreshToken: string
  tokenType: 'Bearer'
  /** Unix seconds. */
  expiresAt: number
  /** Seconds. */
  expiresIn: number
}

export interface UsdcCheckout {
  id: string
  postId: string
  expiresAt: string
  /** `pending`: a payment was sent and its outcome is not known yet. */
  status: 'open' | 'pending' | 'paid' | 'expired'
  quote: {
    amountAtomic: string
    amount: string
    asset: 'USDC'
    network: 'eip155:8453'
    payTo: string
  }
}

export interface Wallet {
  kind: 'nano' | 'evm'
  address: string
  linkedAt: string
}

export interface WalletSession {
  accessToken: string
  refreshToken: string
  tokenType: 'Bearer'
  /** Unix seconds. */
  expiresAt: number
  /** Seconds. */
  expiresIn: number
  session: {
    user: {
      id: string
    }
    created: boolean
  }
}

export interface Webhook {
  id: string
  url: string
  events: ('sale.created' | 'tip.created' | 'comment.created' | 'post.published')[]
  description: string | null
  status: 'enabled' | 'disabled'
  /** `owner`: you disabled it. `gone`: it replied 410. `failing`: nothing was delivered for three days. Enable it again when it works. */
  disabledReason: 'owner' | 'gone' | 'failing' | null
  /** Since when nothing could be delivered. Null if the last request was accepted, or none was sent. */
  failingSince: string | null
  createdAt: string
}

export interface WebhookDelivery {
  id: string
  type: string
  status: 'waiting' | 'delivered' | 'failed'
  attempts: number
  /** Of the last attempt. Null if there was no reply. */
  responseStatus: number | null
  /** Why the last attempt failed, in words. */
  error: string | null
  createdAt: string
  lastAttemptAt: string | null
  nextAttemptAt: string | null
}

export interface WebhookWithSecret {
  webhook: Webhook
  /** Signs every request (HMAC-SHA256). Shown in this response only; if it is lost, replace it. Give the part after `whsec_` to a Standard Webhooks library. */
  secret: string
}

export interface WrittenByKey {
  keyId: string
  label: string | null
  status: 'active' | 'expired' | 'revoked'
}

export interface X402Manifest {
  version: 1
  x402Version: 2
  kind: 'resource-server'
  name: string
  /** The newest paid posts. `catalog` lists all of them. */
  resources: string[]
  catalog: string
  openapi: string
}
