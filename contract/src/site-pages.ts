import { z } from 'zod'
import { raw } from './body.ts'
import { leaderboards } from './discovery.ts'
import { endpoint } from './endpoint.ts'
import { refusal } from './refusal.ts'
import { queryInteger, Uuid } from './schemas.ts'

// Pages for people who are signed in, and the scripts and styles of all pages. The HTML of these pages is the same for
// everyone; their scripts load personal data through the API.

export const siteFileNotFound = refusal('site-file-not-found', 404, 'The site has no file with this name.')
export const pageNotFound = refusal('page-not-found', 404, 'Page not found. It may have moved.')

const page = { method: 'GET', tag: 'Pages', credential: 'none', errors: 'page' } as const
const fresh = { cache: { seconds: 30, mustRevalidate: true }, conditional: true, compressed: true } as const
const shell = (path: string, summary: string) =>
  endpoint({ ...page, ...fresh, path, summary, replies: { 200: raw('text/html; charset=utf-8', 'A page.') } })

export const getSiteFile = endpoint({
  ...page,
  errors: 'problem',
  path: '/assets/{file}',
  summary: 'Get a script, style or image of the site',
  description: 'Its name contains a hash of its content, so it never changes.',
  request: {
    params: z.object({ file: z.string().regex(/^[a-z-]+-[A-Z0-9]{8}\.(js|css|svg)$/) }),
    headers: z.object({ 'accept-encoding': z.string().optional() }),
  },
  replies: { 200: raw('text/javascript; charset=utf-8', 'The file.') },
  replyHeaders: { 'content-encoding': '`br` or `gzip`, if the client accepts it.', vary: 'Always `Accept-Encoding`.' },
  refusals: [siteFileNotFound],
  cache: 'immutable',
})

export const getPushWorker = endpoint({
  ...page,
  errors: 'problem',
  path: '/push-worker.js',
  summary: 'Get the service worker for push messages',
  replies: { 200: raw('text/javascript; charset=utf-8', 'A service worker.') },
  refusals: [siteFileNotFound],
  cache: { seconds: 0, mustRevalidate: true },
  conditional: true,
  compressed: true,
})

export const showLeaderboard = endpoint({
  ...page,
  ...fresh,
  path: '/leaderboards',
  summary: 'Show the leaderboards',
  request: {
    query: z.object({
      board: z.enum(leaderboards).default('creators_followers'),
      page: queryInteger({ min: 1, max: 1000, default: 1 }),
    }),
  },
  replies: { 200: raw('text/html; charset=utf-8', 'A page of people.') },
})

export const showSignIn = shell('/sign-in', 'Show the sign-in page')
export const showJoin = shell('/join', 'Show the sign-up page')
export const showNotifications = shell('/notifications', 'Show the notifications page')
export const showLibrary = shell('/library', 'Show the library page')
export const showStudio = shell('/studio', 'Show the studio')

const sectionOf = (path: string, summary: string, sections: readonly [string, ...string[]]) =>
  endpoint({
    ...page,
    ...fresh,
    path,
    summary,
    request: { params: z.object({ section: z.enum(sections) }) },
    replies: { 200: raw('text/html; charset=utf-8', 'A page.') },
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
] as const
export const showSettings = sectionOf('/settings/{section}', 'Show the settings', settingsSections)

export const adminSections = ['reports', 'accounts', 'holds', 'obligations', 'jobs', 'audit'] as const
export const showAdmin = sectionOf('/admin/{section}', 'Show the administration pages', adminSections)

export const earningsSections = ['overview', 'transactions', 'payouts'] as const
export const showEarnings = sectionOf('/studio/earnings/{section}', 'Show the earnings pages', earningsSections)

const pageOfPost = (path: string, summary: string) =>
  endpoint({
    ...page,
    ...fresh,
    path,
    summary,
    request: { params: z.object({ postId: Uuid }) },
    replies: { 200: raw('text/html; charset=utf-8', 'A page.') },
    refusals: [pageNotFound],
  })

export const showEditor = pageOfPost('/studio/posts/{postId}', 'Show the editor of a post')
export const showReceipt = pageOfPost('/library/{postId}', 'Show the receipt of a purchase')
