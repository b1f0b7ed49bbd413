import type { Authenticators } from '../platform/http/handler.ts'
import type { Services } from '../services.ts'
import { findLiveKey } from './key-store.ts'
import { parseKey } from './publishing-key.ts'
import { findLiveSession } from './session-store.ts'
import { checkoutSecret, pollSecret } from './wallets/bound-secret.ts'

/** Who a bearer token is, asked for every request: a session or key that ended grants nothing from that moment on. */
export const authenticators = ({ pool, clock, tokens, secrets }: Services): Authenticators => ({
  'owner-session': async (token) => {
    const claims = await tokens.readAccess(token)
    const account = claims && (await findLiveSession(pool, claims.sessionId, clock.now()))
    if (!account || account.id !== claims.accountId) return undefined
    const { sessionId, expiresAt } = claims
    return {
      kind: 'owner-session',
      accountId: account.id,
      sessionId,
      isAnonymous: account.is_anonymous,
      expiresAt,
      account,
    }
  },
  'publishing-key': async (token) => {
    const parsed = parseKey(token)
    const key = parsed && (await findLiveKey(pool, parsed, clock.now()))
    if (!key) return undefined
    return { kind: 'publishing-key', accountId: key.id, keyId: parsed.keyId, expiresAt: key.expires_at, account: key }
  },
  'poll-secret': async (token) => {
    const challengeId = pollSecret.idIn(secrets, token)
    return challengeId === undefined ? undefined : { kind: 'poll-secret', challengeId }
  },
  'checkout-credential': async (token) => {
    const checkoutId = checkoutSecret.idIn(secrets, token)
    return checkoutId === undefined ? undefined : { kind: 'checkout-credential', checkoutId }
  },
})
