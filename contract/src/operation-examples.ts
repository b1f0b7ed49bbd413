// Written by hand where a generated example would not show how an operation is used. The test of the OpenAPI document
// checks every one against its schema.

const post = '0b6f4a52-6a0e-4c3b-9a51-2f7d8c1e9b34'
const ada = '5f0d7a3e-2c41-4b8a-9d16-7e3c0f5b2a91'
const raw = '250000000000000000000000000000'
const secret = 'pX3vQ8mL1kT6yZ0wR5nB9cH2dJ7fG4sAaE8uI3oPqWx'

interface OperationExample {
  /** The body of the request. */
  readonly body?: unknown
  /** The body of the reply with the lowest status. */
  readonly reply?: unknown
  /** The start of an event stream. */
  readonly events?: string
}

const tip = { amountRaw: raw, message: 'Thank you for this.' }

const eventsOf = (kind: string) =>
  `event: ${kind}\ndata: {"id":"e84b19d0-3f76-4a5c-b21d-60c7f9a8d354","status":"pending"}\n\n`

const siteSettings = {
  name: 'The Analytical Gazette',
  tagline: 'Notes on engines',
  description: 'Essays on computing and poetry, sold for cents.',
  logoUrl: '/media/logo.webp',
  iconUrl: 'https://images.example.org/icon.svg',
  accentColor: '#7a3b12',
  navigation: [{ label: 'About', url: '/about' }],
  aboutMarkdown: 'We write about *engines*.',
  termsMarkdown: null,
  privacyMarkdown: null,
  registration: 'invite',
}

const statisticsCsv = [
  'day,post_id,readers,paywall_views,sales,conversion_percent,sales_xno,gross_xno,net_xno,sales_usdc,gross_usdc,net_usdc,tips,tips_xno,tips_usdc',
  `2026-02-14,${post},31,8,1,12.50,1,0.25,0.2375,0,0,0,0,0,0`,
  '',
].join('\r\n')

const figuresOf = (readers: number, paywallViews: number, sales: number) => ({
  readers,
  paywallViews,
  sales: {
    count: sales,
    XNO: {
      count: sales,
      grossAtomic: String(BigInt(raw) * BigInt(sales)),
      commissionAtomic: String((BigInt(raw) * BigInt(sales)) / 20n),
      netAtomic: String((BigInt(raw) * BigInt(sales) * 19n) / 20n),
    },
    USDC: { count: 0, grossAtomic: '0', commissionAtomic: '0', netAtomic: '0' },
  },
  tips: { count: 0, XNO: { count: 0, amountAtomic: '0' }, USDC: { count: 0, amountAtomic: '0' } },
  conversion: { sales, paywallViews, percent: ((sales / paywallViews) * 100).toFixed(2) },
})

/** Examples by operation. */
export const operationExamples: Readonly<Record<string, OperationExample>> = {
  startRegistration: {
    body: { email: 'ada@example.org', name: 'Ada Lovelace', handle: 'ada_l', acceptedTerms: true },
    reply: {
      registrationId: 'd94a7c12-6e5b-4f38-b0a7-52c1e8f3d690',
      expiresAt: '2026-02-14T10:30:00.000Z',
      message: 'Check your inbox for a code.',
    },
  },
  continueWithEmail: { body: { email: 'ada@example.org', acceptedTerms: true } },
  verifyContinuation: { body: { code: '482913' } },
  getSiteSettings: { reply: siteSettings },
  updateSiteSettings: { body: { name: 'The Analytical Gazette', accentColor: '#7a3b12' }, reply: siteSettings },
  createInvitation: { body: { label: 'For the reading group', maxUses: 12 } },
  claimAdmin: { body: { token: `svcac_${secret}` } },
  issueRegistrationKey: { body: {} },
  issueKey: { body: { label: 'Laptop' } },
  rotateKey: { body: { expiresAt: '2026-05-15T00:00:00.000Z' } },
  logIn: {
    body: { email: 'ada@example.org' },
    reply: { message: 'If this address has an account, a code is on its way.' },
  },
  verifyAccountEmail: { body: { code: '482913' } },
  verifySiwxChallenge: {
    body: { challengeId: '18f7b3c5-a920-4d6e-8b14-c3e5f0a7d926', signature: `0x${'cd'.repeat(65)}` },
  },
  linkWallet: { body: { transferId: 'f40c6d92-1e8b-4a57-93d0-6b2f8e5a7c31', loginSecret: secret } },
  getStatistics: {
    reply: {
      from: '2026-02-01',
      to: '2026-02-14',
      totals: figuresOf(412, 96, 12),
      days: [{ day: '2026-02-14', ...figuresOf(31, 8, 1) }],
      referrers: [
        { host: 'news.example.org', readers: 210 },
        { host: null, readers: 202 },
      ],
      posts: [{ postId: post, title: 'How I sell my essays for cents', ...figuresOf(412, 96, 12) }],
      postCount: 1,
    },
  },
  updateProfile: {
    body: {
      bio: 'Notes on engines, numbers and poetry.',
      socialLinks: [{ label: 'Homepage', url: 'https://ada.example.org' }],
      tipping: { buttonLabel: 'Buy me a coffee', amounts: [0.1, 0.5, 1] },
    },
  },
  createPost: {
    body: {
      title: 'How I sell my essays for cents',
      freeContentMarkdown: 'Nobody needs one more subscription.',
      paidContentMarkdown: '## The numbers\n\nLast year 412 people paid.',
      enablePaywall: true,
      priceCurrency: 'XNO',
      priceAtomic: raw,
      category: 'technology',
      language: 'en',
      creationMethod: 'human',
      creationAttested: true,
      tags: ['essays', 'money'],
    },
  },
  updatePost: { body: { title: 'How I sell my essays for cents, one year on', tags: ['essays'] } },
  publishPost: { body: { publishAt: '2026-05-15T08:00:00.000Z', emailSubscribers: true } },
  subscribe: {
    body: { email: 'grace@example.org' },
    reply: {
      status: 'confirmation_sent',
      message:
        'Check your inbox, and confirm with the link we emailed you. If it does not arrive, sign in with this address to subscribe.',
    },
  },
  importSubscribers: {
    body: {
      emails: ['grace@example.org', 'charles@example.org'],
      consent: true,
      consentSource: 'My newsletter at example.org, sign-up form since 2023.',
    },
    reply: { imported: 2, alreadySubscribed: 0, unsubscribed: 0, invalid: 0 },
  },
  exportSubscribers: {
    reply: 'email,source,subscribed_at\r\ngrace@example.org,form,2026-02-14T09:30:00.000Z\r\n',
  },
  transportAttachment: { body: { partNumber: 1 } },
  completeAttachment: { body: {} },
  saveBasePayoutAddress: {
    body: { payoutAddress: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' },
    reply: {
      payoutAddress: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      addressUpdatedAt: '2026-01-31T12:00:00.000Z',
      revision: '2026-01-31T12:00:00.000Z',
    },
  },
  addComment: { body: { content: 'Well said, @ada_l.', mentions: [{ profileId: ada, handle: 'ada_l' }] } },
  tipPost: { body: tip },
  tipComment: { body: tip },
  tipCommentOfPost: { body: { amount: 0.5 } },
  createTipCheckout: { body: { postId: post, ...tip } },
  getCheckout: {
    events: `event: checkout\ndata: {"checkout":{"id":"e84b19d0-3f76-4a5c-b21d-60c7f9a8d354","status":"open"},"receipt":null,"session":null}\n\n`,
  },
  reactToPost: { body: { reaction: 'heart' } },
  reactToComment: { body: { reaction: null } },
  markContextRead: { body: { context: { postId: post } } },
  updateNotificationPreferences: { body: { notify_new_comment: false, notify_new_comment_inapp: true } },
  updateFollowPreferences: { body: { notify_channel_email: false } },
  decideReport: { body: { decision: 'dismiss', note: 'Quoted with permission.' } },
  barPost: { body: { note: 'Copied from another site.' } },
  restorePost: { body: {} },
  getLeaderboard: {
    reply: {
      board: 'supporters',
      items: [
        {
          rank: 1,
          profile: { id: ada, handle: 'ada_l', name: 'Ada Lovelace', avatarUrl: null, authorKind: 'human' },
          valueRaw: raw,
        },
      ],
      total: 1,
      limit: 25,
      offset: 0,
      my_rank: null,
    },
  },
  getNanoChallenge: { reply: { challengeId: '18f7b3c5-a920-4d6e-8b14-c3e5f0a7d926', status: 'pending' } },
  getPurchase: { events: eventsOf('purchase') },
  getTip: { events: eventsOf('tip') },
  createSeries: { body: { title: 'Selling essays', postIds: [post] } },
  updateSeries: { body: { title: 'Selling essays', postIds: [post] } },
  chooseRelatedPosts: { body: { postIds: [post] } },
  exportStatistics: { reply: statisticsCsv },
  exportPostStatistics: { reply: statisticsCsv },
  exportTransactions: {
    reply: [
      'created_at,settled_at,direction,kind,status,asset,gross,commission,net,counterparty,post_id,source_kind,source_id,block_hash',
      `2026-02-14T09:30:00.000Z,,in,sale,received,XNO,0.25,0.0125,0.2375,grace_h,${post},purchase,e84b19d0-3f76-4a5c-b21d-60c7f9a8d354,`,
      '',
    ].join('\r\n'),
  },
  getMetrics: { reply: '# TYPE pennypost_jobs_dead gauge\npennypost_jobs_dead 0\n' },
  getSigningKeys: {
    reply: { keys: [{ kty: 'OKP', crv: 'Ed25519', use: 'sig', kid: '1', x: secret }] },
  },
  getDidDocument: { reply: { '@context': ['https://www.w3.org/ns/did/v1'], id: 'did:web:pennypost.example' } },
  getOpenApi: { reply: { openapi: '3.1.0', info: { title: 'Pennypost', version: '2.0.0' }, paths: {} } },
  getAdminOpenApi: { reply: { openapi: '3.1.0', info: { title: 'Pennypost', version: '2.0.0' }, paths: {} } },
}
