import {
  adminSections,
  type showAdmin as declaredAdmin,
  type showEarnings as declaredEarnings,
  type showEditor as declaredEditor,
  type openSettings as declaredOpen,
  type showSettings as declaredSettings,
  type showSignIn as declaredShell,
  earningsSections,
  settingsSections,
} from '@pennypost/contract/app-pages'
import { AppPage, type AppPageProps } from '@pennypost/site/components/app-page'
import { FollowingPage } from '@pennypost/site/components/following-page'
import { OfflinePage } from '@pennypost/site/components/offline-page'
import { redirectTo } from './redirect-to.ts'
import type { Handler, SiteServices } from './services.ts'
import { sitePage } from './site-page.ts'

// Pages for signed-in users. The HTML is the same for everyone and has no personal content: the scripts load that from
// the API with the user's session.

interface AppPageContent extends AppPageProps {
  readonly entry: string
  readonly style?: string
}

const appPage = ({ site }: SiteServices, origin: string, path: string, { entry, style, ...content }: AppPageContent) =>
  sitePage(site.settings(), {
    title: content.title,
    canonicalUrl: origin + path,
    hidden: true,
    entry,
    style,
    body: AppPage(content),
  })

const shell =
  (path: string, content: AppPageContent): Handler<typeof declaredShell> =>
  async (services, { origin }) =>
    appPage(services, origin, path, content)

export const showSignIn = shell('/sign-in', {
  title: 'Sign in or sign up',
  entry: 'sign-in',
  width: 'narrow',
})

export const showJoin = shell('/join', {
  title: 'Sign up',
  entry: 'sign-in',
  lead: 'Comment, follow and write. All you need is an email address.',
  width: 'narrow',
})

export const showNotifications = shell('/notifications', { title: 'Notifications', entry: 'notifications' })

export const showFollowing: Handler<typeof declaredShell> = async ({ site }, { origin }) =>
  sitePage(site.settings(), {
    title: 'Following',
    canonicalUrl: `${origin}/following`,
    hidden: true,
    hasOwnSearch: true,
    entry: 'following',
    body: FollowingPage(),
  })

const library = { label: 'Library', path: '/library/', names: ['saved'], first: { name: 'bought', path: '/library' } }

export const showLibrary = shell('/library', {
  title: 'Library',
  entry: 'library',
  section: 'bought',
  sections: library,
})

export const showSaved = shell('/library/saved', {
  title: 'Library: saved',
  entry: 'saved',
  section: 'saved',
  sections: library,
})

export const showReceipt: Handler<typeof declaredEditor> = async (services, { origin, params }) =>
  appPage(services, origin, `/library/${params.postId}`, {
    title: 'Receipt',
    entry: 'receipt',
    section: params.postId,
    width: 'narrow',
  })

export const showClaim = shell('/claim', {
  title: 'Claim this site',
  entry: 'claim',
  lead: 'Its first administrator names it, chooses its looks and decides who may sign up.',
  width: 'narrow',
})

export const showOffline: Handler<typeof declaredShell> = async ({ site }, { origin }) =>
  sitePage(site.settings(), {
    title: 'Offline',
    canonicalUrl: `${origin}/offline`,
    hidden: true,
    body: OfflinePage(),
  })

export const showStudio = shell('/studio', { title: 'Studio', entry: 'studio' })

export const showGiftLinks = shell('/studio/gift-links', {
  title: 'Gift links',
  entry: 'gift-links',
  lead: 'Anyone with a gift link can read the whole post and download its files without paying.',
})

export const showSubscribers = shell('/studio/subscribers', {
  title: 'Email subscribers',
  entry: 'subscribers',
  lead: 'They get your new posts by email. Readers subscribe on your page and below your posts.',
})

export const showSeries = shell('/studio/series', {
  title: 'Series',
  entry: 'series',
  lead: 'Posts that belong together, in the order in which they are read.',
})

export const showStatistics = shell('/studio/statistics', { title: 'Statistics', entry: 'statistics' })

export const showPostStatistics: Handler<typeof declaredEditor> = async (services, { origin, params }) =>
  appPage(services, origin, `/studio/posts/${params.postId}/statistics`, {
    title: 'Statistics',
    entry: 'statistics',
    section: params.postId,
  })

export const showEditor: Handler<typeof declaredEditor> = async (services, { origin, params }) =>
  appPage(services, origin, `/studio/posts/${params.postId}`, {
    title: 'Write',
    entry: 'editor',
    style: 'writing',
    section: params.postId,
    width: 'full',
  })

const settingsTitles: Readonly<Record<string, string>> = {
  profile: 'Profile',
  receiving: 'Receiving addresses',
  email: 'Email',
  wallets: 'Wallets',
  notifications: 'Notification settings',
  feed: 'Private feed',
  sessions: 'Sessions',
  keys: 'Publishing keys',
  programs: 'Connected programs',
  webhooks: 'Webhooks',
  data: 'Your data',
}

export const showSettings: Handler<typeof declaredSettings> = async (services, { origin, params: { section } }) =>
  appPage(services, origin, `/settings/${section}`, {
    title: settingsTitles[section]!,
    entry: 'settings',
    section,
    sections: { label: 'Settings', path: '/settings/', names: settingsSections },
  })

const administration = {
  label: 'Administration',
  path: '/admin/',
  names: adminSections,
  first: { name: 'overview', path: '/admin' },
}

export const showAdminOverview = shell('/admin', {
  title: 'Administration',
  entry: 'admin',
  section: 'overview',
  sections: administration,
})

export const showAdmin: Handler<typeof declaredAdmin> = async (services, { origin, params: { section } }) =>
  appPage(services, origin, `/admin/${section}`, {
    title: `Administration: ${section}`,
    entry: 'admin',
    section,
    sections: administration,
  })

export const showEarnings: Handler<typeof declaredEarnings> = async (services, { origin, params: { section } }) =>
  appPage(services, origin, `/studio/earnings/${section}`, {
    title: 'Earnings',
    entry: 'earnings',
    section,
    sections: { label: 'Earnings', path: '/studio/earnings/', names: earningsSections },
  })

const toFirst =
  (path: string): Handler<typeof declaredOpen> =>
  async () =>
    redirectTo(path)

export const openSettings = toFirst(`/settings/${settingsSections[0]}`)
export const openEarnings = toFirst(`/studio/earnings/${earningsSections[0]}`)
