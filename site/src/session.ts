import type { TokenPair } from '@pennypost/contract/sessions'
import { endSiteSession, getSiteSession, type SiteSession, startSiteSession } from '@pennypost/contract/site-session'
import { callApi } from './call-api.ts'
import { type Reason, redirectToSignIn } from './redirect-to-sign-in.ts'
import { returnPage } from './return-page.ts'

declare global {
  interface WindowEventMap {
    /** The user got a session without leaving the page. */
    session: CustomEvent<SiteSession>
  }
}

export type Account = NonNullable<SiteSession['account']>

const signedOut: SiteSession = { account: null, unread: 0 }
let pendingSession: Promise<SiteSession> | undefined

/** The session of this page. Most readers have none, so we ask the service only if this browser was ever signed in. */
export function currentSession(): Promise<SiteSession> {
  // If the service cannot be reached, the reader counts as signed out.
  pendingSession ??= localStorage.getItem('signed-in')
    ? fetchSession().catch(() => signedOut)
    : Promise.resolve(signedOut)
  return pendingSession
}

/** Asks the service, whatever this browser remembers. */
export async function fetchSession(): Promise<SiteSession> {
  const session = await callApi(getSiteSession, {})
  await remember(session.account)
  return session
}

/** The account that is signed in, for pages that need one. Everyone else is sent to the sign-in page. */
export async function requireAccount(reason?: Reason): Promise<Account> {
  const { account } = await fetchSession()
  if (account) return account
  redirectToSignIn(reason)
  // Never resolves: the browser is leaving this page.
  return new Promise(() => {})
}

type Tokens = Pick<TokenPair, 'accessToken' | 'refreshToken'>

/** Starts a session with these tokens and goes to the page that the user came from. */
export async function signIn(tokens: Tokens): Promise<void> {
  await startSession(tokens)
  location.assign(returnPage(location.search, location.origin))
}

/** Starts a session with these tokens and stays on the page, for example when a guest bought a post. */
export async function startSession({ accessToken, refreshToken }: Tokens): Promise<Account> {
  const session = await callApi(startSiteSession, { body: { accessToken, refreshToken } })
  await remember(session.account, true)
  pendingSession = Promise.resolve(session)
  dispatchEvent(new CustomEvent('session', { detail: session }))
  return session.account!
}

export async function signOut(): Promise<void> {
  if (!(await (await import('./studio/confirm-loss.ts')).confirmLoss())) return
  // The next user of this browser must not get this one's notifications.
  if (localStorage.getItem('push')) await (await import('./push.ts')).disablePush().catch(() => {})
  await endSession()
  location.assign('/')
}

export async function endSession(): Promise<void> {
  await callApi(endSiteSession, {})
  await forgetCopies()
  localStorage.removeItem('account')
  await remember(null)
}

/**
 * Remembers in this browser what the next page shows before the service has replied. Unsaved texts stay when a session
 * ends, for the author who signs in again; another account never sees them.
 */
async function remember(account: Account | null, isSignIn = false): Promise<void> {
  if (account) {
    const known = localStorage.getItem('account')
    if (known !== account.id && (known !== null || isSignIn)) await forgetCopies()
    localStorage.setItem('account', account.id)
  }
  const { dataset } = document.documentElement
  for (const [key, name, isTrue] of [
    ['signed-in', 'signedIn', account !== null],
    ['admin', 'admin', account?.isAdmin === true],
  ] as const) {
    if (isTrue) localStorage.setItem(key, '1')
    else localStorage.removeItem(key)
    if (isTrue) dataset[name] = ''
    else delete dataset[name]
  }
}

const forgetCopies = async (): Promise<unknown> => (await import('./studio/local-copy.ts')).deleteLocalCopies()
