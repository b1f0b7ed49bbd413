import { z } from 'zod'
import { raw } from './body.ts'
import { endpoint } from './endpoint.ts'
import { refusal } from './refusal.ts'

export const sitemapNotFound = refusal('sitemap-not-found', 404, 'The sitemap has no such part.')

export const noSecurityContact = refusal(
  'no-security-contact',
  404,
  'The operator of this service has not published a contact for security reports.',
)

const forCrawlers = { method: 'GET', tag: 'For machines', credential: 'none', errors: 'problem' } as const

export const getSitemapIndex = endpoint({
  fromReplica: 'always',
  ...forCrawlers,
  path: '/sitemap.xml',
  summary: 'Get the sitemap index',
  replies: { 200: raw('application/xml; charset=utf-8', 'A sitemap index.') },
  cache: { seconds: 300 },
})

export const getSitemap = endpoint({
  fromReplica: 'always',
  ...forCrawlers,
  path: '/sitemaps/{part}.xml',
  summary: 'Get one part of the sitemap',
  request: { params: z.object({ part: z.string().regex(/^(site|(posts|creators|collections)-[1-9][0-9]{0,3})$/) }) },
  replies: { 200: raw('application/xml; charset=utf-8', 'At most 50,000 URLs.') },
  refusals: [sitemapNotFound],
  cache: { seconds: 300 },
})

export const getRobots = endpoint({
  ...forCrawlers,
  path: '/robots.txt',
  summary: 'Get the rules for crawlers',
  replies: { 200: raw('text/plain; charset=utf-8', 'A robots.txt file.') },
  cache: { seconds: 3600 },
})

export const getSecurityText = endpoint({
  ...forCrawlers,
  path: '/.well-known/security.txt',
  summary: 'Get the contact for security reports (RFC 9116)',
  replies: { 200: raw('text/plain; charset=utf-8', 'A security.txt file.') },
  refusals: [noSecurityContact],
  cache: { seconds: 3600 },
})

export const getLlmsText = endpoint({
  ...forCrawlers,
  path: '/llms.txt',
  summary: 'Explain this service to a language model',
  replies: {
    200: raw('text/markdown; charset=utf-8', 'What the service offers, and how to find, read and buy posts.'),
  },
  cache: { seconds: 3600 },
})
