import type { TokenPair } from '@pennypost/contract/sessions'
import { endSiteSession, getSiteSession, type SiteSession, startSiteSession } from '@pennypost/contract/site-session'
import { ask, signInFirst } from './api.ts'

declare global {
  interface WindowEventMap {
    /** Somebody became somebody while they looked. */
    session: CustomEvent<SiteSession>
  }
}

export type Account = NonNullable<SiteSession['account']>

const nobody: SiteSession = { account: null, unread: 0 }
let asked: Promise<SiteSession> | undefined

/** Who is signed in. Whoever never was in this browser is not asked after: most readers are nobody. */
export function whoIsIt(): Promise<SiteSession> {
  // Who cannot be asked after reads on as nobody.
  asked ??= localStorage.getItem('signed-in') ? askWho().catch(() => nobody) : Promise.resolve(nobody)
  return asked
}

/** The same without trusting what this browser remembers of itself. */
export async function askWho(): Promise<SiteSession> {
  const session = await ask(getSiteSession, {})
  remember(session.account !== null)
  return session
}

/** For pages that are only for whoever is signed in: everybody else is led to where one signs in. */
export async function someone(): Promise<Account> {
  const { account } = await askWho()
  if (account) return account
  signInFirst()
  // The browser is leaving this page.
  return new Promise(() => {})
}

type Pair = Pick<TokenPair, 'accessToken' | 'refreshToken'>

/** Keeps a pair, however it was come by, and goes on to where somebody wanted to go. */
export async function signIn(pair: Pair): Promise<void> {
  await keepSession(pair)
  location.assign(nextPath())
}

/** Keeps a pair, and stays: for whoever became somebody by what they did on this page. */
export async function keepSession({ accessToken, refreshToken }: Pair): Promise<Account> {
  const session = await ask(startSiteSession, { body: { accessToken, refreshToken } })
  remember(true)
  asked = Promise.resolve(session)
  dispatchEvent(new CustomEvent('session', { detail: session }))
  return session.account!
}

export async function signOut(): Promise<void> {
  // Whoever comes next at this browser is not told of their news.
  if (localStorage.getItem('push')) await (await import('./push.ts')).switchPushOff().catch(() => {})
  await leaveSession()
  location.assign('/')
}

export async function leaveSession(): Promise<void> {
  await ask(endSiteSession, {})
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
