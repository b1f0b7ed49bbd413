import type { OwnerCaller } from '@pennypost/contract/credential'
import type { TokenPair } from '@pennypost/contract/sessions'
import type { AccountServices } from './services.ts'
import { findLiveSession } from './session-store.ts'

// The pair of an owner session, as a browser keeps it: for this host, for no script, and not sent along when another site
// asks for something in the browser's name. The name with its prefix is one that no neighbouring host can set.

export type KeptPair = Pick<TokenPair, 'accessToken' | 'refreshToken'>

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

/** Neither token holds a `~`: one is a JWT, the other base64url. */
export const sessionCookie = (origin: string, { accessToken, refreshToken }: KeptPair): string =>
  cookie(origin, `${accessToken}~${refreshToken}`, days * 86_400)

export const noCookie = (origin: string): string => cookie(origin, '', 0)

/** The pair among the cookies of a request. */
export function keptPair(header: string | undefined, origin: string): KeptPair | undefined {
  const name = `${nameOf(origin)}=`
  for (const part of header?.split(';') ?? []) {
    const text = part.trim()
    if (!text.startsWith(name)) continue
    const [accessToken, refreshToken] = text.slice(name.length).split('~')
    return accessToken && refreshToken ? { accessToken, refreshToken } : undefined
  }
  return undefined
}

/** Whose session an access token is of, while it lives. */
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
