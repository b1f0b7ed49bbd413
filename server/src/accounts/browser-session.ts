import type { OwnerCaller } from '@pennypost/contract/credential'
import type { AccountServices } from './services.ts'
import { noCookie, ownerOf, readSessionCookie, type SessionCookieTokens, sessionCookie } from './session-cookie.ts'
import { rotateSession } from './session-store.ts'

type Parts = Pick<AccountServices, 'db' | 'pool' | 'clock' | 'tokens' | 'origins'>

export interface BrowserSession {
  /** Undefined if nobody is signed in. */
  readonly owner?: OwnerCaller | undefined
  /** The cookie to send back, if the tokens were renewed or have expired. */
  readonly setCookie?: string
}

/** An access token that expires sooner is renewed now, so that the user's next action does not have to wait for it. */
const renewedBeforeMs = 300_000

/** Finds who is signed in in this browser, and renews an access token that is about to expire. */
export async function readBrowserSession(services: Parts, header: string | undefined): Promise<BrowserSession> {
  const { origins, clock } = services
  const pair = readSessionCookie(header, origins.base)
  if (!pair) return {}
  const owner = await ownerOf(services, pair.accessToken)
  if (owner && owner.expiresAt.getTime() - clock.now().getTime() > renewedBeforeMs) return { owner }
  const renewed = await renew(services, pair)
  const renewedOwner = renewed && (await ownerOf(services, renewed.accessToken))
  if (!renewedOwner) return { setCookie: noCookie(origins.base) }
  return { owner: renewedOwner, setCookie: sessionCookie(origins.base, renewed) }
}

/** Two tabs may renew at the same time: the second gets the tokens of the first. */
async function renew(
  { db, clock, tokens }: Parts,
  { refreshToken }: SessionCookieTokens,
): Promise<SessionCookieTokens | undefined> {
  const presented = tokens.readRefresh(refreshToken)
  const session = presented && (await db.transaction().execute((tx) => rotateSession(tx, presented, clock.now())))
  return session && tokens.pair(session)
}
