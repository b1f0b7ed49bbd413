// Made from the contract by `npm run generate`. Do not edit.
import type { Downloads, Events, NoInput, Operation, OptionalOperation, Reply } from '../operation.ts'
import type {
  AdminAccount,
  AdminOverview,
  ApiKey,
  Attachment,
  AttachmentManifest,
  AttachmentResult,
  AuditEntry,
  Bookmark,
  BookmarkedPost,
  Comment,
  CommentPage,
  CommentReceipt,
  CommentSort,
  ConnectedProgram,
  ContinuationReceipt,
  ContinuedSession,
  DeadJob,
  EarningsReport,
  EphemeralAddress,
  FinancialList,
  Follow,
  FollowPreferences,
  FollowedPost,
  GiftLink,
  GuestSession,
  ImageOperation,
  Import,
  ImportResult,
  ImportedPost,
  ImportedPostEntry,
  IncidentHold,
  Invitation,
  IssuedKey,
  KeyRequest,
  LibraryItem,
  ListedGiftLink,
  Mailing,
  Me,
  ModeratedPost,
  NanoCheckout,
  NanoPayment,
  NanoQuote,
  Notification,
  NotificationPreferences,
  Obligation,
  OwnedAttachment,
  OwnerSession,
  PartTransfer,
  PaymentReceipt,
  PaymentRequired,
  PaymentRequirements,
  PayoutBinding,
  PlaceInSeries,
  Post,
  PostAccess,
  PostDetail,
  PostDraft,
  PostPatch,
  PostStatistics,
  PostSummary,
  PostVersion,
  PostVersionSummary,
  PrivateFeed,
  Profile,
  PublicAuthor,
  PublishReply,
  Purchase,
  ReactionSummary,
  Reactions,
  Readiness,
  ReceivingAddress,
  RegistrationReceipt,
  Report,
  ReportReceipt,
  SavedComment,
  SentTip,
  Series,
  SeriesInput,
  SiteSettings,
  SiwxInfo,
  Statistics,
  Subscriber,
  Supporter,
  Tip,
  TipActivity,
  TipCheckoutInput,
  TipInput,
  TipSession,
  TokenPair,
  UsdcCheckout,
  Wallet,
  WalletSession,
  Webhook,
  WebhookDelivery,
  WebhookWithSecret,
  X402Manifest,
} from './types.ts'

export interface StartRegistrationInput {
  body: {
    email: string
    name: string
    handle: string
    acceptedTerms: true
    /** The code of an invitation. */
    invitation?: string | undefined
  }
  /** A UUID, which becomes the registration id. A new one is made for each call unless you pass one. */
  idempotencyKey?: string | undefined
}

export interface VerifyRegistrationInput {
  params: {
    registrationId: string
  }
  body: {
    code: string
  }
}

export interface IssueRegistrationKeyInput {
  params: {
    registrationId: string
  }
  body?: {
    handle?: string | undefined
  } | undefined
}

export interface LogInInput {
  body: {
    email: string
    captchaToken?: string | undefined
  }
}

export interface VerifyLoginInput {
  body: {
    email: string
    code: string
  }
}

export interface ContinueWithEmailInput {
  body: {
    email: string
    acceptedTerms: true
    captchaToken?: string | undefined
    /** The code of an invitation. */
    invitation?: string | undefined
  }
}

export interface VerifyContinuationInput {
  params: {
    continuationId: string
  }
  body: {
    code: string
  }
}

export interface RefreshSessionInput {
  body: {
    refreshToken: string
  }
}

export interface RevokeSessionInput {
  params: {
    sessionId: string
  }
}

export interface IssueKeyInput {
  body?: KeyRequest | undefined
  /** 1 to 255 characters without white space. Repeating the key returns the same response for 24 hours. A new one is made for each call unless you pass one. */
  idempotencyKey?: string | undefined
}

export interface RevokeKeyInput {
  params: {
    keyId: string
  }
}

export interface RotateKeyInput {
  params: {
    keyId: string
  }
  body?: KeyRequest | undefined
}

export interface StartNanoChallengeInput {
  body: {
    /** A Nano address that starts with `nano_` or `xrb_`. */
    account: string
    /** Only with an owner session: the proof confirms this action of the account, and does not link the wallet. */
    confirms?: 'export' | 'deletion' | undefined
  }
}

export interface VerifyNanoChallengeInput {
  body: {
    challengeId: string
    /** A Nano address that starts with `nano_` or `xrb_`. */
    account: string
    signature: string
  }
}

export interface AnswerNanoChallengeInput {
  params: {
    challengeId: string
  }
  body: {
    /** A Nano address that starts with `nano_` or `xrb_`. */
    account: string
    signature: string
    formatted: string
  }
}

export interface GetNanoChallengeInput {
  params: {
    challengeId: string
  }
}

export interface StartNanoTransferInput {
  body: {
    requestSecret: string
    /** Only with an owner session: the proof confirms this action of the account, and does not link the wallet. */
    confirms?: 'export' | 'deletion' | undefined
  }
}

export interface GetNanoTransferInput {
  params: {
    transferId: string
  }
}

export interface ClaimNanoTransferInput {
  params: {
    transferId: string
  }
  body: {
    loginSecret: string
  }
}

export interface StartSiwxChallengeInput {
  body: {
    /** An address. Its checksum is verified if it has one. */
    address: string
    chainId?: 'eip155:8453' | undefined
    /** Only with an owner session: the proof confirms this action of the account, and does not link the wallet. */
    confirms?: 'export' | 'deletion' | undefined
  }
}

export interface VerifySiwxChallengeInput {
  headers?: {
    'sign-in-with-x'?: string | undefined
  } | undefined
  body?: {
    challengeId?: string | undefined
    signature?: string | undefined
  } | undefined
}

export interface LinkWalletInput {
  body: {
    challengeId: string
    /** A Nano address that starts with `nano_` or `xrb_`. */
    account: string
    signature: string
  } | {
    challengeId: string
    signature: string
  } | {
    challengeId: string
    pollSecret: string
  } | {
    transferId: string
    loginSecret: string
  }
}

export interface UnlinkWalletInput {
  body: {
    kind: 'nano' | 'evm'
    address: string
  }
}

export interface ChangeAccountEmailInput {
  body: {
    email: string
  }
}

export interface VerifyAccountEmailInput {
  body: {
    code?: string | undefined
    confirmationUrl?: string | undefined
  }
}

export interface RequestConfirmationInput {
  body: {
    purpose: 'export' | 'deletion'
  }
}

export interface DisconnectProgramInput {
  params: {
    programId: string
  }
}

export interface UpdateProfileInput {
  body: {
    name?: string | undefined
    handle?: string | undefined
    bio?: string | null | undefined
    location?: string | null | undefined
    socialLinks?: {
      label: string
      url: string
    }[] | undefined
    pinnedPostId?: string | null | undefined
    tipping?: {
      buttonLabel: string
      amounts: number[]
    } | undefined
  }
}

export interface GetHandleAvailabilityInput {
  query: {
    handle: string
  }
}

export interface SavePayoutAddressInput {
  body: {
    payoutAddress: string
  }
}

export interface SaveBasePayoutAddressInput {
  body: {
    payoutAddress: string
  }
}

export interface GetFollowInput {
  params: {
    creatorId: string
  }
}

export interface UpdateFollowInput {
  params: {
    creatorId: string
  }
  body: {
    following: boolean
  }
}

export interface GetFollowPreferencesInput {
  params: {
    followId: string
  }
}

export interface UpdateFollowPreferencesInput {
  params: {
    followId: string
  }
  body: {
    notify_new_posts?: boolean | undefined
    notify_channel_email?: boolean | undefined
    notify_channel_inapp?: boolean | undefined
  }
}

export interface ListFollowersInput {
  params: {
    userId: string
  }
  query?: {
    page?: number | undefined
    per_page?: number | undefined
  } | undefined
}

export interface ListFollowingInput {
  params: {
    userId: string
  }
  query?: {
    page?: number | undefined
    per_page?: number | undefined
  } | undefined
}

export interface GetFollowCountsInput {
  params: {
    profileId: string
  }
}

export interface CreatePostInput {
  body: PostDraft
  /** 1 to 255 characters without white space. Repeating the key returns the same response for 24 hours. A new one is made for each call unless you pass one. */
  idempotencyKey?: string | undefined
}

export interface ListPostsInput {
  query?: {
    status?: 'draft' | 'scheduled' | 'published' | 'withdrawn' | undefined
    page?: number | undefined
    per_page?: number | undefined
  } | undefined
}

export interface GetPostInput {
  params: {
    postId: string
  }
}

export interface UpdatePostInput {
  params: {
    postId: string
  }
  headers?: {
    'x-post-revision'?: string | undefined
  } | undefined
  body: PostPatch
}

export interface DeletePostInput {
  params: {
    postId: string
  }
  headers?: {
    'x-post-revision'?: string | undefined
  } | undefined
}

export interface PublishPostInput {
  params: {
    postId: string
  }
  headers?: {
    'x-post-revision'?: string | undefined
  } | undefined
  body?: {
    /** When to publish, at most 366 days ahead. Left out or past: now. */
    publishAt?: string | undefined
    /** Whether the post is emailed to your subscribers. Default: true. Only the first time that it is published. */
    emailSubscribers?: boolean | undefined
  } | null | undefined
}

export interface UnschedulePostInput {
  params: {
    postId: string
  }
  headers?: {
    'x-post-revision'?: string | undefined
  } | undefined
}

export interface WithdrawPostInput {
  params: {
    postId: string
  }
  headers?: {
    'x-post-revision'?: string | undefined
  } | undefined
}

export interface ListPostVersionsInput {
  params: {
    postId: string
  }
}

export interface GetPostVersionInput {
  params: {
    postId: string
    versionId: string
  }
}

export interface PreviewMarkdownInput {
  body: {
    markdown: string
    postId?: string | undefined
    /** Which part of the post this is. */
    part?: 'free' | 'paid' | undefined
    /** Whether it may have formulas. By default as the post. */
    math?: boolean | undefined
  }
}

export interface CreateSeriesInput {
  body: SeriesInput
}

export interface UpdateSeriesInput {
  params: {
    seriesId: string
  }
  body: SeriesInput
}

export interface DeleteSeriesInput {
  params: {
    seriesId: string
  }
}

export interface GetChosenPostsInput {
  params: {
    postId: string
  }
}

export interface ChooseRelatedPostsInput {
  params: {
    postId: string
  }
  body: {
    /** Ids of your posts. */
    postIds: string[]
  }
}

export interface BarPostInput {
  params: {
    postId: string
  }
  body?: {
    note?: string | undefined
  } | undefined
}

export interface RestorePostInput {
  params: {
    postId: string
  }
  body?: {
    note?: string | undefined
  } | undefined
}

export interface StartImportInput {
  body: {
    source: string
    attested: true
    /** Redirect old paths without a prefix too, unless this site has its own page there. For administrators. */
    claimSitePaths?: boolean | undefined
  }
}

export interface ImportPostInput {
  params: {
    importId: string
  }
  query?: {
    dryRun?: 'true' | 'false' | undefined
  } | undefined
  body: ImportedPost
}

export interface ImportImageInput {
  params: {
    importId: string
    postId: string
  }
  query?: {
    key?: string | undefined
  } | undefined
  body: FormData
  /** 1 to 255 characters without white space. Save the key before you send the request. A new one is made for each call unless you pass one. */
  idempotencyKey?: string | undefined
}

export interface ImportAttachmentInput {
  params: {
    importId: string
    postId: string
  }
  body: FormData
  /** 1 to 255 characters without white space. Save the key before you send the request. A new one is made for each call unless you pass one. */
  idempotencyKey?: string | undefined
}

export interface ListImportedPostsInput {
  query?: {
    cursor?: string | undefined
    limit?: number | undefined
  } | undefined
}

export interface GetStatisticsInput {
  query?: {
    /** The first day, in UTC. Default: 29 days before the last. */
    from?: string | undefined
    /** The last day, in UTC. Default: today. */
    to?: string | undefined
  } | undefined
}

export interface GetPostStatisticsInput {
  params: {
    postId: string
  }
  query?: {
    /** The first day, in UTC. Default: 29 days before the last. */
    from?: string | undefined
    /** The last day, in UTC. Default: today. */
    to?: string | undefined
  } | undefined
}

export interface ExportStatisticsInput {
  query?: {
    /** The first day, in UTC. Default: 29 days before the last. */
    from?: string | undefined
    /** The last day, in UTC. Default: today. */
    to?: string | undefined
  } | undefined
}

export interface ExportPostStatisticsInput {
  params: {
    postId: string
  }
  query?: {
    /** The first day, in UTC. Default: 29 days before the last. */
    from?: string | undefined
    /** The last day, in UTC. Default: today. */
    to?: string | undefined
  } | undefined
}

export interface UploadPostImageInput {
  params: {
    postId: string
  }
  query?: {
    /** `content` or `og`. Takes precedence over the form field. */
    intent?: string | undefined
  } | undefined
  headers?: {
    'x-post-revision'?: string | undefined
    'if-match'?: string | undefined
    /** The node key of an inline image. */
    'x-upload-target-key'?: string | undefined
  } | undefined
  body: FormData
  /** 1 to 255 characters without white space. Save the key before you send the request. A new one is made for each call unless you pass one. */
  idempotencyKey?: string | undefined
}

export interface UploadAvatarInput {
  body: FormData
  /** 1 to 255 characters without white space. Save the key before you send the request. A new one is made for each call unless you pass one. */
  idempotencyKey?: string | undefined
}

export interface UploadHeaderInput {
  body: FormData
  /** 1 to 255 characters without white space. Save the key before you send the request. A new one is made for each call unless you pass one. */
  idempotencyKey?: string | undefined
}

export interface ListUploadOperationsInput {
  query?: {
    postId?: string | undefined
    cursor?: string | undefined
    requestKey?: string | undefined
    targetKind?: 'inline' | 'og' | 'avatar' | 'header' | undefined
    targetId?: string | undefined
    targetKey?: string | undefined
  } | undefined
}

export interface GetUploadOperationInput {
  params: {
    operationId: string
  }
}

export interface AssociateUploadInput {
  params: {
    operationId: string
  }
}

export interface CancelUploadInput {
  params: {
    operationId: string
  }
}

export interface GetMediaInput {
  params: {
    file: string
  }
  headers?: {
    range?: string | undefined
    'if-none-match'?: string | undefined
    'if-range'?: string | undefined
  } | undefined
}

export interface GetThumbnailInput {
  params: {
    file: string
  }
}

export interface ListAttachmentsInput {
  params: {
    postId: string
  }
  query?: {
    requestKey?: string | undefined
  } | undefined
}

export interface ReserveAttachmentInput {
  params: {
    postId: string
  }
  headers?: {
    'x-post-revision'?: string | undefined
    'if-match'?: string | undefined
  } | undefined
  body: {
    filename: string
    description?: string | undefined
    sizeBytes: number
    sha256: string
  }
  /** 1 to 255 characters without white space. Save the key before you send the request. A new one is made for each call unless you pass one. */
  idempotencyKey?: string | undefined
}

export interface LookUpAttachmentInput {
  params: {
    postId: string
  }
  query: {
    requestKey: string
  }
}

export interface TransportAttachmentInput {
  params: {
    postId: string
    operationId: string
  }
  body?: {
    partNumber?: number | undefined
  } | undefined
}

export interface CompleteAttachmentInput {
  params: {
    postId: string
    operationId: string
  }
  body?: Record<string, never> | undefined
}

export interface EditAttachmentInput {
  params: {
    postId: string
    assetId: string
  }
  headers?: {
    'x-post-revision'?: string | undefined
    'if-match'?: string | undefined
  } | undefined
  body: {
    filename?: string | undefined
    description?: string | undefined
  }
}

export interface RemoveAttachmentInput {
  params: {
    postId: string
    assetId: string
  }
  headers?: {
    'x-post-revision'?: string | undefined
    'if-match'?: string | undefined
  } | undefined
}

export interface DownloadAttachmentInput {
  params: {
    postId: string
    assetId: string
  }
}

export interface UploadAttachmentInput {
  params: {
    postId: string
  }
  headers?: {
    'x-post-revision'?: string | undefined
    'if-match'?: string | undefined
  } | undefined
  body: FormData
  /** 1 to 255 characters without white space. Save the key before you send the request. A new one is made for each call unless you pass one. */
  idempotencyKey?: string | undefined
}

export interface StoreAttachmentPartInput {
  query?: {
    operation?: string | undefined
    part?: string | undefined
  } | undefined
  headers?: {
    'x-part-capability'?: string | undefined
  } | undefined
  body: Blob | Uint8Array | ArrayBuffer
}

export interface ListPublicAttachmentsInput {
  params: {
    postId: string
  }
}

export interface ListPublicPostsInput {
  query?: {
    /** Every word must occur in the title, description, creator or text, or another form of it in the language of the post. Case and accents are ignored, and the last word may be the beginning of one. A query with `%`, `_`, `/` or `\` is searched literally as a whole, within one field. */
    q?: string | undefined
    sort?: 'recommended' | 'newest' | 'oldest' | 'popular' | 'price_asc' | 'price_desc' | undefined
    access?: 'all' | 'free' | 'paid' | undefined
    author?: 'all' | 'human' | 'agent' | undefined
    category?: string | undefined
    language?: string | undefined
    has_attachments?: boolean | undefined
    max_price_raw?: string | undefined
    asset?: 'XNO' | 'USDC' | undefined
    network?: string | undefined
    max_amount_atomic?: string | undefined
    page?: number | undefined
    per_page?: number | undefined
  } | undefined
}

export interface GetPublicPostInput {
  params: {
    postId: string
  }
}

export interface ListTagPostsInput {
  params: {
    tagId: string
  }
  query?: {
    page?: number | undefined
    per_page?: number | undefined
  } | undefined
}

export interface ListRelatedPostsInput {
  params: {
    postId: string
  }
  query?: {
    limit?: number | undefined
  } | undefined
}

export interface ListPaidPostsInput {
  query?: {
    limit?: number | undefined
    published_after?: string | undefined
    /** The `nextCursor` of the previous page. */
    cursor?: string | undefined
  } | undefined
}

export interface GetLeaderboardInput {
  query: {
    board: 'creators_earnings' | 'creators_sales' | 'creators_followers' | 'supporters'
    /** The asset of `creators_earnings` and `supporters`. Other boards ignore it. */
    asset?: 'XNO' | 'USDC' | undefined
    limit?: number | undefined
    offset?: number | undefined
  }
}

export interface SuggestSearchesInput {
  query: {
    q: string
  }
}

export interface ListFollowedPostsInput {
  query?: {
    limit?: number | undefined
    /** The `nextCursor` of the previous page. */
    cursor?: string | undefined
  } | undefined
}

export interface GetBookmarkInput {
  params: {
    postId: string
  }
}

export interface AddBookmarkInput {
  params: {
    postId: string
  }
}

export interface RemoveBookmarkInput {
  params: {
    postId: string
  }
}

export interface ListBookmarksInput {
  query?: {
    limit?: number | undefined
    /** The `nextCursor` of the previous page. */
    cursor?: string | undefined
  } | undefined
}

export interface GetAccessInput {
  params: {
    postId: string
  }
  query?: {
    /** The token of a gift link. */
    gift?: string | undefined
    /** Read with the purchases of a wallet. Without `SIGN-IN-WITH-X` the reply holds the challenge to sign. A signature counts on this exact URL only, without other parameters. */
    siwx?: 'read' | undefined
    /** A 402 lists the offer in this asset only. */
    asset?: 'USDC' | 'XNO' | undefined
    /** A 402 lists the offer on this network only. The same as `asset`. */
    network?: 'eip155:8453' | 'nano:mainnet' | 'nano-mainnet' | undefined
  } | undefined
  headers?: {
    /** An x402 v2 payment: base64-encoded JSON. */
    'payment-signature'?: string | undefined
    /** The signed challenge of a 402: base64-encoded JSON. */
    'sign-in-with-x'?: string | undefined
  } | undefined
}

export interface GetAssetInput {
  params: {
    assetId: string
  }
  query?: {
    /** The token of a gift link. */
    gift?: string | undefined
    /** Read with the purchases of a wallet. Without `SIGN-IN-WITH-X` the reply holds the challenge to sign. A signature counts on this exact URL only, without other parameters. */
    siwx?: 'read' | undefined
    /** A 402 lists the offer in this asset only. */
    asset?: 'USDC' | 'XNO' | undefined
    /** A 402 lists the offer on this network only. The same as `asset`. */
    network?: 'eip155:8453' | 'nano:mainnet' | 'nano-mainnet' | undefined
  } | undefined
  headers?: {
    /** An x402 v2 payment: base64-encoded JSON. */
    'payment-signature'?: string | undefined
    /** The signed challenge of a 402: base64-encoded JSON. */
    'sign-in-with-x'?: string | undefined
  } | undefined
}

export interface TipThroughX402Input {
  params: {
    postId: string
  }
  query?: {
    /** A tip in Nano, in raw. */
    amount_raw?: string | undefined
    /** A tip in USDC, in atomic units. Needs `asset=USDC`. */
    amount_atomic?: string | undefined
    /** `XNO` unless given. */
    asset?: 'USDC' | 'XNO' | undefined
    /** The network of the asset: another way to name it. */
    network?: 'eip155:8453' | 'nano:mainnet' | 'nano-mainnet' | undefined
  } | undefined
  headers?: {
    /** An x402 v2 payment: base64-encoded JSON. */
    'payment-signature'?: string | undefined
  } | undefined
}

export interface TipCommentThroughX402Input {
  params: {
    commentId: string
  }
  query?: {
    /** A tip in Nano, in raw. */
    amount_raw?: string | undefined
    /** A tip in USDC, in atomic units. Needs `asset=USDC`. */
    amount_atomic?: string | undefined
    /** `XNO` unless given. */
    asset?: 'USDC' | 'XNO' | undefined
    /** The network of the asset: another way to name it. */
    network?: 'eip155:8453' | 'nano:mainnet' | 'nano-mainnet' | undefined
  } | undefined
  headers?: {
    /** An x402 v2 payment: base64-encoded JSON. */
    'payment-signature'?: string | undefined
  } | undefined
}

export interface CreateCheckoutInput {
  body: {
    postId: string
    asset: 'USDC' | 'XNO'
  }
  /** 1 to 255 characters without white space. Save the key before you send the request. A new one is made for each call unless you pass one. */
  idempotencyKey?: string | undefined
}

export interface CreateTipCheckoutInput {
  body: TipCheckoutInput
  /** 1 to 255 characters without white space. Save the key before you send the request. A new one is made for each call unless you pass one. */
  idempotencyKey?: string | undefined
}

export interface SettleCheckoutInput {
  params: {
    checkoutId: string
  }
  headers?: {
    /** An x402 v2 payment: base64-encoded JSON. */
    'payment-signature'?: string | undefined
  } | undefined
}

export interface GetCheckoutInput {
  params: {
    checkoutId: string
  }
}

export interface RecoverCheckoutInput {
  params: {
    checkoutId: string
  }
}

export interface ClaimCheckoutInput {
  params: {
    checkoutId: string
  }
  body: {
    checkoutCredential: string
  }
}

export interface ListLibraryInput {
  query?: {
    /** Searches title, description, and the name and handle of the author. */
    q?: string | undefined
    sort?: 'newest' | 'oldest' | 'title' | undefined
    /** Only this post. The list is empty if you did not buy it. */
    post_id?: string | undefined
    page?: number | undefined
    per_page?: number | undefined
  } | undefined
}

export interface GetGiftLinkInput {
  params: {
    postId: string
  }
}

export interface CreateGiftLinkInput {
  params: {
    postId: string
  }
}

export interface DisableGiftLinkInput {
  params: {
    postId: string
  }
}

export interface ListGiftLinksInput {
  query?: {
    limit?: number | undefined
    /** The `nextCursor` of the previous page. */
    cursor?: string | undefined
  } | undefined
}

export interface CreatePurchaseInput {
  body: {
    postId: string
  }
  /** 1 to 255 characters without white space. Save the key before you send the request. A new one is made for each call unless you pass one. */
  idempotencyKey?: string | undefined
}

export interface ListPurchasesInput {
  query?: {
    page?: number | undefined
    per_page?: number | undefined
  } | undefined
}

export interface GetPurchaseInput {
  params: {
    purchaseId: string
  }
}

export interface ClaimPurchaseInput {
  params: {
    purchaseId: string
  }
}

export interface CancelPurchaseInput {
  params: {
    purchaseId: string
  }
}

export interface TipPostInput {
  params: {
    postId: string
  }
  body: TipInput
  /** 1 to 255 characters without white space. Save the key before you send the request. A new one is made for each call unless you pass one. */
  idempotencyKey?: string | undefined
}

export interface TipCommentInput {
  params: {
    commentId: string
  }
  body: TipInput
  /** 1 to 255 characters without white space. Save the key before you send the request. A new one is made for each call unless you pass one. */
  idempotencyKey?: string | undefined
}

export interface TipCommentOfPostInput {
  params: {
    postId: string
    commentId: string
  }
  body: TipInput
  /** 1 to 255 characters without white space. Save the key before you send the request. A new one is made for each call unless you pass one. */
  idempotencyKey?: string | undefined
}

export interface GetTipInput {
  params: {
    sessionId: string
  }
}

export interface BindPayoutInput {
  params: {
    sourceKind: 'purchase' | 'tip'
    sourceId: string
  }
  body: {
    payoutAddress: string
    addressUpdatedAt: string
  }
}

export interface ListTransactionsInput {
  query?: {
    limit?: number | undefined
    /** The `nextCursor` of the previous page. */
    cursor?: string | undefined
    /** Default: both. */
    direction?: 'in' | 'out' | undefined
    /** Default: both. */
    asset?: 'XNO' | 'USDC' | undefined
  } | undefined
}

export interface ExportTransactionsInput {
  query?: {
    /** Default: both. */
    direction?: 'in' | 'out' | undefined
    /** Default: both. */
    asset?: 'XNO' | 'USDC' | undefined
  } | undefined
}

export interface ListEarningsInput {
  query?: {
    limit?: number | undefined
    /** The `nextCursor` of the previous page. */
    cursor?: string | undefined
    /** Default: both. */
    asset?: 'XNO' | 'USDC' | undefined
  } | undefined
}

export interface GetEarningsReportInput {
  query?: {
    days?: number | undefined
  } | undefined
}

export interface ListPayoutsInput {
  query?: {
    limit?: number | undefined
    /** The `nextCursor` of the previous page. */
    cursor?: string | undefined
    /** Only payouts that you are still owed. */
    status?: 'waiting' | 'blocked' | undefined
  } | undefined
}

export interface ListObligationsInput {
  query?: {
    status?: 'blocked' | 'waiting' | undefined
    limit?: number | undefined
    cursor?: string | undefined
  } | undefined
}

export interface RetryObligationInput {
  params: {
    obligationId: string
  }
}

export interface SettleObligationInput {
  params: {
    obligationId: string
  }
  body: {
    /** A Nano address. */
    destination: string
  }
}

export interface ListCommentsInput {
  params: {
    postId: string
  }
  query?: {
    limit?: number | undefined
    threadRootId?: string | undefined
    sort?: CommentSort | undefined
    cursor?: string | undefined
  } | undefined
}

export interface ListPublicCommentsInput {
  params: {
    postId: string
  }
  query?: {
    limit?: number | undefined
    threadRootId?: string | undefined
    sort?: CommentSort | undefined
    cursor?: string | undefined
  } | undefined
}

export interface AddCommentInput {
  params: {
    postId: string
  }
  body: {
    /** UTF-16 code units, trimmed. */
    content: string
    /** The root or reply to reply to. */
    parentCommentId?: string | null | undefined
    /** Default: the parent. */
    replyTargetCommentId?: string | null | undefined
    /** At most five people. Each must appear in the content as `@handle`. */
    mentions?: {
      profileId: string
      handle: string
    }[] | null | undefined
  }
  /** 1 to 128 visible ASCII characters. A new one is made for each call unless you pass one. */
  idempotencyKey?: string | undefined
}

export interface GetCommentInput {
  params: {
    commentId: string
  }
}

export interface DeleteCommentInput {
  params: {
    commentId: string
  }
}

export interface SuggestMentionsInput {
  query: {
    /** The beginning of a handle, or of a word in a name. */
    q: string
    mode?: 'prefix' | 'exact' | undefined
    limit?: number | undefined
  }
}

export interface SuggestMentionsPubliclyInput {
  query: {
    /** The beginning of a handle, or of a word in a name. */
    q: string
    mode?: 'prefix' | 'exact' | undefined
    limit?: number | undefined
  }
}

export interface GetPostReactionsInput {
  params: {
    postId: string
  }
  query?: {
    reaction?: 'thumbs_up' | 'heart' | 'fire' | 'clap' | undefined
    limit?: number | undefined
    offset?: number | undefined
  } | undefined
}

export interface GetPublicPostReactionsInput {
  params: {
    postId: string
  }
  query?: {
    reaction?: 'thumbs_up' | 'heart' | 'fire' | 'clap' | undefined
    limit?: number | undefined
    offset?: number | undefined
  } | undefined
}

export interface ReactToPostInput {
  params: {
    postId: string
  }
  body: {
    reaction: 'thumbs_up' | 'heart' | 'fire' | 'clap' | null
  }
}

export interface GetCommentReactionsInput {
  params: {
    commentId: string
  }
  query?: {
    reaction?: 'thumbs_up' | 'heart' | 'fire' | 'clap' | undefined
    limit?: number | undefined
    offset?: number | undefined
  } | undefined
}

export interface GetPublicCommentReactionsInput {
  params: {
    commentId: string
  }
  query?: {
    reaction?: 'thumbs_up' | 'heart' | 'fire' | 'clap' | undefined
    limit?: number | undefined
    offset?: number | undefined
  } | undefined
}

export interface ReactToCommentInput {
  params: {
    commentId: string
  }
  body: {
    reaction: 'thumbs_up' | 'heart' | 'fire' | 'clap' | null
  }
}

export interface ListTipActivitiesInput {
  params: {
    postId: string
  }
  query?: {
    cursor?: string | undefined
  } | undefined
}

export interface ListCommentSupportersInput {
  params: {
    postId: string
    commentId: string
  }
}

export interface ReportPostInput {
  params: {
    postId: string
  }
  body: {
    reason: string
  }
  /** 1 to 128 visible ASCII characters. A new one is made for each call unless you pass one. */
  idempotencyKey?: string | undefined
}

export interface ReportCommentInput {
  params: {
    commentId: string
  }
  body: {
    reason: string
  }
  /** 1 to 128 visible ASCII characters. A new one is made for each call unless you pass one. */
  idempotencyKey?: string | undefined
}

export interface ListReportsInput {
  query?: {
    status?: 'open' | 'dismissed' | 'upheld' | undefined
    limit?: number | undefined
    cursor?: string | undefined
  } | undefined
}

export interface DecideReportInput {
  params: {
    reportId: string
  }
  body: {
    decision: 'dismiss' | 'remove_comment' | 'withdraw_post'
    note?: string | undefined
  }
}

export interface ListNotificationsInput {
  query?: {
    limit?: number | undefined
    offset?: number | undefined
    includeAll?: boolean | undefined
    preferenceSchema?: '1' | '2' | undefined
  } | undefined
}

export interface MarkNotificationsReadInput {
  body: {
    ids: string[]
  }
}

export interface MarkContextReadInput {
  body: {
    context: {
      postId?: string | null | undefined
      purchaseId?: string | null | undefined
      commentId?: string | null | undefined
      followerId?: string | null | undefined
      /** Kinds of notifications. */
      types?: string[] | null | undefined
    }
  }
}

export interface UpdateNotificationPreferencesInput {
  body: {
    email_notifications?: boolean | undefined
    in_app_notifications?: boolean | undefined
    push_notifications?: boolean | undefined
    notify_new_purchase?: boolean | undefined
    notify_tip_received?: boolean | undefined
    notify_payout_sent?: boolean | undefined
    notify_new_post?: boolean | undefined
    notify_new_follow?: boolean | undefined
    notify_account_issues?: boolean | undefined
    notify_summaries?: boolean | undefined
    notify_new_comment?: boolean | undefined
    notify_comment_reply?: boolean | undefined
    notify_comment_mention?: boolean | undefined
    notify_commented_post_activity?: boolean | undefined
    notify_new_purchase_inapp?: boolean | undefined
    notify_tip_received_inapp?: boolean | undefined
    notify_payout_sent_inapp?: boolean | undefined
    notify_new_post_inapp?: boolean | undefined
    notify_new_follow_inapp?: boolean | undefined
    notify_account_issues_inapp?: boolean | undefined
    notify_summaries_inapp?: boolean | undefined
    notify_new_comment_inapp?: boolean | undefined
    notify_comment_reply_inapp?: boolean | undefined
    notify_comment_mention_inapp?: boolean | undefined
    notify_commented_post_activity_inapp?: boolean | undefined
    show_on_creator_leaderboards?: boolean | undefined
    show_on_supporter_leaderboard?: boolean | undefined
  }
}

export interface GetPostMuteInput {
  params: {
    postId: string
  }
}

export interface UpdatePostMuteInput {
  params: {
    postId: string
  }
  body: {
    muted: boolean
  }
}

export interface AddPushSubscriptionInput {
  body: {
    endpoint: string
    expirationTime?: number | null | undefined
    keys: {
      p256dh: string
      auth: string
    }
  }
}

export interface RemovePushSubscriptionInput {
  body: {
    endpoint: string
  }
}

export interface CreateWebhookInput {
  body: {
    url: string
    events: ('sale.created' | 'tip.created' | 'comment.created' | 'post.published')[]
    description?: string | null | undefined
  }
}

export interface UpdateWebhookInput {
  params: {
    webhookId: string
  }
  body?: {
    url?: string | undefined
    events?: ('sale.created' | 'tip.created' | 'comment.created' | 'post.published')[] | undefined
    description?: string | null | undefined
    status?: 'enabled' | 'disabled' | undefined
  } | undefined
}

export interface DeleteWebhookInput {
  params: {
    webhookId: string
  }
}

export interface ReplaceWebhookSecretInput {
  params: {
    webhookId: string
  }
}

export interface TestWebhookInput {
  params: {
    webhookId: string
  }
}

export interface ListWebhookDeliveriesInput {
  params: {
    webhookId: string
  }
  query?: {
    limit?: number | undefined
    /** The `nextCursor` of the previous page. */
    cursor?: string | undefined
  } | undefined
}

export interface RedeliverWebhookInput {
  params: {
    webhookId: string
    deliveryId: string
  }
}

export interface SubscribeInput {
  params: {
    handle: string
  }
  body?: {
    email?: string | undefined
  } | undefined
}

export interface ListSubscribersInput {
  query?: {
    limit?: number | undefined
    /** The `nextCursor` of the previous page. */
    cursor?: string | undefined
  } | undefined
}

export interface ImportSubscribersInput {
  body: {
    /** What is not an email address is counted as `invalid`; the others are imported. */
    emails: string[]
    /** You confirm that these people agreed to get your posts by email. */
    consent: true
    consentSource: string
  }
}

export interface RemoveSubscriberInput {
  params: {
    subscriberId: string
  }
}

export interface ReportBounceInput {
  body: Blob | Uint8Array | ArrayBuffer
}

export interface GetMailingInput {
  params: {
    postId: string
  }
}

export interface StartExportInput {
  body: {
    code: string
  } | {
    challengeId: string
    /** A Nano address that starts with `nano_` or `xrb_`. */
    account: string
    signature: string
  } | {
    challengeId: string
    signature: string
  } | {
    challengeId: string
    pollSecret: string
  } | {
    transferId: string
    loginSecret: string
  }
}

export interface DownloadExportInput {
  params: {
    exportId: string
  }
}

export interface DeleteAccountInput {
  body: {
    handle: string
    confirmation: {
      code: string
    } | {
      challengeId: string
      /** A Nano address that starts with `nano_` or `xrb_`. */
      account: string
      signature: string
    } | {
      challengeId: string
      signature: string
    } | {
      challengeId: string
      pollSecret: string
    } | {
      transferId: string
      loginSecret: string
    }
  }
}

export interface ListAccountsInput {
  query?: {
    /** The beginning of the handle, ignoring case. */
    q?: string | undefined
    suspended?: 'true' | 'false' | undefined
    limit?: number | undefined
    cursor?: string | undefined
  } | undefined
}

export interface SuspendAccountInput {
  params: {
    accountId: string
  }
  body: {
    note: string
  }
}

export interface RestoreAccountInput {
  params: {
    accountId: string
  }
  body: {
    note: string
  }
}

export interface RemoveAgentLabelInput {
  params: {
    accountId: string
  }
  body: {
    note: string
  }
}

export interface ListHoldsInput {
  query?: {
    open?: 'true' | 'false' | undefined
    page?: number | undefined
    per_page?: number | undefined
  } | undefined
}

export interface PlaceHoldInput {
  body: {
    operationId: string
    reason: string
  }
}

export interface ClearHoldInput {
  params: {
    holdId: string
  }
}

export interface ListDeadJobsInput {
  query?: {
    limit?: number | undefined
    cursor?: string | undefined
  } | undefined
}

export interface RetryDeadJobInput {
  params: {
    jobId: string
  }
}

export interface DismissDeadJobInput {
  params: {
    jobId: string
  }
}

export interface ListAuditEntriesInput {
  query?: {
    limit?: number | undefined
    cursor?: string | undefined
  } | undefined
}

export interface UpdateSiteSettingsInput {
  body: {
    name?: string | undefined
    tagline?: string | undefined
    description?: string | undefined
    /** An https URL, or a path of this site. */
    logoUrl?: string | null | undefined
    /** An https URL, or a path of this site. */
    iconUrl?: string | null | undefined
    accentColor?: string | null | undefined
    navigation?: {
      label: string
      /** An https URL, or a path of this site. */
      url: string
    }[] | undefined
    aboutMarkdown?: string | null | undefined
    termsMarkdown?: string | null | undefined
    privacyMarkdown?: string | null | undefined
    /** Whether anyone may sign up, only people with an invitation, or nobody. */
    registration?: 'open' | 'invite' | 'closed' | undefined
  }
}

export interface CreateInvitationInput {
  body?: {
    label?: string | null | undefined
    maxUses?: number | undefined
    expiresAt?: string | undefined
  } | undefined
}

export interface RevokeInvitationInput {
  params: {
    invitationId: string
  }
}

export interface ClaimAdminInput {
  body: {
    token: string
  }
}

export interface GetMetricsInput {
  headers?: {
    'x-forwarded-for'?: string | undefined
  } | undefined
}

export type IssueRegistrationKeyReply = {
  profile: {
    id: string
    name: string
    handle: string
  }
  apiKey: ApiKey
  key: string
}

export type LogInReply = {
  message: string
}

export type VerifyLoginReply = {
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
  }
}

export type LogOutReply = {
  loggedOut: true
  scope: 'local'
  accessTokenValidUntilExpiry: boolean
}

export type ListSessionsReply = {
  sessions: OwnerSession[]
}

export type RevokeSessionReply = {
  id: string
  revoked: true
}

export type RevokeOtherSessionsReply = {
  /** How many were ended. */
  revoked: number
}

export type ListKeysReply = {
  keys: ApiKey[]
}

export type RevokeKeyReply = {
  id: string
  keyId: string
  scope: 'posts:publish'
  label: string | null
  createdAt: string
  expiresAt: string | null
  revokedAt: string | null
}

export type StartNanoChallengeReply = {
  challengeId: string
  /** One line of ASCII text. */
  message: string
  uri: string
  statusUrl: string
  pollSecret: string
  expiresAt: string
}

export type AnswerNanoChallengeReply = {
  status: 0
}

export type GetNanoChallengeReply = {
  challengeId: string
  status: 'pending' | 'signed' | 'claimed' | 'expired'
  accessToken?: string | undefined
  refreshToken?: string | undefined
  tokenType?: 'Bearer' | undefined
  /** Unix seconds. */
  expiresAt?: number | undefined
  /** Seconds. */
  expiresIn?: number | undefined
  session?: {
    user: {
      id: string
    }
    created: boolean
  } | undefined
}

export type StartNanoTransferReply = {
  transferId: string
  loginSecret: string
  address: string
  amountRaw: string
  /** Address and amount as a `nano:` link. */
  uri: string
  expiresAt: string
  statusUrl: string
  /** A text to show people before they pay. */
  notice: string
}

export type GetNanoTransferReply = {
  transferId: string
  status: 'pending' | 'received' | 'claimed' | 'expired'
}

export type ClaimNanoTransferReply202 = {
  status: 'pending'
}

export type StartSiwxChallengeReply = {
  challengeId: string
  /** The exact text to sign (EIP-191). */
  message: string
  info: SiwxInfo
  expiresAt: string
}

export type ListWalletsReply = {
  /** Oldest link first. */
  wallets: Wallet[]
}

export type LinkWalletReply = {
  /** Oldest link first. */
  wallets: Wallet[]
}

export type LinkWalletReply202 = {
  status: 'pending'
}

export type UnlinkWalletReply = {
  /** Oldest link first. */
  wallets: Wallet[]
}

export type GetAccountEmailReply = {
  status: 'none' | 'confirmed' | 'pending'
  email: string | null
  pendingEmail: string | null
}

export type ChangeAccountEmailReply = {
  status: 'confirmation_sent' | 'already_pending'
  pendingEmail: string | null
}

export type RemoveAccountEmailReply = {
  status: 'none' | 'confirmed' | 'pending'
  email: string | null
  pendingEmail: string | null
}

export type ResendAccountEmailReply = {
  status: 'resent'
  pendingEmail: string
}

export type VerifyAccountEmailReply = {
  status: 'verified'
  email: string
  session: TokenPair | null
}

export type RequestConfirmationReply = {
  purpose: 'export' | 'deletion'
  email: string
}

export type ListConnectedProgramsReply = {
  programs: ConnectedProgram[]
}

export type DisconnectProgramReply = {
  id: string
  disconnected: true
}

export type RemoveHeaderImageReply = {
  headerImageUrl: null
}

export type DeclareAgentReply = {
  authorKind: 'agent'
}

export type GetHandleAvailabilityReply = {
  available: boolean
}

export type GetFollowReply = {
  following: boolean
  follow: Follow | null
}

export type UpdateFollowReply = {
  following: boolean
  follow: Follow | null
}

export type ListFollowersReply = {
  data: PublicAuthor[]
  total: number
  page: number
  per_page: number
}

export type ListFollowingReply = {
  data: PublicAuthor[]
  total: number
  page: number
  per_page: number
}

export type GetFollowCountsReply = {
  followers: number
  following: number
}

export type ListPostsReply = {
  data: Post[]
  total: number
  page: number
  perPage: number
}

export type DeletePostReply = {
  id: string
  deleted: true
}

export type ListPostVersionsReply = {
  versions: PostVersionSummary[]
}

export type PreviewMarkdownReply = {
  /** Sanitized. */
  html: string
}

export type ListTagsReply = {
  tags: {
    id: string
    name: string
    slug: string
    postCount: number
  }[]
}

export type ListCategoriesReply = {
  categories: {
    id: string
    label: string
  }[]
}

export type ListSeriesReply = {
  series: Series[]
}

export type DeleteSeriesReply = {
  id: string
  deleted: true
}

export type GetChosenPostsReply = {
  postIds: string[]
}

export type ChooseRelatedPostsReply = {
  postIds: string[]
}

export type ListImportedPostsReply = {
  data: ImportedPostEntry[]
  nextCursor: string | null
}

export type ListUploadOperationsReply = {
  operations: ImageOperation[]
  nextCursor?: string | null | undefined
}

export type TransportAttachmentReply = {
  attachment: OwnedAttachment
  currentRevision: string | null
  replayed: boolean
  transfer: PartTransfer | null
}

export type StoreAttachmentPartReply = {
  partNumber: number
  length: number
  stored: true
}

export type ListPublicAttachmentsReply = {
  attachments: Attachment[]
}

export type ListPublicPostsReply = {
  data: PostSummary[]
  total: number
  /** False if `total` is an estimate, which only totals above 1,000 are. */
  totalIsExact: boolean
  page: number
  perPage: number
}

export type ListTagPostsReply = {
  tag: {
    id: string
    profileId: string
    name: string
    slug: string
    collectionUrl: string
  }
  creator: PublicAuthor
  items: PostSummary[]
  page: number
  perPage: number
  total: number
}

export type ListRelatedPostsReply = {
  data: PostSummary[]
  series: PlaceInSeries | null
}

export type ListPaidPostsReply = {
  data: PostSummary[]
  nextCursor: string | null
}

export type GetLeaderboardReply = {
  board: 'creators_earnings' | 'creators_sales' | 'creators_followers' | 'supporters'
  items: {
    rank: number
    profile: PublicAuthor
    /** Money in Nano, in raw. */
    valueRaw?: string | undefined
    /** Money in USDC, in atomic units. */
    valueAtomic?: string | undefined
    /** Sales or followers. */
    value?: number | undefined
  }[]
  total: number
  limit: number
  offset: number
  my_rank: number | null
}

export type SuggestSearchesReply = {
  posts: {
    id: string
    title: string
    /** Never changes. */
    url: string
    /** The canonical URL of its page. */
    pageUrl: string
  }[]
  creators: {
    id: string
    handle: string
    name: string
    avatarUrl: string | null
  }[]
  tags: {
    id: string
    name: string
    slug: string
    url: string
  }[]
}

export type ListFollowedPostsReply = {
  data: FollowedPost[]
  nextCursor: string | null
}

export type ListBookmarksReply = {
  data: BookmarkedPost[]
  nextCursor: string | null
}

export type TipThroughX402Reply = {
  tip: SentTip
}

export type TipCommentThroughX402Reply = {
  tip: SentTip
}

export type CreateCheckoutReply = {
  checkout: UsdcCheckout
  paymentRequired: {
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
  }
  statusUrl: string
  replayed: boolean
  /** Null for a guest with a short `Idempotency-Key`, which others might guess. */
  checkoutCredential: string | null
} | {
  checkout: NanoCheckout
  statusUrl: string
  replayed: boolean
  /** Null for a guest with a short `Idempotency-Key`: the checkout may be that of another guest. */
  payment: NanoPayment | null
  /** Null for a guest with a short `Idempotency-Key`, which others might guess. */
  checkoutCredential: string | null
}

export type CreateCheckoutReply201 = {
  checkout: UsdcCheckout
  paymentRequired: {
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
  }
  statusUrl: string
  replayed: boolean
  /** Gives access to this purchase only. */
  checkoutCredential: string
} | {
  checkout: NanoCheckout
  statusUrl: string
  replayed: boolean
  payment: NanoPayment
  /** Gives access to this purchase only. */
  checkoutCredential: string
}

export type CreateTipCheckoutReply = {
  checkout: NanoCheckout
  statusUrl: string
  replayed: boolean
  /** Null for a guest with a short `Idempotency-Key`: the checkout may be that of another guest. */
  payment: NanoPayment | null
  /** Null for a guest with a short `Idempotency-Key`, which others might guess. */
  checkoutCredential: string | null
}

export type CreateTipCheckoutReply201 = {
  checkout: NanoCheckout
  statusUrl: string
  replayed: boolean
  payment: NanoPayment
  /** Gives access to this purchase only. */
  checkoutCredential: string
}

export type SettleCheckoutReply = {
  checkout: UsdcCheckout | NanoCheckout
  receipt: PaymentReceipt | null
  /** The session of the anonymous account that was created for a guest, otherwise null. */
  session: GuestSession | null
}

export type GetCheckoutReply = {
  checkout: UsdcCheckout | NanoCheckout
  receipt: PaymentReceipt | null
  /** The session of the anonymous account that was created for a guest, otherwise null. */
  session: GuestSession | null
}

export type RecoverCheckoutReply = {
  checkout: UsdcCheckout | NanoCheckout
  receipt: PaymentReceipt | null
  /** The session of the anonymous account that was created for a guest, otherwise null. */
  session: GuestSession | null
}

export type ClaimCheckoutReply = {
  checkout: UsdcCheckout | NanoCheckout
  receipt: PaymentReceipt | null
  /** The session of the anonymous account that was created for a guest, otherwise null. */
  session: GuestSession | null
}

export type ListLibraryReply = {
  data: LibraryItem[]
  total: number
  page: number
  perPage: number
}

export type GetGiftLinkReply = {
  giftLink: GiftLink | null
}

export type CreateGiftLinkReply = {
  giftLink: GiftLink | null
}

export type DisableGiftLinkReply = {
  giftLink: GiftLink | null
}

export type ListGiftLinksReply = {
  giftLinks: ListedGiftLink[]
  pagination: {
    limit: number
    nextCursor: string | null
    hasMore: boolean
  }
}

export type GetPrivateFeedReply = {
  feed: PrivateFeed | null
}

export type CreatePrivateFeedReply = {
  feed: PrivateFeed
  /** Shown only once. Anyone with one of these URLs can read what you bought. */
  urls: {
    rss: string
    atom: string
    json: string
  }
}

export type RevokePrivateFeedReply = {
  feed: PrivateFeed | null
}

export type CreatePurchaseReply = {
  purchase: Purchase
  quote: NanoQuote
  expiry: string
  ephemeral_address: EphemeralAddress
  statusUrl: string
  replayed: boolean
}

export type ListPurchasesReply = {
  data: Purchase[]
  total: number
  page: number
  perPage: number
}

export type ClaimPurchaseReply = {
  purchase: Purchase
  receipt: {
    purchase_id: string
    post_id: string
    asset: 'XNO' | 'USDC'
    network: 'nano:mainnet' | 'eip155:8453'
    /** A whole number of the smallest unit of the asset. */
    amount_raw: string
    granted_at: string
  }
  /** Always null: the caller already has a session. */
  session: null
}

export type TipPostReply = {
  session: TipSession
  statusUrl: string
  replayed: boolean
}

export type TipCommentReply = {
  session: TipSession
  statusUrl: string
  replayed: boolean
}

export type TipCommentOfPostReply = {
  session: TipSession
  statusUrl: string
  replayed: boolean
}

export type ListObligationsReply = {
  obligations: Obligation[]
  pagination: {
    limit: number
    nextCursor: string | null
    hasMore: boolean
  }
}

export type DeleteCommentReply = {
  success: true
  id: string
  post_id: string
  deleted_at: string
  deleted_by_role: 'author' | 'post_owner' | 'admin'
}

export type SuggestMentionsReply = {
  items: PublicAuthor[]
}

export type SuggestMentionsPubliclyReply = {
  items: PublicAuthor[]
}

export type ReactToPostReply = {
  summary: ReactionSummary
}

export type ReactToCommentReply = {
  summary: ReactionSummary
}

export type ListReportsReply = {
  reports: Report[]
  pagination: {
    limit: number
    nextCursor: string | null
    hasMore: boolean
  }
}

export type ListNotificationsReply = {
  notifications: Notification[]
  total: number
  unread: number
  preferences: Record<string, boolean>
  pagination: {
    limit: number
    offset: number
    total: number
    hasMore: boolean
  }
  includeAll: boolean
}

export type MarkNotificationsReadReply = {
  updated: number
}

export type MarkContextReadReply = {
  updated: number
}

export type MarkAllReadReply = {
  updated: number
}

export type GetPostMuteReply = {
  muted: boolean
}

export type UpdatePostMuteReply = {
  muted: boolean
}

export type GetPushKeyReply = {
  /** An uncompressed P-256 point in base64url. */
  publicKey: string
}

export type AddPushSubscriptionReply = {
  id: string
}

export type RemovePushSubscriptionReply = {
  success: true
}

export type ListWebhooksReply = {
  webhooks: Webhook[]
}

export type DeleteWebhookReply = {
  deleted: true
}

export type TestWebhookReply = {
  deliveryId: string
}

export type ListWebhookDeliveriesReply = {
  deliveries: WebhookDelivery[]
  pagination: {
    limit: number
    nextCursor: string | null
    hasMore: boolean
  }
}

export type RedeliverWebhookReply = {
  deliveryId: string
}

export type SubscribeReply = {
  /** `subscribed` only for the confirmed address of the account that is signed in. */
  status: 'confirmation_sent' | 'subscribed'
  message: string
}

export type ListSubscribersReply = {
  /** The number of all subscribers. */
  count: number
  subscribers: Subscriber[]
  pagination: {
    limit: number
    nextCursor: string | null
    hasMore: boolean
  }
}

export type ImportSubscribersReply = {
  imported: number
  alreadySubscribed: number
  /** Addresses that unsubscribed, from you or from a list that anyone imported, or that emails did not reach. */
  unsubscribed: number
  invalid: number
}

export type RemoveSubscriberReply = {
  id: string
  deleted: true
}

export type ReportBounceReply = {
  /** `ignored` for a temporary failure, an unknown message, or a subscription that has ended already. */
  status: 'ended' | 'ignored'
}

export type GetMailingReply = {
  mailing: Mailing | null
}

export type StartExportReply = {
  id: string
  url: string
  expiresAt: string
}

export type StartExportReply202 = {
  status: 'pending'
}

export type DeleteAccountReply = {
  id: string
  deleted: true
}

export type DeleteAccountReply202 = {
  status: 'pending'
}

export type ListAccountsReply = {
  accounts: AdminAccount[]
  pagination: {
    limit: number
    nextCursor: string | null
    hasMore: boolean
  }
}

export type ListHoldsReply = {
  data: IncidentHold[]
  total: number
  page: number
  perPage: number
}

export type ListDeadJobsReply = {
  jobs: DeadJob[]
  pagination: {
    limit: number
    nextCursor: string | null
    hasMore: boolean
  }
}

export type RetryDeadJobReply = {
  id: string
  name: string
}

export type DismissDeadJobReply = {
  id: string
  name: string
}

export type ListAuditEntriesReply = {
  entries: AuditEntry[]
  pagination: {
    limit: number
    nextCursor: string | null
    hasMore: boolean
  }
}

export type ListInvitationsReply = {
  invitations: Invitation[]
}

export type ClaimAdminReply = {
  isAdmin: true
}

export type GetHealthReply = {
  status: 'ok'
}

/** Every operation of the API, by its `operationId`. */
export interface Operations {
  /**
   * Register with an email address.
   *
   * Emails a six-digit code. An address that already has an account gets instructions for signing in instead.
   */
  readonly startRegistration: Operation<StartRegistrationInput, Reply<202, RegistrationReceipt>>
  /**
   * Confirm the email address and get a session.
   *
   * Takes the code from the email. The account exists from now on. Get its publishing key next (`issueRegistrationKey`).
   */
  readonly verifyRegistration: Operation<VerifyRegistrationInput, Reply<200, TokenPair>>
  /**
   * Get the first publishing key (only once).
   *
   * The full key is in this response only. If it is lost, create another key with `issueKey`. A `handle` in the body replaces the one of the registration, in case it was taken meanwhile.
   */
  readonly issueRegistrationKey: Operation<IssueRegistrationKeyInput, Reply<201, IssueRegistrationKeyReply>>
  /**
   * Email a sign-in code.
   *
   * The response is the same whether or not the address has an account. This never creates an account.
   */
  readonly logIn: Operation<LogInInput, Reply<202, LogInReply>>
  /**
   * Sign in with an emailed code.
   *
   * Instead of the six digits, `code` may be the `token` in the link of the email. It works even after wrong codes.
   */
  readonly verifyLogin: Operation<VerifyLoginInput, Reply<200, VerifyLoginReply>>
  /**
   * Sign in or sign up with an email address.
   *
   * Emails a code and a link, which are valid for ten minutes. Response and number of emails are the same whether or not the address has an account. If the site does not accept new accounts, the email to an unknown address says so.
   */
  readonly continueWithEmail: Operation<ContinueWithEmailInput, Reply<202, ContinuationReceipt>>
  /**
   * Confirm the email address and get a session.
   *
   * Creates an account if the address has none. Its name and handle are provisional: choose others before you publish or comment. Instead of the six digits, `code` may be the `token` in the link of the email, which works even after wrong codes.
   */
  readonly verifyContinuation: Operation<VerifyContinuationInput, Reply<200, ContinuedSession>>
  /**
   * Exchange a refresh token for new tokens.
   *
   * Both tokens change. In case the response was lost, the previous refresh token returns the same pair for 10 seconds; using it later ends the session.
   */
  readonly refreshSession: Operation<RefreshSessionInput, Reply<200, TokenPair>>
  /**
   * Sign out of this session.
   *
   * `accessTokenValidUntilExpiry` says whether services that verify tokens offline accept this one until it expires. This service refuses it from now on. Other sessions and publishing keys keep working.
   */
  readonly logOut: OptionalOperation<NoInput, Reply<200, LogOutReply>>
  /**
   * List your sessions, most recently renewed first.
   *
   * At most 100.
   */
  readonly listSessions: OptionalOperation<NoInput, Reply<200, ListSessionsReply>>
  /**
   * End one of your sessions.
   *
   * Its tokens stop working immediately. Publishing keys are not affected.
   */
  readonly revokeSession: Operation<RevokeSessionInput, Reply<200, RevokeSessionReply>>
  /**
   * End all of your sessions but this one.
   *
   * Their tokens stop working immediately. Publishing keys are not affected.
   */
  readonly revokeOtherSessions: OptionalOperation<NoInput, Reply<200, RevokeOtherSessionsReply>>
  /**
   * Get the public key that verifies access tokens.
   *
   * A JSON Web Key set. Access tokens are JWTs signed with EdDSA. A valid signature does not mean that the session is still active: only this service knows that.
   */
  readonly getSigningKeys: OptionalOperation<NoInput, Reply<200, Record<string, unknown>>> & Downloads<NoInput>
  /**
   * List your publishing keys, including those that ended in the last 90 days.
   *
   * Never includes the secret part of a key.
   */
  readonly listKeys: OptionalOperation<NoInput, Reply<200, ListKeysReply>>
  /**
   * Create a publishing key.
   *
   * The full key is shown in this response only. Without `expiresAt` it works for 90 days; with null, until it is revoked.
   */
  readonly issueKey: OptionalOperation<IssueKeyInput, Reply<200, IssuedKey>>
  /**
   * Revoke a publishing key.
   *
   * The key stops working immediately. Revoking it twice changes nothing. `keyId` is the `id` or the `keyId` of the key.
   */
  readonly revokeKey: Operation<RevokeKeyInput, Reply<200, RevokeKeyReply>>
  /**
   * Replace a publishing key with a new one.
   *
   * The old key stops working when the new one is created. A lost response cannot be repeated: list your keys and rotate again.
   */
  readonly rotateKey: Operation<RotateKeyInput, Reply<200, IssuedKey>>
  /**
   * Get a message to sign with a Nano wallet.
   *
   * Signing moves no money. The message names this service, the purpose, the account, a nonce and its times. It can be used once, within five minutes. Without a credential the challenge is for signing in; with an owner session it can only link the wallet to that account (`linkWallet`), or confirm what `confirms` names. Sign `message`, or open `uri` in a wallet that supports `nanoauth:` links and poll `statusUrl` with `pollSecret` as the bearer token.
   */
  readonly startNanoChallenge: Operation<StartNanoChallengeInput, Reply<201, StartNanoChallengeReply>>
  /**
   * Sign in with a Nano signature.
   *
   * Sign the message by ORIS-001 (NOMS), or sign the plain blake2b-256 hash of its bytes. The first sign-in of a wallet creates an account.
   */
  readonly verifyNanoChallenge: Operation<VerifyNanoChallengeInput, Reply<200, WalletSession>>
  /**
   * Post the signature of a `nanoauth:` link.
   *
   * Called by the wallet. The signature covers `formatted`: the wallet's time in Unix seconds, the link's label and the account, separated by colons. Other fields are ignored.
   */
  readonly answerNanoChallenge: Operation<AnswerNanoChallengeInput, Reply<200, AnswerNanoChallengeReply>>
  /**
   * Check whether the wallet has signed, and get the session.
   *
   * `pending` until the wallet posts its signature. The first response after that is `signed` and holds the session; later ones are `claimed`. A challenge of an owner session stays `signed` until it is used. `expired` after five minutes.
   */
  readonly getNanoChallenge: Operation<GetNanoChallengeInput, Reply<200, GetNanoChallengeReply>>
  /**
   * Get an address to prove a Nano wallet with a payment.
   *
   * For wallets that cannot sign messages. Use a wallet that only you control: an exchange pays from a wallet that many people share. Send exactly `amountRaw` to `address` within fifteen minutes, then claim. The sending wallet is the one that signs in, and everything sent to the address is returned. Keep `requestSecret`, at least 32 random characters: sending it again returns the same reply. With an owner session the payment can only link the wallet to that account (`linkWallet`), or confirm what `confirms` names.
   */
  readonly startNanoTransfer: Operation<StartNanoTransferInput, Reply<201, StartNanoTransferReply>>
  /**
   * Check whether the proof payment has arrived.
   *
   * Poll this until `status` is `received`, then claim the transfer. It needs no credential because it reveals nothing about the sender.
   */
  readonly getNanoTransfer: Operation<GetNanoTransferInput, Reply<200, GetNanoTransferReply>>
  /**
   * Sign in with the proof payment.
   *
   * Returns 202 until the payment is confirmed. The wallet that sent it is signed in, and the payment is sent back. The first sign-in of a wallet creates an account.
   */
  readonly claimNanoTransfer: Operation<ClaimNanoTransferInput, Reply<200, WalletSession> | Reply<202, ClaimNanoTransferReply202>>
  /**
   * Get a message to sign with a wallet on Base.
   *
   * Signing moves no money. The message can be used once, within five minutes. Without a credential the challenge is for signing in; with an owner session it can only link the wallet to that account (`linkWallet`), or confirm what `confirms` names.
   */
  readonly startSiwxChallenge: Operation<StartSiwxChallengeInput, Reply<201, StartSiwxChallengeReply>>
  /**
   * Sign in with a signature from a wallet on Base.
   *
   * Send the signature in the body, or the whole signed challenge in `SIGN-IN-WITH-X` as the x402 extension defines it. Signatures of smart wallets are verified on the chain. The first sign-in of a wallet creates an account.
   */
  readonly verifySiwxChallenge: OptionalOperation<VerifySiwxChallengeInput, Reply<200, WalletSession>>
  /**
   * List your linked wallets.
   *
   * Any of them can sign in to this account.
   */
  readonly listWallets: OptionalOperation<NoInput, Reply<200, ListWalletsReply>>
  /**
   * Link a wallet to your account.
   *
   * Takes the same proofs as signing in, started with this owner session: a signed challenge, a challenge signed through a `nanoauth:` link, or a proof payment. Linking a wallet twice changes nothing.
   */
  readonly linkWallet: Operation<LinkWalletInput, Reply<200, LinkWalletReply> | Reply<202, LinkWalletReply202>>
  /**
   * Unlink a wallet.
   *
   * Only possible if you can sign in another way. Sessions that the wallet started stay valid until they expire.
   */
  readonly unlinkWallet: Operation<UnlinkWalletInput, Reply<200, UnlinkWalletReply>>
  /**
   * Get your email address and any pending change.
   *
   * `pending` means that a change waits for confirmation; `email` is still the current address then.
   */
  readonly getAccountEmail: OptionalOperation<NoInput, Reply<200, GetAccountEmailReply>>
  /**
   * Change your email address.
   *
   * Sends a code and a link to the new address, and a notice to the current one. Nothing changes until the new address is confirmed.
   */
  readonly changeAccountEmail: Operation<ChangeAccountEmailInput, Reply<200, ChangeAccountEmailReply>>
  /**
   * Remove your email address.
   *
   * Only possible if you can sign in another way. Turns email notifications off.
   */
  readonly removeAccountEmail: OptionalOperation<NoInput, Reply<200, RemoveAccountEmailReply>>
  /**
   * Resend the confirmation email.
   *
   * Sends a new code and link to the new address. The previous ones stop working.
   */
  readonly resendAccountEmail: OptionalOperation<NoInput, Reply<200, ResendAccountEmailReply>>
  /**
   * Confirm the new email address.
   *
   * Send the `code` from the email, or the `confirmationUrl` of its link, but not both. The current session stays valid, so `session` is null.
   */
  readonly verifyAccountEmail: Operation<VerifyAccountEmailInput, Reply<200, VerifyAccountEmailReply>>
  /**
   * Email a code that confirms an export or a deletion.
   *
   * The code works once, within ten minutes, and only for the `purpose` it was sent for. An account without an email address confirms with a linked wallet instead: start a challenge or a transfer login with `confirms`.
   */
  readonly requestConfirmation: Operation<RequestConfirmationInput, Reply<202, RequestConfirmationReply>>
  /**
   * List the programs that may act for you, most recently connected first.
   *
   * At most 50. Programs connect by OAuth 2.1.
   */
  readonly listConnectedPrograms: OptionalOperation<NoInput, Reply<200, ListConnectedProgramsReply>>
  /**
   * Disconnect a program.
   *
   * Its tokens stop working immediately. Disconnecting it twice changes nothing.
   */
  readonly disconnectProgram: Operation<DisconnectProgramInput, Reply<200, DisconnectProgramReply>>
  /**
   * Get your account and what your credential can do.
   *
   * A publishing key does not see the email address, the wallets, the receiving addresses and the financial actions. `publication.blockers` says what must be done before the first post can be published.
   */
  readonly getMe: OptionalOperation<NoInput, Reply<200, Me>>
  /**
   * Get your profile.
   *
   * This is what readers see on the profile page.
   */
  readonly getProfile: OptionalOperation<NoInput, Reply<200, Profile>>
  /**
   * Change your profile.
   *
   * Fields that are left out keep their value; null clears optional fields. Labels of social links become `X` or `Custom`, and only the first of each is kept.
   */
  readonly updateProfile: Operation<UpdateProfileInput, Reply<200, Profile>>
  /**
   * Remove your header image.
   *
   * Nothing changes if there is none. Uploading another image replaces it too.
   */
  readonly removeHeaderImage: OptionalOperation<NoInput, Reply<200, RemoveHeaderImageReply>>
  /**
   * Declare that your account is an AI agent.
   *
   * Only an administrator can remove the label.
   */
  readonly declareAgent: OptionalOperation<NoInput, Reply<200, DeclareAgentReply>>
  /**
   * Check whether a handle is available.
   *
   * Not a reservation: someone else can take the handle before you do.
   */
  readonly getHandleAvailability: Operation<GetHandleAvailabilityInput, Reply<200, GetHandleAvailabilityReply>>
  /**
   * Get your Nano payout address.
   *
   * Fields are null if no address is saved. Sales and tips in Nano are paid to this address.
   */
  readonly getPayoutAddress: OptionalOperation<NoInput, Reply<200, ReceivingAddress>>
  /**
   * Save your Nano payout address.
   *
   * Takes an address that starts with `nano_` or `xrb_`; its checksum is verified. New quotes use it; quotes that were given before still pay to the previous one.
   */
  readonly savePayoutAddress: Operation<SavePayoutAddressInput, Reply<200, ReceivingAddress>>
  /**
   * Remove your Nano payout address.
   *
   * Not possible while a published post needs the address to be sold.
   */
  readonly clearPayoutAddress: OptionalOperation<NoInput, Reply<200, ReceivingAddress>>
  /**
   * Get your Base payout address for USDC.
   *
   * Fields are null if no address is saved. USDC is paid directly to this address.
   */
  readonly getBasePayoutAddress: OptionalOperation<NoInput, Reply<200, ReceivingAddress>>
  /**
   * Save your Base payout address for USDC.
   *
   * The checksum is verified if the address has one, and the address is stored with it. Use an address on Base that you control, not one of an exchange that does not accept USDC on Base.
   */
  readonly saveBasePayoutAddress: Operation<SaveBasePayoutAddressInput, Reply<200, ReceivingAddress>>
  /**
   * Remove your Base payout address for USDC.
   *
   * Not possible while a published post needs the address to be sold.
   */
  readonly clearBasePayoutAddress: OptionalOperation<NoInput, Reply<200, ReceivingAddress>>
  /**
   * Check whether you follow a creator.
   *
   * `follow` is null if you do not.
   */
  readonly getFollow: Operation<GetFollowInput, Reply<200, GetFollowReply>>
  /**
   * Follow or unfollow a creator.
   *
   * Following a creator twice keeps the existing follow, with its id and preferences.
   */
  readonly updateFollow: Operation<UpdateFollowInput, Reply<200, UpdateFollowReply>>
  /**
   * Get the notification preferences of a follow.
   *
   * `followId` is the `id` of the follow, not of the creator.
   */
  readonly getFollowPreferences: Operation<GetFollowPreferencesInput, Reply<200, FollowPreferences>>
  /**
   * Change the notification preferences of a follow.
   *
   * Fields that are left out keep their value. Emails about new posts also need `notify_new_post` and `email_notifications` in your notification preferences; in-app notifications need `notify_new_post_inapp` and `in_app_notifications`.
   */
  readonly updateFollowPreferences: Operation<UpdateFollowPreferencesInput, Reply<200, FollowPreferences>>
  /**
   * List the followers of an account, newest first.
   *
   * Each with its public profile fields, in pages.
   */
  readonly listFollowers: Operation<ListFollowersInput, Reply<200, ListFollowersReply>>
  /**
   * List the creators that an account follows, newest first.
   *
   * Each with its public profile fields, in pages.
   */
  readonly listFollowing: Operation<ListFollowingInput, Reply<200, ListFollowingReply>>
  /**
   * Get the number of followers and of followed creators.
   *
   * Both numbers are public.
   */
  readonly getFollowCounts: Operation<GetFollowCountsInput, Reply<200, GetFollowCountsReply>>
  /**
   * Create a draft.
   *
   * Only the title is required. Nobody else sees the draft until it is published. `blockers` in the reply says what is still missing.
   */
  readonly createPost: Operation<CreatePostInput, Reply<201, Post>>
  /**
   * List your posts, most recently changed first.
   *
   * Drafts, published and unpublished posts. Filter them with `status`: `scheduled` lists those with a `scheduledFor`, the next one first. They are listed as drafts too.
   */
  readonly listPosts: OptionalOperation<ListPostsInput, Reply<200, ListPostsReply>>
  /**
   * Get one of your posts.
   *
   * Send its `updatedAt` as `X-Post-Revision` when you change the post.
   */
  readonly getPost: Operation<GetPostInput, Reply<200, Post>>
  /**
   * Change a post.
   *
   * Fields that are left out keep their value. `tags` replaces all tags. A published post must still meet the conditions for publishing.
   */
  readonly updatePost: Operation<UpdatePostInput, Reply<200, Post>>
  /**
   * Delete a draft.
   *
   * Only a draft that nobody was quoted a price for can be deleted. Send its `updatedAt` as `X-Post-Revision`.
   */
  readonly deletePost: Operation<DeletePostInput, Reply<200, DeletePostReply>>
  /**
   * Publish a draft, or publish a post again, now or later.
   *
   * The post appears in lists and feeds, and followers are notified the first time. Publishing a published post changes nothing. With `X-Post-Revision`, the post is published only if it has not changed since. With a `publishAt` in the future the post stays as it is until then and has a `scheduledFor`; a new `publishAt` replaces it. Everything is checked now and again at that time. If something prevents publication then, the author is notified and nothing is published.
   */
  readonly publishPost: Operation<PublishPostInput, Reply<200, PublishReply>>
  /**
   * Cancel the scheduled publication of a post.
   *
   * The post stays a draft. A post without a schedule does not change.
   */
  readonly unschedulePost: Operation<UnschedulePostInput, Reply<200, Post>>
  /**
   * Unpublish a post.
   *
   * Ends new purchases, free access and gift links. Buyers keep access.
   */
  readonly withdrawPost: Operation<WithdrawPostInput, Reply<200, Post>>
  /**
   * List earlier versions of a post, newest first.
   *
   * One version is kept for every five minutes of writing by you or by one publishing key, and for each time the post was published: at most 50, and at most 4 MB of text. They are deleted with the post.
   */
  readonly listPostVersions: Operation<ListPostVersionsInput, Reply<200, ListPostVersionsReply>>
  /**
   * Get an earlier version of a post.
   *
   * To restore it, change the post to its texts.
   */
  readonly getPostVersion: Operation<GetPostVersionInput, Reply<200, PostVersion>>
  /**
   * Render Markdown as readers will see it.
   *
   * Nothing is saved. Images are taken from the post `postId`; images that it does not have are left out. Footnotes may be in its other part, as it was last saved.
   */
  readonly previewMarkdown: Operation<PreviewMarkdownInput, Reply<200, PreviewMarkdownReply>>
  /**
   * List your tags, used or not.
   *
   * `postCount` counts your posts of any status. A tag that no post uses stays in the list.
   */
  readonly listTags: OptionalOperation<NoInput, Reply<200, ListTagsReply>>
  /**
   * List the categories of posts.
   *
   * The `id` is what a post has as `category`. The list rarely changes.
   */
  readonly listCategories: OptionalOperation<NoInput, Reply<200, ListCategoriesReply>>
  /**
   * List your series.
   *
   * Oldest first, each with its posts in their order.
   */
  readonly listSeries: OptionalOperation<NoInput, Reply<200, ListSeriesReply>>
  /**
   * Create a series.
   *
   * Posts in a series link to the one before and the one after.
   */
  readonly createSeries: Operation<CreateSeriesInput, Reply<201, Series>>
  /**
   * Rename a series, or change its posts or their order.
   *
   * `postIds` replaces all posts of the series.
   */
  readonly updateSeries: Operation<UpdateSeriesInput, Reply<200, Series>>
  /**
   * Delete a series.
   *
   * Its posts stay.
   */
  readonly deleteSeries: Operation<DeleteSeriesInput, Reply<200, DeleteSeriesReply>>
  /**
   * Get the posts that you chose to be read after a post.
   *
   * Readers are shown these first, then similar posts.
   */
  readonly getChosenPosts: Operation<GetChosenPostsInput, Reply<200, GetChosenPostsReply>>
  /**
   * Choose the posts to be read after a post.
   *
   * At most 6 of your own posts, in the order in which readers see them. An empty list leaves the choice to us.
   */
  readonly chooseRelatedPosts: Operation<ChooseRelatedPostsInput, Reply<200, ChooseRelatedPostsReply>>
  /**
   * Unpublish a post and prevent its author from publishing it again.
   *
   * Buyers keep access. Repeating this changes nothing.
   */
  readonly barPost: Operation<BarPostInput, Reply<200, ModeratedPost>>
  /**
   * Allow the author of a post to publish it again.
   *
   * It stays unpublished until the author publishes it. Nothing changes if no administrator unpublished it.
   */
  readonly restorePost: Operation<RestorePostInput, Reply<200, ModeratedPost>>
  /**
   * Start an import of posts from elsewhere.
   *
   * Confirms once, for all posts of the import, that they are yours to publish and that what they say about how they were written is accurate. Nobody is notified of imported posts, and none is emailed. Imports have separate quotas: they do not count as drafts, uploads or publications of the day.
   */
  readonly startImport: Operation<StartImportInput, Reply<201, Import>>
  /**
   * Import a post, or update one that was imported.
   *
   * With its date, slug and old paths. The same `sourceId` again updates the post, unless it was edited here. Images are uploaded afterwards: refer to them as `image:KEY`. With `dryRun` everything is checked and nothing is saved.
   */
  readonly importPost: Operation<ImportPostInput, Reply<200, ImportResult>>
  /**
   * Upload an image of an imported post.
   *
   * Like `uploadPostImage`, but counted against the quota of imports, and without a revision: it does not make the post look edited. `key` is the KEY of `image:KEY`; without it, the image becomes the social preview image.
   */
  readonly importImage: Operation<ImportImageInput, Reply<200 | 202, ImageOperation>>
  /**
   * Upload a ZIP file of an imported post.
   *
   * Up to 10 MiB as one form, counted against the quota of imports.
   */
  readonly importAttachment: Operation<ImportAttachmentInput, Reply<202, AttachmentResult>>
  /**
   * List the posts that you imported.
   *
   * By `sourceId`, with the files that they have: what an interrupted import still has to send. `nextCursor` is null at the end.
   */
  readonly listImportedPosts: OptionalOperation<ListImportedPostsInput, Reply<200, ListImportedPostsReply>>
  /**
   * Get the readers, sales and tips of your posts.
   *
   * Days are in UTC, 400 at most. Readers are counted without cookies, and no address is stored; programs that say they are bots do not count. The counts are up to date within ten seconds.
   */
  readonly getStatistics: OptionalOperation<GetStatisticsInput, Reply<200, Statistics>>
  /**
   * Get the readers, sales and tips of a post.
   *
   * Days are in UTC, 400 at most. Readers are counted without cookies, and no address is stored; programs that say they are bots do not count. The counts are up to date within ten seconds.
   */
  readonly getPostStatistics: Operation<GetPostStatisticsInput, Reply<200, PostStatistics>>
  /**
   * Export the statistics of your posts as CSV.
   *
   * One line for each day and post on which something happened. Amounts are exact, in whole units with a decimal point, such as 0.2375; they are empty for a publishing key.
   */
  readonly exportStatistics: OptionalOperation<ExportStatisticsInput, Reply<200, string>> & Downloads<ExportStatisticsInput>
  /**
   * Export the statistics of a post as CSV.
   *
   * One line for each day on which something happened. Amounts are exact, in whole units with a decimal point, such as 0.2375; they are empty for a publishing key.
   */
  readonly exportPostStatistics: Operation<ExportPostStatisticsInput, Reply<200, string>> & Downloads<ExportPostStatisticsInput>
  /**
   * Upload an inline image or social preview image of a post.
   *
   * PNG, JPEG, WebP or GIF, up to 5 MiB inline or 2 MiB for the preview (OG) image. It stays private while it is checked in the background: poll `actions.status`.
   */
  readonly uploadPostImage: Operation<UploadPostImageInput, Reply<200 | 202, ImageOperation>>
  /**
   * Upload your avatar.
   *
   * PNG, JPEG, WebP or GIF, up to 2 MiB. The previous image is shown until this one has been checked.
   */
  readonly uploadAvatar: Operation<UploadAvatarInput, Reply<200 | 202, ImageOperation>>
  /**
   * Upload your header image.
   *
   * PNG, JPEG, WebP or GIF, up to 2 MiB. The previous image is shown until this one has been checked.
   */
  readonly uploadHeader: Operation<UploadHeaderInput, Reply<200 | 202, ImageOperation>>
  /**
   * List your image uploads.
   *
   * With `postId`, the uploads of a post; without parameters, those of your profile. At most 200, newest first: `nextCursor` continues, and is null at the end. With `requestKey`, `targetKind`, `targetId` and `targetKey`, at most the one that matches.
   */
  readonly listUploadOperations: OptionalOperation<ListUploadOperationsInput, Reply<200, ListUploadOperationsReply>>
  /**
   * Get the status of an upload.
   *
   * Poll it until `safety.state` is `cleared`, `rejected` or `failed`, and wait `safety.retryAfterSeconds` in between. 202 means that the upload is in progress.
   */
  readonly getUploadOperation: Operation<GetUploadOperationInput, Reply<200, ImageOperation | AttachmentResult> | Reply<202, ImageOperation>>
  /**
   * Attach an upload to its target.
   *
   * Without sending the bytes again, for example after the post was changed to allow it.
   */
  readonly associateUpload: Operation<AssociateUploadInput, Reply<200, ImageOperation | AttachmentResult> | Reply<202, ImageOperation>>
  /**
   * Cancel an upload, or remove its image.
   *
   * An incident hold stays in place.
   */
  readonly cancelUpload: Operation<CancelUploadInput, Reply<200, ImageOperation | AttachmentResult> | Reply<202, ImageOperation>>
  /**
   * Get a public image.
   *
   * Avatars, header images and images of posts. The bytes behind a URL never change. Supports ranges.
   */
  readonly getMedia: Operation<GetMediaInput, Reply<200 | 206, Uint8Array> | Reply<304 | 416, undefined>> & Downloads<GetMediaInput>
  /**
   * Get a small copy of the cover of a post.
   *
   * 432×288 pixels, cut at the sides. Its name is that of the cover (`/media/{id}.…`) with `.webp`. The bytes behind a URL never change.
   */
  readonly getThumbnail: Operation<GetThumbnailInput, Reply<200, Uint8Array>> & Downloads<GetThumbnailInput>
  /**
   * List the ZIP files of one of your posts.
   *
   * With `requestKey`, only the file uploaded with that key, even if it was removed since.
   */
  readonly listAttachments: Operation<ListAttachmentsInput, Reply<200, AttachmentManifest>>
  /**
   * Start the upload of a ZIP file.
   *
   * Next, authorize and send its parts of 5 MiB one after the other, then complete the upload.
   */
  readonly reserveAttachment: Operation<ReserveAttachmentInput, Reply<202, AttachmentResult>>
  /**
   * Get the upload that was started with a key.
   *
   * For a client that lost the reply of `reserveAttachment`. `requestKey` is its `Idempotency-Key`.
   */
  readonly lookUpAttachment: Operation<LookUpAttachmentInput, Reply<200, AttachmentResult>>
  /**
   * Get the progress of an upload, or authorize its next part.
   *
   * Without `partNumber`, only the progress. With it, `transfer` says where and how to send that part, for the next fifteen minutes. Parts are sent in order.
   */
  readonly transportAttachment: Operation<TransportAttachmentInput, Reply<200, TransportAttachmentReply>>
  /**
   * Complete the upload of a ZIP file.
   *
   * Its length and SHA-256 are checked, then it is queued for screening.
   */
  readonly completeAttachment: Operation<CompleteAttachmentInput, Reply<200, AttachmentResult>>
  /**
   * Change the name or description of a ZIP file.
   *
   * Fields that are left out keep their value. Needs the revision of the post in `X-Post-Revision` or `If-Match`.
   */
  readonly editAttachment: Operation<EditAttachmentInput, Reply<200, AttachmentResult>>
  /**
   * Remove a ZIP file, or cancel its upload.
   *
   * Buyers of the post keep access to a file that was ready. Needs the revision of the post in `X-Post-Revision` or `If-Match`.
   */
  readonly removeAttachment: Operation<RemoveAttachmentInput, Reply<200, AttachmentResult>>
  /**
   * Download one of your ZIP files.
   *
   * Also works for drafts and unpublished posts.
   */
  readonly downloadAttachment: Operation<DownloadAttachmentInput, Reply<200, Uint8Array>> & Downloads<DownloadAttachmentInput>
  /**
   * Upload a small ZIP file as a form.
   *
   * For older clients, up to 3 MiB. Newer clients upload in parts.
   */
  readonly uploadAttachment: Operation<UploadAttachmentInput, Reply<202, AttachmentResult>>
  /**
   * Send one part of a ZIP file.
   *
   * URL and capability come from `transportAttachment`. Sending the same bytes twice is harmless. The capability is the only credential: a request with `Authorization`, a cookie or a payment is refused, and so is one with `Content-Range` or `Content-Encoding`.
   */
  readonly storeAttachmentPart: Operation<StoreAttachmentPartInput, Reply<200, StoreAttachmentPartReply>>
  /**
   * List the ZIP files of a published post.
   *
   * Name, size and contents of every file. Downloading a file needs access to the post.
   */
  readonly listPublicAttachments: Operation<ListPublicAttachmentsInput, Reply<200, ListPublicAttachmentsReply>>
  /**
   * Browse, filter and search published posts.
   *
   * A search ranks posts by where the words occur: all in the title first, then in title or description, then in those or the creator, then anywhere. Equal ranks are ordered as by `sort=recommended`. `total` is exact up to 1,000; above, it may be an estimate, and `totalIsExact` is false then. Paid content is searched by whole words and their forms, not by numbers or beginnings of words, unless its author switched that off, and never shown.
   */
  readonly listPublicPosts: OptionalOperation<ListPublicPostsInput, Reply<200, ListPublicPostsReply>>
  /**
   * Get the free content of a published post.
   *
   * Never includes paid content. Use `getAccess` to read or buy it.
   */
  readonly getPublicPost: Operation<GetPublicPostInput, Reply<200, PostDetail>>
  /**
   * List the published posts of a creator's tag, newest first.
   *
   * A tag belongs to one creator.
   */
  readonly listTagPosts: Operation<ListTagPostsInput, Reply<200, ListTagPostsReply>>
  /**
   * List related posts.
   *
   * First those that the author chose, then posts in the same category or language, or with similar titles, the most similar first. `series` has its neighbours if the author has put it in a series; they are not listed again.
   */
  readonly listRelatedPosts: Operation<ListRelatedPostsInput, Reply<200, ListRelatedPostsReply>>
  /**
   * List all paid posts, newest first, for programs that buy.
   *
   * Every paid post with its offers, page by page. The access URL of a post returns the 402 to pay. With `published_after`, only newer posts.
   */
  readonly listPaidPosts: OptionalOperation<ListPaidPostsInput, Reply<200, ListPaidPostsReply>>
  /**
   * Get the x402 manifest for directories of paid resources.
   *
   * Available at two paths, because directories look in either place. `resources` has the newest posts only.
   */
  readonly getX402Manifest: OptionalOperation<NoInput, Reply<200, X402Manifest>>
  /**
   * Get the x402 manifest for directories of paid resources.
   *
   * Available at two paths, because directories look in either place. `resources` has the newest posts only.
   */
  readonly getX402ManifestFile: OptionalOperation<NoInput, Reply<200, X402Manifest>>
  /**
   * Rank creators by earnings, sales or followers, or supporters by tips.
   *
   * Boards of money rank by one asset: Nano, or USDC with `asset=USDC`. Two assets are never added up. With an owner session, `my_rank` is your own rank. Accounts that opted out are not listed. Payments to yourself do not count, and neither does money that two accounts send back and forth.
   */
  readonly getLeaderboard: Operation<GetLeaderboardInput, Reply<200, GetLeaderboardReply>>
  /**
   * Suggest posts, creators and tags while a reader types.
   *
   * At most five of each: those in which a word starts with `q`, then those that differ from it by a typo. Case and accents are ignored. Only titles, names and handles are searched, never the text of a post. Creators are authors of at least one public post.
   */
  readonly suggestSearches: Operation<SuggestSearchesInput, Reply<200, SuggestSearchesReply>>
  /**
   * List the posts of the creators you follow, newest first.
   *
   * By the time of their first publication. A cursor stays valid: posts that are published meanwhile neither shift nor repeat what follows.
   */
  readonly listFollowedPosts: OptionalOperation<ListFollowedPostsInput, Reply<200, ListFollowedPostsReply>>
  /**
   * Check whether you saved a post.
   *
   * Also for a post that does not exist: you did not save it.
   */
  readonly getBookmark: Operation<GetBookmarkInput, Reply<200, Bookmark>>
  /**
   * Save a post for later.
   *
   * Saving a post twice changes nothing. Only you see what you saved.
   */
  readonly addBookmark: Operation<AddBookmarkInput, Reply<200, Bookmark>>
  /**
   * Remove a post from those you saved.
   *
   * Removing one that you did not save changes nothing.
   */
  readonly removeBookmark: Operation<RemoveBookmarkInput, Reply<200, Bookmark>>
  /**
   * List the posts you saved, last saved first.
   *
   * A post that is unpublished is left out, and is back when it is published again. A cursor stays valid: posts that you save meanwhile neither shift nor repeat what follows.
   */
  readonly listBookmarks: OptionalOperation<ListBookmarksInput, Reply<200, ListBookmarksReply>>
  /**
   * Read a post, or get its price.
   *
   * The author, buyers and holders of a gift link get the full post. Others get a 402 with an offer for each way to pay, or with the one that `asset` or `network` names. To pay, repeat the request with `PAYMENT-SIGNATURE`. An offer is valid for 300 seconds.
   */
  readonly getAccess: Operation<GetAccessInput, Reply<200, PostAccess> | Reply<402, PaymentRequired>>
  /**
   * Download a ZIP file of a post you can read.
   *
   * ZIP files are bought together with their post: the 402 names the URL of the post, where to pay.
   */
  readonly getAsset: Operation<GetAssetInput, Reply<200, Uint8Array> | Reply<402, PaymentRequired>> & Downloads<GetAssetInput>
  /**
   * Get the public key that verifies receipts.
   *
   * The `did:web` document of this service. Every settled payment returns a receipt in `PAYMENT-RESPONSE` (x402 `offer-receipt`), a JWS that names this key.
   */
  readonly getDidDocument: OptionalOperation<NoInput, Reply<200, Record<string, unknown>>> & Downloads<NoInput>
  /**
   * Tip the author of a post with x402, without an account.
   *
   * Returns 402 with one offer, in Nano for `amount_raw` or in USDC for `amount_atomic` with `asset=USDC`. Repeat the request with `PAYMENT-SIGNATURE` to send the tip. USDC goes directly to the author. No commission is taken.
   */
  readonly tipThroughX402: Operation<TipThroughX402Input, Reply<200, TipThroughX402Reply> | Reply<402, PaymentRequired>>
  /**
   * Tip the author of a comment with x402, without an account.
   *
   * Returns 402 with one offer, in Nano for `amount_raw` or in USDC for `amount_atomic` with `asset=USDC`. Repeat the request with `PAYMENT-SIGNATURE` to send the tip. USDC goes directly to the author. No commission is taken.
   */
  readonly tipCommentThroughX402: Operation<TipCommentThroughX402Input, Reply<200, TipCommentThroughX402Reply> | Reply<402, PaymentRequired>>
  /**
   * Start buying a post, with or without an account.
   *
   * With an owner session, for that account; without one, as a guest. With USDC, sign `paymentRequired` and settle. With Nano, send the amount to `payment.address` within an hour and watch `statusUrl`. A guest should use an `Idempotency-Key` that nobody can guess, such as a UUID. Keep `checkoutCredential`: it gives access to the purchase. A replay returns it too, except to a guest whose key has fewer than 32 characters or characters other than visible ASCII.
   */
  readonly createCheckout: Operation<CreateCheckoutInput, Reply<200, CreateCheckoutReply> | Reply<201, CreateCheckoutReply201>>
  /**
   * Start tipping with Nano, with or without an account.
   *
   * The tip is for the author of the post or comment. Send the amount to `payment.address` within an hour and watch `statusUrl`, which is that of a checkout. A guest's tip is shown without a name. A guest should use an `Idempotency-Key` that nobody can guess, such as a UUID. Keep `checkoutCredential`: it gives access to the purchase. A replay returns it too, except to a guest whose key has fewer than 32 characters or characters other than visible ASCII.
   */
  readonly createTipCheckout: Operation<CreateTipCheckoutInput, Reply<200, CreateTipCheckoutReply> | Reply<201, CreateTipCheckoutReply201>>
  /**
   * Pay for a checkout with USDC.
   *
   * Sending the same payment again returns the same reply. A guest gets the session of an anonymous account.
   */
  readonly settleCheckout: Operation<SettleCheckoutInput, Reply<200, SettleCheckoutReply> | Reply<402, PaymentRequired>>
  /**
   * Get the status of a checkout, or stream its changes.
   *
   * Once it is paid, a guest who sends the credential gets the session of the anonymous account. The same one is returned for a minute, then a new one.
   */
  readonly getCheckout: Operation<GetCheckoutInput, Reply<200, GetCheckoutReply>> & Events<GetCheckoutInput, GetCheckoutReply>
  /**
   * Get a new session for a guest purchase.
   *
   * Returns a new session of the anonymous account. Not possible once that account has an email or wallet to sign in with.
   */
  readonly recoverCheckout: Operation<RecoverCheckoutInput, Reply<200, RecoverCheckoutReply>>
  /**
   * Move a guest purchase into your account.
   *
   * A purchase can be moved once. The payment stays in the financial lists of the account that paid.
   */
  readonly claimCheckout: Operation<ClaimCheckoutInput, Reply<200, ClaimCheckoutReply>>
  /**
   * List the posts you bought, by any payment method.
   *
   * Includes purchases by wallets that are linked to your account. Each post is listed once.
   */
  readonly listLibrary: OptionalOperation<ListLibraryInput, Reply<200, ListLibraryReply>>
  /**
   * Get the gift link of your post.
   *
   * Null if the post has none.
   */
  readonly getGiftLink: Operation<GetGiftLinkInput, Reply<200, GetGiftLinkReply>>
  /**
   * Create a gift link, or get the existing one.
   *
   * Anyone with the link can read the post and download its ZIP files without paying, as long as the post is published.
   */
  readonly createGiftLink: Operation<CreateGiftLinkInput, Reply<200, CreateGiftLinkReply>>
  /**
   * Disable the gift link.
   *
   * Readers can no longer use the link. A later link has another token.
   */
  readonly disableGiftLink: Operation<DisableGiftLinkInput, Reply<200, DisableGiftLinkReply>>
  /**
   * List the gift links of your posts, newest first.
   *
   * Disabled links are not listed.
   */
  readonly listGiftLinks: OptionalOperation<ListGiftLinksInput, Reply<200, ListGiftLinksReply>>
  /**
   * Check whether you have a private feed of your purchases.
   *
   * Its URL cannot be shown again because only a hash is stored.
   */
  readonly getPrivateFeed: OptionalOperation<NoInput, Reply<200, GetPrivateFeedReply>>
  /**
   * Create a private feed with the full text of your purchases.
   *
   * Replaces the previous URL, which stops working.
   */
  readonly createPrivateFeed: OptionalOperation<NoInput, Reply<201, CreatePrivateFeedReply>>
  /**
   * Revoke your private feed.
   *
   * Its URLs stop working immediately. Nothing changes if there is none.
   */
  readonly revokePrivateFeed: OptionalOperation<NoInput, Reply<200, RevokePrivateFeedReply>>
  /**
   * Get a quote for a post, to pay with Nano.
   *
   * Amount and recipient are fixed for one hour. Send exactly the amount to the address.
   */
  readonly createPurchase: Operation<CreatePurchaseInput, Reply<200 | 201, CreatePurchaseReply>>
  /**
   * List your purchases, newest first.
   *
   * Includes purchases with USDC that were made by this account or moved into it.
   */
  readonly listPurchases: OptionalOperation<ListPurchasesInput, Reply<200, ListPurchasesReply>>
  /**
   * Get a purchase, or stream its changes.
   *
   * With `Accept: text/event-stream`, the connection stays open and each change is sent as an event.
   */
  readonly getPurchase: Operation<GetPurchaseInput, Reply<200, Purchase>> & Events<GetPurchaseInput, Purchase>
  /**
   * Get the receipt of a paid purchase.
   *
   * Possible as soon as the purchase is `received`. Claiming twice returns the same receipt.
   */
  readonly claimPurchase: Operation<ClaimPurchaseInput, Reply<200, ClaimPurchaseReply>>
  /**
   * Cancel an unpaid purchase.
   *
   * Money that was already sent still buys if it is enough. Anything less is returned an hour after expiry.
   */
  readonly cancelPurchase: Operation<CancelPurchaseInput, Reply<200, Purchase>>
  /**
   * Tip the author of a post with Nano.
   *
   * Send either `amountRaw` or `amount`. Pay exactly the quoted amount to the address within an hour. No commission is taken.
   */
  readonly tipPost: Operation<TipPostInput, Reply<200 | 201, TipPostReply>>
  /**
   * Tip the author of a comment with Nano.
   *
   * Send either `amountRaw` or `amount`. Pay exactly the quoted amount to the address within an hour. No commission is taken.
   */
  readonly tipComment: Operation<TipCommentInput, Reply<200 | 201, TipCommentReply>>
  /**
   * Tip the author of a comment with Nano.
   *
   * The same as `tipComment`, with the post in the path. The comment must belong to that post.
   */
  readonly tipCommentOfPost: Operation<TipCommentOfPostInput, Reply<200 | 201, TipCommentOfPostReply>>
  /**
   * Get a tip, or stream its changes.
   *
   * With `Accept: text/event-stream`, the connection stays open and each change is sent as an event.
   */
  readonly getTip: Operation<GetTipInput, Reply<200, Tip>> & Events<GetTipInput, Tip>
  /**
   * Send a blocked payout to your saved address.
   *
   * Send both values exactly as `GET /api/v1/profile/payout-address` returns them. Repeating the request changes nothing. The money is sent in the background.
   */
  readonly bindPayout: Operation<BindPayoutInput, Reply<200, PayoutBinding>>
  /**
   * List what you received and paid.
   *
   * Newest first. All pages of one list show the account as of `asOf`: later items are neither listed nor counted, and `total` and `summary` stay the same as on the first page. The status of an item is always the current one. `summary` adds up the listed items; with `direction`, one side only.
   */
  readonly listTransactions: OptionalOperation<ListTransactionsInput, Reply<200, FinancialList>>
  /**
   * Export all transactions as CSV.
   *
   * Newest first, with a header line. Amounts are exact, in whole units with a decimal point, such as 0.2375. The file is streamed, so it can be long.
   */
  readonly exportTransactions: OptionalOperation<ExportTransactionsInput, Reply<200, string>> & Downloads<ExportTransactionsInput>
  /**
   * List the earnings of your posts and comments.
   *
   * Newest first. All pages of one list show the account as of `asOf`: later items are neither listed nor counted, and `total` and `summary` stay the same as on the first page. The status of an item is always the current one.
   */
  readonly listEarnings: OptionalOperation<ListEarningsInput, Reply<200, FinancialList>>
  /**
   * Get your earnings by day and by post.
   *
   * Days are in UTC. A tip to a comment counts for the post of the comment.
   */
  readonly getEarningsReport: OptionalOperation<GetEarningsReportInput, Reply<200, EarningsReport>>
  /**
   * List payouts sent or owed to you.
   *
   * Newest first. All pages of one list show the account as of `asOf`: later items are neither listed nor counted, and `total` and `summary` stay the same as on the first page. The status of an item is always the current one. Payments that go directly to you, such as USDC, are not payouts. With `status`, only payouts that currently have that status are listed and counted.
   */
  readonly listPayouts: OptionalOperation<ListPayoutsInput, Reply<200, FinancialList>>
  /**
   * List money that is owed, oldest first.
   *
   * `blocked` needs action. `waiting` is being sent; an old entry may be stuck.
   */
  readonly listObligations: OptionalOperation<ListObligationsInput, Reply<200, ListObligationsReply>>
  /**
   * Retry sending a refund or commission.
   *
   * Commission goes to the address in the current settings. A payout to a creator waits for the creator instead. Recorded in the audit log.
   */
  readonly retryObligation: Operation<RetryObligationInput, Reply<200, Obligation>>
  /**
   * Choose the address for a refund that cannot be returned to its sender.
   *
   * Used when the sender is this service itself or always sends money back, so that a person has to find out whose money it is. Recorded in the audit log.
   */
  readonly settleObligation: Operation<SettleObligationInput, Reply<200, Obligation>>
  /**
   * List comments on a post.
   *
   * Roots and replies in the order they were written, or as `sort` says. With `threadRootId`, only that thread and its root, always oldest first. A cursor belongs to the `sort` it came with. In `popular`, a thread that gets reactions while you read may be on two pages or on none.
   */
  readonly listComments: Operation<ListCommentsInput, Reply<200, CommentPage>>
  /**
   * List comments on a post without signing in.
   *
   * Without `limit`, `cursor`, `sort` and `threadRootId`, the reply is an array of the 500 oldest comments, and the `Link` header points to the rest. With any of the four it is a page.
   */
  readonly listPublicComments: Operation<ListPublicCommentsInput, Reply<200, Comment[] | CommentPage>>
  /**
   * Comment on a post, or reply to a comment.
   *
   * Repeating the `Idempotency-Key` on the same post returns the same comment with status 200. If the comment was saved but cannot be shown right now, the reply is a receipt with `readbackRequired`: read the comment by its id, and do not send it again.
   */
  readonly addComment: Operation<AddCommentInput, Reply<200 | 201, SavedComment | CommentReceipt>>
  /**
   * Get a comment.
   *
   * A deleted comment can be read too; its `content` is null.
   */
  readonly getComment: Operation<GetCommentInput, Reply<200, Comment>>
  /**
   * Delete your own comment, a comment on your post, or any comment as an administrator.
   *
   * The comment keeps its place but loses its content. Deleting it twice changes nothing.
   */
  readonly deleteComment: Operation<DeleteCommentInput, Reply<200, DeleteCommentReply>>
  /**
   * Suggest people to mention.
   *
   * In `prefix` mode, people whose handle or a word of whose name starts with `q`, ignoring case but not accents. In `exact` mode, the person with that handle.
   */
  readonly suggestMentions: Operation<SuggestMentionsInput, Reply<200, SuggestMentionsReply>>
  /**
   * Suggest people to mention.
   *
   * In `prefix` mode, people whose handle or a word of whose name starts with `q`, ignoring case but not accents. In `exact` mode, the person with that handle.
   */
  readonly suggestMentionsPublicly: Operation<SuggestMentionsPubliclyInput, Reply<200, SuggestMentionsPubliclyReply>>
  /**
   * Get the reactions to a post, and your own.
   *
   * With `reaction`, also lists the people who chose it, in pages.
   */
  readonly getPostReactions: Operation<GetPostReactionsInput, Reply<200, Reactions>>
  /**
   * Get the reactions to a post.
   *
   * With `reaction`, also lists the people who chose it, in pages.
   */
  readonly getPublicPostReactions: Operation<GetPublicPostReactionsInput, Reply<200, Reactions>>
  /**
   * React to a post, or remove your reaction with null.
   *
   * An account has at most one reaction to a post. Sending the same one again changes nothing.
   */
  readonly reactToPost: Operation<ReactToPostInput, Reply<200, ReactToPostReply>>
  /**
   * Get the reactions to a comment, and your own.
   *
   * With `reaction`, also lists the people who chose it, in pages.
   */
  readonly getCommentReactions: Operation<GetCommentReactionsInput, Reply<200, Reactions>>
  /**
   * Get the reactions to a comment.
   *
   * With `reaction`, also lists the people who chose it, in pages.
   */
  readonly getPublicCommentReactions: Operation<GetPublicCommentReactionsInput, Reply<200, Reactions>>
  /**
   * React to a comment, or remove your reaction with null.
   *
   * An account has at most one reaction to a comment. Sending the same one again changes nothing.
   */
  readonly reactToComment: Operation<ReactToCommentInput, Reply<200, ReactToCommentReply>>
  /**
   * List tips to a post, newest first.
   *
   * Tips to its comments are not included. At most 500: the `Link` header points to the rest.
   */
  readonly listTipActivities: Operation<ListTipActivitiesInput, Reply<200, TipActivity[]>>
  /**
   * List the people who tipped a comment, largest total first.
   *
   * Ordered by what they gave in Nano, then by USDC: the two are not added up. At most 500 people.
   */
  readonly listCommentSupporters: Operation<ListCommentSupportersInput, Reply<200, Supporter[]>>
  /**
   * Report a post to the administrators.
   *
   * Once per account. Repeating the same request with the same `Idempotency-Key` returns 200.
   */
  readonly reportPost: Operation<ReportPostInput, Reply<200 | 201, ReportReceipt>>
  /**
   * Report a comment to the administrators.
   *
   * Once per account. Repeating the same request with the same `Idempotency-Key` returns 200.
   */
  readonly reportComment: Operation<ReportCommentInput, Reply<200 | 201, ReportReceipt>>
  /**
   * List reports, oldest first.
   *
   * Open reports unless `status` says otherwise.
   */
  readonly listReports: OptionalOperation<ListReportsInput, Reply<200, ListReportsReply>>
  /**
   * Dismiss a report, or act on it.
   *
   * Removing the comment or unpublishing the post upholds every open report of it. Decision and action are one entry in the audit log.
   */
  readonly decideReport: Operation<DecideReportInput, Reply<200, Report>>
  /**
   * List your notifications, newest first.
   *
   * When you poll, compare ids: rows can shift between pages. Without `includeAll`, kinds that are turned off in the app are left out of rows and counts. `preferences` says for each kind whether it is on in the app. Without `preferenceSchema=2`, a `comment_mention` is reported as `new_comment`.
   */
  readonly listNotifications: OptionalOperation<ListNotificationsInput, Reply<200, ListNotificationsReply>>
  /**
   * Mark notifications as read.
   *
   * Ids that are not yours or already read are ignored.
   */
  readonly markNotificationsRead: Operation<MarkNotificationsReadInput, Reply<200, MarkNotificationsReadReply>>
  /**
   * Mark notifications about a post, purchase, comment, follower or kind as read.
   *
   * A notification must match everything that is given. Ids may also be written in snake case, such as `post_id`. `new_comment` includes mentions, as in the first preference schema.
   */
  readonly markContextRead: Operation<MarkContextReadInput, Reply<200, MarkContextReadReply>>
  /**
   * Mark all notifications as read.
   *
   * `updated` is the number of notifications that were unread.
   */
  readonly markAllRead: OptionalOperation<NoInput, Reply<200, MarkAllReadReply>>
  /**
   * Get your notification preferences.
   *
   * One switch for each kind of notification and channel, and one for each channel as a whole.
   */
  readonly getNotificationPreferences: OptionalOperation<NoInput, Reply<200, NotificationPreferences>>
  /**
   * Change your notification preferences.
   *
   * Fields that are left out keep their value. `notify_…` is for email and `notify_…_inapp` for in-app notifications; `email_notifications` and `in_app_notifications` turn a whole channel on or off. Push covers mentions and replies that are also shown in the app.
   */
  readonly updateNotificationPreferences: Operation<UpdateNotificationPreferencesInput, Reply<200, NotificationPreferences>>
  /**
   * Check whether you muted the discussion of a post.
   *
   * While a discussion is muted, you are not notified of its comments.
   */
  readonly getPostMute: Operation<GetPostMuteInput, Reply<200, GetPostMuteReply>>
  /**
   * Mute or unmute the discussion of a post.
   *
   * The author is still notified of sales and tips.
   */
  readonly updatePostMute: Operation<UpdatePostMuteInput, Reply<200, UpdatePostMuteReply>>
  /**
   * Get the public key for push subscriptions.
   *
   * Pass it as `applicationServerKey` when the browser subscribes.
   */
  readonly getPushKey: OptionalOperation<NoInput, Reply<200, GetPushKeyReply>>
  /**
   * Subscribe a browser to push messages about mentions and replies.
   *
   * Takes a browser's `PushSubscription` as JSON. Subscribing the same endpoint again keeps its id. Messages are sent while `push_notifications` is on. An account can have 20 browsers; a further one replaces the oldest.
   */
  readonly addPushSubscription: Operation<AddPushSubscriptionInput, Reply<201, AddPushSubscriptionReply>>
  /**
   * Unsubscribe a browser from push messages.
   *
   * Takes the `endpoint` of the subscription.
   */
  readonly removePushSubscription: Operation<RemovePushSubscriptionInput, Reply<200, RemovePushSubscriptionReply>>
  /**
   * List your webhooks.
   *
   * All of them, the oldest first. Secrets are not shown.
   */
  readonly listWebhooks: OptionalOperation<NoInput, Reply<200, ListWebhooksReply>>
  /**
   * Create a webhook.
   *
   * We POST a JSON object with `type`, `timestamp` and `data` to the URL when something happens. Reply with a 2xx status within five seconds; otherwise the request is repeated after a minute, 5 minutes, 30 minutes, 2, 5, 10, 14, 20 and 24 hours. Requests can come twice and out of order.
   */
  readonly createWebhook: Operation<CreateWebhookInput, Reply<201, WebhookWithSecret>>
  /**
   * Change, enable or disable a webhook.
   *
   * What is left out stays. What happens while a webhook is disabled is not delivered later.
   */
  readonly updateWebhook: Operation<UpdateWebhookInput, Reply<200, Webhook>>
  /**
   * Delete a webhook and its log.
   *
   * What is waiting for it is not sent.
   */
  readonly deleteWebhook: Operation<DeleteWebhookInput, Reply<200, DeleteWebhookReply>>
  /**
   * Replace the secret of a webhook.
   *
   * For 24 hours requests are signed with the old secret too, so that nothing is lost while you change it.
   */
  readonly replaceWebhookSecret: Operation<ReplaceWebhookSecretInput, Reply<200, WebhookWithSecret>>
  /**
   * Send a test event to a webhook.
   *
   * Its type is `webhook.test`. See the log for how it went.
   */
  readonly testWebhook: Operation<TestWebhookInput, Reply<202, TestWebhookReply>>
  /**
   * List what a webhook was sent, newest first.
   *
   * Deliveries are kept for 30 days.
   */
  readonly listWebhookDeliveries: Operation<ListWebhookDeliveriesInput, Reply<200, ListWebhookDeliveriesReply>>
  /**
   * Send a delivery again.
   *
   * With the same `webhook-id` and the same body, now, and again on failure as the first time.
   */
  readonly redeliverWebhook: Operation<RedeliverWebhookInput, Reply<202, RedeliverWebhookReply>>
  /**
   * Subscribe an email address to a creator's new posts.
   *
   * No account is needed. The address gets an email with a link, and is subscribed once its owner confirms there. The reply is the same for addresses that are subscribed already, and for those that were sent as many of these emails as they may get. With an owner session, the confirmed address of its account is subscribed immediately, and `email` can be left out.
   */
  readonly subscribe: Operation<SubscribeInput, Reply<202, SubscribeReply>>
  /**
   * List your subscribers, newest first.
   *
   * Addresses that are not confirmed yet are neither listed nor counted. A cursor stays valid: new subscribers neither shift nor repeat what follows.
   */
  readonly listSubscribers: OptionalOperation<ListSubscribersInput, Reply<200, ListSubscribersReply>>
  /**
   * Export your subscribers as CSV.
   *
   * Newest first, with a header line. An address that starts like a formula has an apostrophe before it. The file is streamed, so it can be long.
   */
  readonly exportSubscribers: OptionalOperation<NoInput, Reply<200, string>> & Downloads<NoInput>
  /**
   * Import subscribers who agreed to get your posts by email.
   *
   * They are subscribed without a confirmation email, so state that they agreed, and where. Their emails say that you added them. Addresses that unsubscribed from you, could not be delivered to, or unsubscribed from a list that anyone imported, stay unsubscribed. What follows a plus sign does not make another subscriber. At most 5,000 addresses in one request; the operator limits how many you can import in a day, and to fewer in the first week of your account. Imported addresses get a limited number of emails a day, of all authors together.
   */
  readonly importSubscribers: Operation<ImportSubscribersInput, Reply<200, ImportSubscribersReply>>
  /**
   * Remove a subscriber.
   *
   * Their address is deleted. They can subscribe again.
   */
  readonly removeSubscriber: Operation<RemoveSubscriberInput, Reply<200, RemoveSubscriberReply>>
  /**
   * Report a message that came back.
   *
   * For the mail server: send the delivery status notification (RFC 3464) as it arrived at the bounce address. If it says that delivery failed for good, the subscription ends. A complaint (RFC 5965) that contains the message ends it too. The signed address in the message is the permission, so no sign-in is needed.
   */
  readonly reportBounce: Operation<ReportBounceInput, Reply<200, ReportBounceReply>>
  /**
   * See how the email with one of your posts went.
   *
   * Counts only. `mailing` is null if the post was not emailed.
   */
  readonly getMailing: Operation<GetMailingInput, Reply<200, GetMailingReply>>
  /**
   * Start an export of everything you have here.
   *
   * Takes a code of `requestConfirmation` with the purpose `export` or, without an email address, a proof of a linked wallet. Download the export at `url`, with the same account, within an hour. Three exports in 24 hours. 202 while a proof payment has not arrived.
   */
  readonly startExport: Operation<StartExportInput, Reply<201, StartExportReply> | Reply<202, StartExportReply202>>
  /**
   * Download an export as a ZIP file.
   *
   * Streamed while it is made, so its length is not known in advance, and an interrupted download starts again from the beginning: three downloads in all. One at a time for an account. `README.txt` inside says what each file is. A file that breaks off has no directory at its end, so programs for ZIP files report it.
   */
  readonly downloadExport: Operation<DownloadExportInput, Reply<200, Uint8Array>> & Downloads<DownloadExportInput>
  /**
   * Delete your account for good.
   *
   * Takes your handle, so that nobody deletes an account by mistake, and a code of `requestConfirmation` with the purpose `deletion`. An account without an email address gives a proof of a linked wallet instead of the code. Your name, email address, sign-ins, keys, drafts, unsold posts, comments and followers are deleted, and everything is signed out. Buyers can still read the posts they bought, without your name. Records of payments stay, and money that is owed is still paid to the promised address. Nobody else can take your handle. 202 until a proof payment arrives.
   */
  readonly deleteAccount: Operation<DeleteAccountInput, Reply<200, DeleteAccountReply> | Reply<202, DeleteAccountReply202>>
  /**
   * Get an overview of the service.
   *
   * Whether rails and dependencies work, what waits and since when, money in transit and its age, and how many accounts and posts there are.
   */
  readonly getAdminOverview: OptionalOperation<NoInput, Reply<200, AdminOverview>>
  /**
   * List accounts by handle.
   *
   * Without email addresses and money.
   */
  readonly listAccounts: OptionalOperation<ListAccountsInput, Reply<200, ListAccountsReply>>
  /**
   * Suspend an account.
   *
   * Its sessions and keys stop working immediately, and it cannot sign in. What it published stays public.
   */
  readonly suspendAccount: Operation<SuspendAccountInput, Reply<200, AdminAccount>>
  /**
   * End a suspension.
   *
   * The account can sign in again, and its sessions and keys that have not expired work again.
   */
  readonly restoreAccount: Operation<RestoreAccountInput, Reply<200, AdminAccount>>
  /**
   * Remove the AI agent label from an account.
   *
   * For an account that was declared an AI agent by mistake.
   */
  readonly removeAgentLabel: Operation<RemoveAgentLabelInput, Reply<200, AdminAccount>>
  /**
   * List incident holds, newest first.
   *
   * With `open=true`, only holds that nobody has cleared.
   */
  readonly listHolds: OptionalOperation<ListHoldsInput, Reply<200, ListHoldsReply>>
  /**
   * Stop serving an upload.
   *
   * Takes the id of the upload operation. If the upload is already held, the reply is the open hold.
   */
  readonly placeHold: Operation<PlaceHoldInput, Reply<200 | 201, IncidentHold>>
  /**
   * Clear a hold.
   *
   * An upload that screening rejected stays rejected and its bytes are deleted. An upload that was cleared before is served again.
   */
  readonly clearHold: Operation<ClearHoldInput, Reply<200, IncidentHold>>
  /**
   * List jobs that stopped retrying, oldest first.
   *
   * `lastError` says why the last attempt failed.
   */
  readonly listDeadJobs: OptionalOperation<ListDeadJobsInput, Reply<200, ListDeadJobsReply>>
  /**
   * Retry a dead job now, with all its attempts.
   *
   * The job runs as soon as a worker is free. Recorded in the audit log.
   */
  readonly retryDeadJob: Operation<RetryDeadJobInput, Reply<200, RetryDeadJobReply>>
  /**
   * Dismiss a dead job.
   *
   * The job is deleted; the audit log keeps its name and ids.
   */
  readonly dismissDeadJob: Operation<DismissDeadJobInput, Reply<200, DismissDeadJobReply>>
  /**
   * List what administrators and the operator did, newest first.
   *
   * Entries are never changed or removed.
   */
  readonly listAuditEntries: OptionalOperation<ListAuditEntriesInput, Reply<200, ListAuditEntriesReply>>
  /**
   * Get the settings of the site.
   *
   * Settings that nobody has changed have their defaults.
   */
  readonly getSiteSettings: OptionalOperation<NoInput, Reply<200, SiteSettings>>
  /**
   * Change the settings of the site.
   *
   * Fields that are left out stay as they are; `null` clears a field that may be null. Every page, feed and email uses the new settings, in every process. The three Markdown fields are the pages `/about`, `/terms` and `/privacy`.
   */
  readonly updateSiteSettings: Operation<UpdateSiteSettingsInput, Reply<200, SiteSettings>>
  /**
   * List invitations, newest first.
   *
   * At most 100, with those that were used up, revoked or have expired.
   */
  readonly listInvitations: OptionalOperation<NoInput, Reply<200, ListInvitationsReply>>
  /**
   * Invite people to sign up.
   *
   * For sites whose registration is `invite`. By default an invitation is for one account and for 30 days.
   */
  readonly createInvitation: OptionalOperation<CreateInvitationInput, Reply<201, Invitation>>
  /**
   * Revoke an invitation.
   *
   * Accounts that were created with it stay.
   */
  readonly revokeInvitation: Operation<RevokeInvitationInput, Reply<200, Invitation>>
  /**
   * Become the first administrator.
   *
   * Needs the token that the service prints at each start while it has no administrator. It works once. `pennypost admin add` makes further administrators.
   */
  readonly claimAdmin: Operation<ClaimAdminInput, Reply<200, ClaimAdminReply>>
  /**
   * Check whether the process is alive.
   *
   * Says nothing about dependencies: see `getReadiness`.
   */
  readonly getHealth: OptionalOperation<NoInput, Reply<200, GetHealthReply>>
  /**
   * Check whether the service is ready.
   *
   * 200 once the database is migrated, workers run and every required dependency is reachable; otherwise 503. `degraded` lists optional dependencies that are unavailable.
   */
  readonly getReadiness: OptionalOperation<NoInput, Reply<200 | 503, Readiness>>
  /**
   * Get metrics for Prometheus.
   *
   * With `METRICS_TOKEN`, send it as a bearer token. Without it, only requests from the same machine that no proxy forwarded are answered.
   */
  readonly getMetrics: OptionalOperation<GetMetricsInput, Reply<200, string>> & Downloads<GetMetricsInput>
  /**
   * Get this API as an OpenAPI 3.1.0 document.
   *
   * `servers` lists every base URL of this service, the one that was asked first. What only administrators do is in `/openapi-admin.json`.
   */
  readonly getOpenApi: OptionalOperation<NoInput, Reply<200, Record<string, unknown>>> & Downloads<NoInput>
  /**
   * Get the API for administrators as an OpenAPI 3.1.0 document.
   *
   * The operations below `/api/v1/admin/`. Each needs the owner session of an administrator.
   */
  readonly getAdminOpenApi: OptionalOperation<NoInput, Reply<200, Record<string, unknown>>> & Downloads<NoInput>
}
