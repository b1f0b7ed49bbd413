import {
  adminSections,
  type showAdmin as declaredAdmin,
  type showEarnings as declaredEarnings,
  type showEditor as declaredEditor,
  type showSettings as declaredSettings,
  type showSignIn as declaredShell,
  earningsSections,
  settingsSections,
} from '@pennypost/contract/app-pages'
import { type Html, html } from '../platform/http/page.ts'
import type { Handler } from './services.ts'
import { sitePage } from './site-page.ts'

// Pages for signed-in users. The HTML is the same for everybody and has no personal content: the scripts load that from
// the API with the user's session.

interface AppPage {
  readonly title: string
  readonly entry: string
  readonly lead?: string
  /** Content between the heading and what the script shows. */
  readonly above?: Html
  /** The section or id that the script shows. */
  readonly section?: string
  readonly width?: 'narrow' | 'wide'
}

function appPage(origin: string, path: string, { title, entry, lead, above, section, width = 'wide' }: AppPage) {
  return sitePage({
    title: `${title} · Pennypost`,
    canonicalUrl: origin + path,
    hidden: true,
    entry,
    body: html`<main id="main" class="app ${width}"${section !== undefined && html` data-section="${section}"`}>
<h1>${title}</h1>
${lead !== undefined && html`<p class="lead">${lead}</p>`}
${above}
<div class="view" data-view aria-busy="true"><p class="waiting">One moment…</p></div>
<p class="notice without-script">This page works in your browser, with JavaScript. Reading does without.</p>
</main>`,
  })
}

const shell =
  (path: string, content: AppPage): Handler<typeof declaredShell> =>
  async (_services, { origin }) =>
    appPage(origin, path, content)

export const showSignIn = shell('/sign-in', {
  title: 'Sign in',
  entry: 'sign-in',
  lead: 'There is no password. A code by mail will do, or a wallet.',
  width: 'narrow',
})

export const showJoin = shell('/join', {
  title: 'Join',
  entry: 'join',
  lead: 'Comment, follow, write. An email address is all it takes.',
  width: 'narrow',
})

export const showNotifications = shell('/notifications', { title: 'Notifications', entry: 'notifications' })

export const showLibrary = shell('/library', { title: 'Library', entry: 'library', lead: 'What you have bought.' })

export const showReceipt: Handler<typeof declaredEditor> = async (_services, { origin, params }) =>
  appPage(origin, `/library/${params.postId}`, {
    title: 'Receipt',
    entry: 'receipt',
    section: params.postId,
    width: 'narrow',
  })

export const showStudio = shell('/studio', { title: 'Studio', entry: 'studio' })

export const showEditor: Handler<typeof declaredEditor> = async (_services, { origin, params }) =>
  appPage(origin, `/studio/posts/${params.postId}`, { title: 'Write', entry: 'editor', section: params.postId })

const settingsTitles: Readonly<Record<string, string>> = {
  profile: 'Profile',
  receiving: 'Receiving addresses',
  email: 'Email',
  wallets: 'Wallets',
  notifications: 'Notification settings',
  feed: 'Private feed',
  sessions: 'Sessions',
  keys: 'Publishing keys',
}

export const showSettings: Handler<typeof declaredSettings> = async (_services, { origin, params: { section } }) =>
  appPage(origin, `/settings/${section}`, {
    title: settingsTitles[section]!,
    entry: 'settings',
    section,
    above: tabs('Settings', '/settings/', settingsSections, section),
  })

export const showAdmin: Handler<typeof declaredAdmin> = async (_services, { origin, params: { section } }) =>
  appPage(origin, `/admin/${section}`, {
    title: `Administration: ${section}`,
    entry: 'admin',
    section,
    above: tabs('Administration', '/admin/', adminSections, section),
  })

export const showEarnings: Handler<typeof declaredEarnings> = async (_services, { origin, params: { section } }) =>
  appPage(origin, `/studio/earnings/${section}`, {
    title: 'Earnings',
    entry: 'earnings',
    section,
    above: tabs('Earnings', '/studio/earnings/', earningsSections, section),
  })

const tabs = (label: string, path: string, sections: readonly string[], current: string): Html =>
  html`<nav class="tabs" aria-label="${label}">${sections.map(
    (section) =>
      html`<a href="${path}${section}"${section === current && html` aria-current="page"`}>${section[0]!.toUpperCase()}${section.slice(1)}</a>`,
  )}</nav>`
