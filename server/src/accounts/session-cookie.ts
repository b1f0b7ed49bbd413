import type { OwnerCaller } from '@pennypost/contract/credential'
import type { TokenPair } from '@pennypost/contract/sessions'
import type { AccountServices } from './services.ts'
import { findLiveSession } from './session-store.ts'

// The tokens of an owner session in a browser cookie. The cookie is limited to this host and hidden from scripts. The
// browser sends it when a person follows a link from another site, but not with other requests from that site. Over
// https its name has the `__Host-` prefix, so that no other host can set it.

export type SessionCookieTokens = Pick<TokenPair, 'accessToken' | 'refreshToken'>

const days = 90
const nameOf = (origin: string): string => (origin.startsWith('https:') ? '__Host-pennypost' : 'pennypost')

const cookie = (origin: string, value: string, seconds: number): string =>
  [
    `${nameOf(origin)}=${value}`,
    'Path=/',
    `Max-Age=${seconds}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(origin.startsWith('https:') ? ['Secure'] : []),
  ].join('; ')

/** The cookie that holds both tokens. `~` separates them: neither a JWT nor base64url contains it. */
export const sessionCookie = (origin: string, { accessToken, refreshToken }: SessionCookieTokens): string =>
  cookie(origin, `${accessToken}~${refreshToken}`, days * 86_400)

export const noCookie = (origin: string): string => cookie(origin, '', 0)

/** Reads the tokens from the cookies of a request. */
export function readSessionCookie(header: string | undefined, origin: string): SessionCookieTokens | undefined {
  const name = `${nameOf(origin)}=`
  for (const part of header?.split(';') ?? []) {
    const text = part.trim()
    if (!text.startsWith(name)) continue
    const [accessToken, refreshToken] = text.slice(name.length).split('~')
    return accessToken && refreshToken ? { accessToken, refreshToken } : undefined
  }
  return undefined
}

/** Finds the owner of an access token. Returns undefined if the token or its session has expired or ended. */
export async function ownerOf(
  { pool, clock, tokens }: Pick<AccountServices, 'pool' | 'clock' | 'tokens'>,
  token: string,
): Promise<OwnerCaller | undefined> {
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
}
