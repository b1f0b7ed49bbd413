import { sessionExpired } from '@pennypost/contract/sessions'
import {
  type endSiteSession as declaredEnd,
  type getSiteSession as declaredGet,
  type startSiteSession as declaredStart,
  type SiteSession,
  untrustedOrigin,
} from '@pennypost/contract/site-session'
import { readBrowserSession } from '../accounts/browser-session.ts'
import type { OwnerAccount } from '../accounts/caller-account.ts'
import { noCookie, ownerOf, readSessionCookie, sessionCookie } from '../accounts/session-cookie.ts'
import { endSession } from '../accounts/session-store.ts'
import { countNotifications } from '../notifications/count-notifications.ts'
import { refuse } from '../platform/http/refuse.ts'
import type { Handler, SiteServices } from './services.ts'

const nobody: SiteSession = { account: null, unread: 0 }

export const startSiteSession: Handler<typeof declaredStart> = async (services, { headers, body }) => {
  const { origins, tokens } = services
  if (!origins.isTrusted(headers.origin)) refuse(untrustedOrigin)
  const owner = (await ownerOf(services, body.accessToken)) ?? refuse(sessionExpired)
  // With tokens of two sessions, the browser would be one account now and another after the first renewal.
  if (tokens.readRefresh(body.refreshToken)?.sessionId !== owner.sessionId) refuse(sessionExpired)
  return {
    status: 200,
    headers: { 'set-cookie': sessionCookie(origins.base, body) },
    body: await sessionOf(services, owner.account),
  }
}

export const getSiteSession: Handler<typeof declaredGet> = async (services, { headers }) => {
  const { owner, setCookie } = await readBrowserSession(services, headers.cookie)
  return {
    status: 200,
    ...(setCookie !== undefined && { headers: { 'set-cookie': setCookie } }),
    body: owner ? await sessionOf(services, owner.account) : nobody,
  }
}

export const endSiteSession: Handler<typeof declaredEnd> = async (services, { headers }) => {
  const { db, clock, origins, tokens } = services
  if (!origins.isTrusted(headers.origin)) refuse(untrustedOrigin)
  const pair = readSessionCookie(headers.cookie, origins.base)
  // By the refresh token, which lives longest, so that signing out works after a day of inactivity too.
  const claims = pair && tokens.readRefresh(pair.refreshToken)
  if (claims) await db.transaction().execute((tx) => endSession(tx, claims.sessionId, 'logout', clock.now()))
  return { status: 200, headers: { 'set-cookie': noCookie(origins.base) }, body: nobody }
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
