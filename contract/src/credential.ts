import type { OAuthScope } from './oauth-scopes.ts'

/**
 * The caller, by type of credential. A handler receives only the caller type of its endpoint, so a handler for
 * publishing keys cannot reach the account's email address.
 */
export interface Callers {
  none: { readonly kind: 'none' }
  'owner-session': OwnerCaller
  'publishing-key': KeyCaller
  'poll-secret': PollCaller
  'checkout-credential': CheckoutCaller
}

export interface OwnerCaller {
  readonly kind: 'owner-session'
  readonly accountId: string
  readonly sessionId: string
  readonly isAnonymous: boolean
  readonly expiresAt: Date
}

export interface KeyCaller {
  readonly kind: 'publishing-key'
  readonly accountId: string
  readonly keyId: string
  /** Whether this is a session in a browser, which publishes without a key. `keyId` is its id then. */
  readonly isBrowser: boolean
  /** The scopes that its user allowed, if this is a program. `keyId` is the id of its connection then. */
  readonly programScopes?: readonly OAuthScope[]
  readonly expiresAt: Date | null
}

/** The client that requested a sign-in challenge. There is no account yet. */
export interface PollCaller {
  readonly kind: 'poll-secret'
  readonly challengeId: string
}

/** The client that started a checkout. It can reach this one purchase and nothing else. */
export interface CheckoutCaller {
  readonly kind: 'checkout-credential'
  readonly checkoutId: string
}

/** The prefix of a program's access token. It stands for either credential of its owner, as far as its scopes go. */
export const programTokenPrefix = 'svcoa_'

export type Credential = keyof Callers

/** How each credential is sent. The OpenAPI security schemes and the reference page are made from this. */
export const credentialSchemes = {
  'owner-session': {
    scheme: 'ownerSession',
    bearerFormat: 'JWT',
    description: 'Access token of an owner session, from a TokenPair.',
  },
  'publishing-key': {
    scheme: 'publishingKey',
    bearerFormat: 'svcpk_<keyId>_<secret>',
    description: 'Publishing key with scope `posts:publish`.',
  },
  'poll-secret': {
    scheme: 'pollSecret',
    bearerFormat: 'svcps_<secret>',
    description: 'Poll secret of one sign-in challenge.',
  },
  'checkout-credential': {
    scheme: 'checkoutCredential',
    bearerFormat: 'svccc_<secret>',
    description: 'Private credential of one checkout. It gives access to that purchase only.',
  },
} as const satisfies Record<Exclude<Credential, 'none'>, { scheme: string; bearerFormat: string; description: string }>
