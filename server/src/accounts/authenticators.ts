import type { KeyCaller, OwnerCaller } from '@pennypost/contract/credential'
import type { Authenticators } from '../platform/http/handler.ts'
import { checkoutSecret } from './checkout-secret.ts'
import { findLiveKey } from './key-store.ts'
import { parseKey } from './publishing-key.ts'
import type { AccountServices } from './services.ts'
import { ownerOf, readSessionCookie } from './session-cookie.ts'
import { pollSecret } from './wallets/wallet-login-secrets.ts'

/** Finds the caller behind a credential, on every request: an ended session or key stops working immediately. */
export const authenticators = (services: AccountServices): Authenticators => ({
  'owner-session': (token) => ownerOf(services, token),
  'publishing-key': async (token) => {
    const parsed = parseKey(token)
    const key = parsed && (await findLiveKey(services.pool, parsed, services.clock.now()))
    if (!key) return undefined
    return {
      kind: 'publishing-key',
      accountId: key.id,
      keyId: parsed.keyId,
      isBrowser: false,
      expiresAt: key.expires_at,
      account: key,
    }
  },
  'poll-secret': async (token) => {
    const challengeId = pollSecret.readId(services.secrets, token)
    return challengeId === undefined ? undefined : { kind: 'poll-secret', challengeId }
  },
  'checkout-credential': async (token) => {
    const checkoutId = checkoutSecret.readId(services.secrets, token)
    return checkoutId === undefined ? undefined : { kind: 'checkout-credential', checkoutId }
  },
  cookies: async (header, kind) => {
    const pair = readSessionCookie(header, services.origins.base)
    const owner = pair && (await ownerOf(services, pair.accessToken))
    return owner && kind === 'publishing-key' ? publisherOf(owner) : owner
  },
})

/**
 * Lets a browser session call publishing routes without a key, since its owner could issue one at any time. The caller
 * gets only what a publishing key gets: no email and no addresses.
 */
function publisherOf({ accountId, sessionId, expiresAt, account }: OwnerCaller): KeyCaller {
  const { is_anonymous, is_admin, email, nano_address, nano_updated_at, base_address, base_updated_at, ...profile } =
    account
  return {
    kind: 'publishing-key',
    accountId,
    keyId: sessionId,
    isBrowser: true,
    expiresAt,
    account: { ...profile, receives_nano: nano_address !== null, receives_base: base_address !== null },
  }
}
