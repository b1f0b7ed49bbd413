import { z } from 'zod'
import { raw } from './body.ts'
import { leaderboards } from './discovery.ts'
import { endpoint } from './endpoint.ts'
import { refusal } from './refusal.ts'
import { queryInteger, Uuid } from './schemas.ts'

// The pages of the site that are for whoever is signed in, and the files that all its pages are made of. Such a page is
// the same for everybody: what it shows, its script asks of the API.

export const siteFileNotFound = refusal('site-file-not-found', 404, 'No file of the site has this name.')
export const pageNotFound = refusal('page-not-found', 404, 'The site has no such page.')

const page = { method: 'GET', tag: 'Pages', credential: 'none', errors: 'page' } as const
const fresh = { cache: { seconds: 30, mustRevalidate: true }, conditional: true, compressed: true } as const
const shell = (path: string, summary: string) =>
  endpoint({ ...page, ...fresh, path, summary, replies: { 200: raw('text/html; charset=utf-8', 'A page.') } })

export const getSiteFile = endpoint({
  ...page,
  errors: 'problem',
  path: '/assets/{file}',
  summary: 'A script, style or sign of the site',
  description: 'Its name holds a hash of its content, so it never changes.',
  request: {
    params: z.object({ file: z.string().regex(/^[a-z-]+-[A-Z0-9]{8}\.(js|css|svg)$/) }),
    headers: z.object({ 'accept-encoding': z.string().optional() }),
  },
  replies: { 200: raw('text/javascript; charset=utf-8', 'The file.') },
  replyHeaders: { 'content-encoding': '`br` or `gzip`, where the client takes it.', vary: 'Always `Accept-Encoding`.' },
  refusals: [siteFileNotFound],
  cache: 'immutable',
})

export const getPushWorker = endpoint({
  ...page,
  errors: 'problem',
  path: '/push-worker.js',
  summary: 'What runs in a browser that is told of news while the site is closed',
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
  summary: 'Creators and supporters by what they earned, sold, gather or gave',
  request: {
    query: z.object({
      board: z.enum(leaderboards).default('creators_followers'),
      page: queryInteger({ min: 1, max: 1000, default: 1 }),
    }),
  },
  replies: { 200: raw('text/html; charset=utf-8', 'A page of people.') },
})

export const showSignIn = shell('/sign-in', 'Where somebody signs in')
export const showJoin = shell('/join', 'Where somebody registers')
export const showNotifications = shell('/notifications', 'What somebody was told')
export const showLibrary = shell('/library', 'What somebody has bought')
export const showStudio = shell('/studio', 'Where somebody writes')

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
export const showSettings = sectionOf('/settings/{section}', 'Where somebody arranges their account', settingsSections)

export const adminSections = ['reports', 'accounts', 'holds', 'obligations', 'jobs', 'audit'] as const
export const showAdmin = sectionOf('/admin/{section}', 'Where administrators work', adminSections)

export const earningsSections = ['overview', 'transactions', 'payouts'] as const
export const showEarnings = sectionOf('/studio/earnings/{section}', 'Where creators see what came in', earningsSections)

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

export const showEditor = pageOfPost('/studio/posts/{postId}', 'Where somebody writes a Post')
export const showReceipt = pageOfPost('/library/{postId}', 'The receipt of what somebody bought')
