import { z } from 'zod'
import { nothing, raw } from './body.ts'
import { endpoint } from './endpoint.ts'
import { postPageNotFound } from './public-pages.ts'
import { refusal } from './refusal.ts'

// Scripts, styles and icons of the site.

export const siteFileNotFound = refusal('site-file-not-found', 404, 'The site has no file with this name.')

const siteFile = { method: 'GET', tag: 'Pages', credential: 'none', errors: 'problem' } as const

export const getSiteFile = endpoint({
  ...siteFile,
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
  ...siteFile,
  path: '/push-worker.js',
  summary: 'Get the service worker for push messages',
  replies: { 200: raw('text/javascript; charset=utf-8', 'A service worker.') },
  refusals: [siteFileNotFound],
  cache: { seconds: 0, mustRevalidate: true },
  conditional: true,
  compressed: true,
})

export const getIcon = endpoint({
  ...siteFile,
  path: '/favicon.svg',
  summary: 'Get the icon of the site',
  replies: { 200: raw('image/svg+xml', 'An SVG image.') },
  cache: { seconds: 86_400 },
})

export const getLinkCard = endpoint({
  ...siteFile,
  path: '/cards/{file}',
  summary: 'Get the picture for links to a post',
  description:
    '1200×630 pixels with the title, the author and the site, and the cover if there is one. Its name contains a hash of what is on it, so the bytes behind a URL never change. An earlier name redirects to the current one.',
  request: {
    params: z.object({
      file: z.string().regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-[0-9a-f]{16}\.(png|jpg)$/),
    }),
  },
  replies: {
    200: raw('image/png', 'The picture.', ['image/jpeg']),
    302: nothing('The current picture is at `Location`.'),
  },
  replyHeaders: { Location: 'The URL of the current picture, if the request used an earlier one.' },
  refusals: [postPageNotFound],
  cache: 'immutable',
  conditional: true,
})

export const getAccentStyle = endpoint({
  ...siteFile,
  path: '/accents/{color}.css',
  summary: 'Get the style sheet for an accent colour',
  request: { params: z.object({ color: z.string().regex(/^[0-9a-f]{6}$/) }) },
  replies: { 200: raw('text/css; charset=utf-8', 'A style sheet.') },
  cache: 'immutable',
})

export const getWebManifest = endpoint({
  ...siteFile,
  path: '/manifest.webmanifest',
  summary: 'Get the web app manifest',
  replies: { 200: raw('application/manifest+json; charset=utf-8', 'A web app manifest.') },
  cache: { seconds: 3600 },
})

export const getOldIcon = endpoint({
  ...siteFile,
  path: '/favicon.ico',
  summary: 'Redirect from the default icon path of browsers',
  replies: { 308: nothing('The icon is at `Location`.') },
  replyHeaders: { Location: 'The URL of the icon.' },
  cache: { seconds: 86_400 },
})
