/**
 * Who is calling, as the credential proves it. Handlers get the type of their endpoint's credential, so a handler for a
 * Publishing key has no account email within reach.
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
  readonly expiresAt: Date | null
}

/** Whoever asked for a challenge. No account stands behind it yet. */
export interface PollCaller {
  readonly kind: 'poll-secret'
  readonly challengeId: string
}

/** Whoever began a checkout. Narrower than a session: it is about this one purchase. */
export interface CheckoutCaller {
  readonly kind: 'checkout-credential'
  readonly checkoutId: string
}

export type Credential = keyof Callers

/** How each credential is presented; OpenAPI's security schemes and the 401 hints are written from this. */
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
    description: 'Private credential of one checkout: it finds that purchase again, and nothing else.',
  },
} as const satisfies Record<Exclude<Credential, 'none'>, { scheme: string; bearerFormat: string; description: string }>
