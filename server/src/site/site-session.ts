import { sessionExpired } from '@pennypost/contract/sessions'
import {
  type endSiteSession as declaredEnd,
  type getSiteSession as declaredGet,
  type startSiteSession as declaredStart,
  type SiteSession,
  untrustedOrigin,
} from '@pennypost/contract/site-session'
import type { OwnerAccount } from '../accounts/caller-account.ts'
import { type KeptPair, keptPair, noCookie, ownerOf, sessionCookie } from '../accounts/session-cookie.ts'
import { endSession, rotateSession } from '../accounts/session-store.ts'
import { countNotifications } from '../notifications/count-notifications.ts'
import { refuse } from '../platform/http/refuse.ts'
import type { Handler, SiteServices } from './services.ts'

/** An access token that ends sooner is renewed while somebody looks: what they do next should not wait for it. */
const renewedBeforeMs = 300_000

const nobody: SiteSession = { account: null, unread: 0 }

export const startSiteSession: Handler<typeof declaredStart> = async (services, { headers, body }) => {
  const { origins, tokens } = services
  if (!origins.isTrusted(headers.origin)) refuse(untrustedOrigin)
  const owner = (await ownerOf(services, body.accessToken)) ?? refuse(sessionExpired)
  // Two halves of two sessions would be one person now and another an hour later.
  if (tokens.readRefresh(body.refreshToken)?.sessionId !== owner.sessionId) refuse(sessionExpired)
  return {
    status: 200,
    headers: { 'set-cookie': sessionCookie(origins.base, body) },
    body: await sessionOf(services, owner.account),
  }
}

export const getSiteSession: Handler<typeof declaredGet> = async (services, { headers }) => {
  const { origins, clock } = services
  const pair = keptPair(headers.cookie, origins.base)
  if (!pair) return { status: 200, body: nobody }
  const owner = await ownerOf(services, pair.accessToken)
  if (owner && owner.expiresAt.getTime() - clock.now().getTime() > renewedBeforeMs)
    return { status: 200, body: await sessionOf(services, owner.account) }
  const renewed = await renew(services, pair)
  const renewedOwner = renewed && (await ownerOf(services, renewed.accessToken))
  if (!renewedOwner) return { status: 200, headers: { 'set-cookie': noCookie(origins.base) }, body: nobody }
  return {
    status: 200,
    headers: { 'set-cookie': sessionCookie(origins.base, renewed) },
    body: await sessionOf(services, renewedOwner.account),
  }
}

export const endSiteSession: Handler<typeof declaredEnd> = async (services, { headers }) => {
  const { db, clock, origins, tokens } = services
  if (!origins.isTrusted(headers.origin)) refuse(untrustedOrigin)
  const pair = keptPair(headers.cookie, origins.base)
  // By the token that lives longest: whoever leaves a browser alone for a day and signs out means it.
  const claims = pair && tokens.readRefresh(pair.refreshToken)
  if (claims) await db.transaction().execute((tx) => endSession(tx, claims.sessionId, 'logout', clock.now()))
  return { status: 200, headers: { 'set-cookie': noCookie(origins.base) }, body: nobody }
}

/** Two tabs may ask at once: the second gets the pair of the first. */
async function renew({ db, clock, tokens }: SiteServices, { refreshToken }: KeptPair): Promise<KeptPair | undefined> {
  const presented = tokens.readRefresh(refreshToken)
  const session = presented && (await db.transaction().execute((tx) => rotateSession(tx, presented, clock.now())))
  return session && tokens.pair(session)
}

async function sessionOf({ pool }: SiteServices, account: OwnerAccount): Promise<SiteSession> {
  const { unread } = await countNotifications(pool, account.id, false)
  return {
    account: {
      id: account.id,
      handle: account.handle,
      name: account.name,
      avatarUrl: account.avatar_url,
      authorKind: account.author_kind,
      isAdmin: account.is_admin,
      isGuest: account.is_anonymous,
    },
    unread,
  }
}
