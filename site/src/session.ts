import type { TokenPair } from '@pennypost/contract/sessions'
import { endSiteSession, getSiteSession, type SiteSession, startSiteSession } from '@pennypost/contract/site-session'
import { callApi } from './call-api.ts'
import { redirectToSignIn } from './redirect-to-sign-in.ts'

declare global {
  interface WindowEventMap {
    /** Somebody became somebody while they looked. */
    session: CustomEvent<SiteSession>
  }
}

export type Account = NonNullable<SiteSession['account']>

const signedOut: SiteSession = { account: null, unread: 0 }
let pendingSession: Promise<SiteSession> | undefined

/** Who is signed in. Whoever never was in this browser is not asked after: most readers are nobody. */
export function currentSession(): Promise<SiteSession> {
  // Who cannot be asked after reads on as nobody.
  pendingSession ??= localStorage.getItem('signed-in')
    ? fetchSession().catch(() => signedOut)
    : Promise.resolve(signedOut)
  return pendingSession
}

/** The same without trusting what this browser remembers of itself. */
export async function fetchSession(): Promise<SiteSession> {
  const session = await callApi(getSiteSession, {})
  remember(session.account !== null)
  return session
}

/** For pages that are only for whoever is signed in: everybody else is led to where one signs in. */
export async function requireAccount(): Promise<Account> {
  const { account } = await fetchSession()
  if (account) return account
  redirectToSignIn()
  // The browser is leaving this page.
  return new Promise(() => {})
}

type Tokens = Pick<TokenPair, 'accessToken' | 'refreshToken'>

/** Keeps a pair, however it was come by, and goes on to where somebody wanted to go. */
export async function signIn(pair: Tokens): Promise<void> {
  await startSession(pair)
  location.assign(nextPath())
}

/** Keeps a pair, and stays: for whoever became somebody by what they did on this page. */
export async function startSession({ accessToken, refreshToken }: Tokens): Promise<Account> {
  const session = await callApi(startSiteSession, { body: { accessToken, refreshToken } })
  remember(true)
  pendingSession = Promise.resolve(session)
  dispatchEvent(new CustomEvent('session', { detail: session }))
  return session.account!
}

export async function signOut(): Promise<void> {
  // Whoever comes next at this browser is not told of their news.
  if (localStorage.getItem('push')) await (await import('./push.ts')).disablePush().catch(() => {})
  await endSession()
  location.assign('/')
}

export async function endSession(): Promise<void> {
  await callApi(endSiteSession, {})
  remember(false)
}

function remember(isSignedIn: boolean): void {
  if (isSignedIn) localStorage.setItem('signed-in', '1')
  else localStorage.removeItem('signed-in')
  document.documentElement.toggleAttribute('data-signed-in', isSignedIn)
}

/** Only ever a page of this site. */
function nextPath(): string {
  const next = new URLSearchParams(location.search).get('next') ?? '/'
  const url = new URL(next, location.origin)
  return url.origin === location.origin && !url.pathname.startsWith('/sign-in') ? url.pathname + url.search : '/'
}
