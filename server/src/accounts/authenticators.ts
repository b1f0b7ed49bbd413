import type { KeyCaller, OwnerCaller } from '@pennypost/contract/credential'
import type { Authenticators } from '../platform/http/handler.ts'
import { checkoutSecret } from './checkout-secret.ts'
import { findLiveKey } from './key-store.ts'
import { parseKey } from './publishing-key.ts'
import type { AccountServices } from './services.ts'
import { keptPair, ownerOf } from './session-cookie.ts'
import { pollSecret } from './wallets/wallet-login-secrets.ts'

/** Who a credential is, asked for every request: a session or key that ended grants nothing from that moment on. */
export const authenticators = (services: AccountServices): Authenticators => ({
  'owner-session': (token) => ownerOf(services, token),
  'publishing-key': async (token) => {
    const parsed = parseKey(token)
    const key = parsed && (await findLiveKey(services.pool, parsed, services.clock.now()))
    if (!key) return undefined
    return { kind: 'publishing-key', accountId: key.id, keyId: parsed.keyId, expiresAt: key.expires_at, account: key }
  },
  'poll-secret': async (token) => {
    const challengeId = pollSecret.idIn(services.secrets, token)
    return challengeId === undefined ? undefined : { kind: 'poll-secret', challengeId }
  },
  'checkout-credential': async (token) => {
    const checkoutId = checkoutSecret.idIn(services.secrets, token)
    return checkoutId === undefined ? undefined : { kind: 'checkout-credential', checkoutId }
  },
  cookies: async (header, kind) => {
    const pair = keptPair(header, services.origins.base)
    const owner = pair && (await ownerOf(services, pair.accessToken))
    return owner && kind === 'publishing-key' ? publisherOf(owner) : owner
  },
})

/**
 * Its owner could issue a key at any time; a browser does without. It is told no more than a key is: neither email nor
 * addresses.
 */
function publisherOf({ accountId, sessionId, expiresAt, account }: OwnerCaller): KeyCaller {
  const { is_anonymous, is_admin, email, nano_address, nano_updated_at, base_address, base_updated_at, ...profile } =
    account
  return {
    kind: 'publishing-key',
    accountId,
    keyId: sessionId,
    expiresAt,
    account: { ...profile, receives_nano: nano_address !== null, receives_base: base_address !== null },
  }
}
