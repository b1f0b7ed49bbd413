import { z } from 'zod'
import { nothing } from './body.ts'
import { endpoint } from './endpoint.ts'
import { htmlPage, pageEndpoint } from './page-endpoint.ts'
import { refusal } from './refusal.ts'
import { Uuid } from './schemas.ts'

// Pages for people who are signed in. Their HTML is the same for everyone; their scripts load personal data through the
// API.

export const pageNotFound = refusal('page-not-found', 404, 'Page not found. It may have moved.')

const shell = (path: string, summary: string) =>
  endpoint({ ...pageEndpoint, path, summary, replies: { 200: htmlPage('A page.') } })

export const showSignIn = shell('/sign-in', 'Show the sign-in page')
export const showJoin = shell('/join', 'Show the sign-up page')
export const showNotifications = shell('/notifications', 'Show the notifications page')
export const showFollowing = shell('/following', 'Show the posts of the creators you follow')
export const showLibrary = shell('/library', 'Show the library page')
export const showSaved = shell('/library/saved', 'Show the posts you saved')
export const showStudio = shell('/studio', 'Show the studio')
export const showGiftLinks = shell('/studio/gift-links', 'Show the gift links of your posts')
export const showSubscribers = shell('/studio/subscribers', 'Show your email subscribers')
export const showSeries = shell('/studio/series', 'Show your series')
export const showStatistics = shell('/studio/statistics', 'Show the statistics of your posts')
export const showOffline = shell('/offline', 'Show the page that an installed app shows without a connection')
export const showClaim = shell('/claim', 'Show the page on which the first administrator claims the site')

const sectionOf = (path: string, summary: string, sections: readonly [string, ...string[]]) =>
  endpoint({
    ...pageEndpoint,
    path,
    summary,
    request: { params: z.object({ section: z.enum(sections) }) },
    replies: { 200: htmlPage('A page.') },
    refusals: [pageNotFound],
  })

export const settingsSections = [
  'profile',
  'receiving',
  'email',
  'wallets',
  'notifications',
  'feed',
  'sessions',
  'keys',
  'programs',
  'webhooks',
  'data',
] as const
export const showSettings = sectionOf('/settings/{section}', 'Show the settings', settingsSections)

/** The overview is at `/admin` itself. */
export const showAdminOverview = shell('/admin', 'Show the overview for administrators')
export const adminSections = [
  'site',
  'invitations',
  'reports',
  'accounts',
  'holds',
  'obligations',
  'jobs',
  'audit',
] as const
export const showAdmin = sectionOf('/admin/{section}', 'Show the administration pages', adminSections)

export const earningsSections = ['overview', 'transactions', 'payouts'] as const
export const showEarnings = sectionOf('/studio/earnings/{section}', 'Show the earnings pages', earningsSections)

const pageOfPost = (path: string, summary: string) =>
  endpoint({
    ...pageEndpoint,
    path,
    summary,
    request: { params: z.object({ postId: Uuid }) },
    replies: { 200: htmlPage('A page.') },
    refusals: [pageNotFound],
  })

export const showEditor = pageOfPost('/studio/posts/{postId}', 'Show the editor of a post')
export const showPostStatistics = pageOfPost('/studio/posts/{postId}/statistics', 'Show the statistics of a post')
export const showReceipt = pageOfPost('/library/{postId}', 'Show the receipt of a purchase')

const toFirstSection = (path: string) =>
  endpoint({
    ...pageEndpoint,
    path,
    summary: 'Go to the first of these pages',
    replies: { 308: nothing('The page is at `Location`.') },
    replyHeaders: { Location: 'The URL of the first section.' },
  })

export const openSettings = toFirstSection('/settings')
export const openEarnings = toFirstSection('/studio/earnings')
