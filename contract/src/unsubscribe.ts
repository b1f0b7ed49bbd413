import { z } from 'zod'
import { raw } from './body.ts'
import { endpoint } from './endpoint.ts'
import { refusal } from './refusal.ts'

export const unsubscribeLinkInvalid = refusal(
  'unsubscribe-link-invalid',
  404,
  'This link to stop mail is not whole: open it from the mail again.',
)

const token = z.string().max(200)
const common = {
  path: '/unsubscribe',
  tag: 'Notifications',
  credential: 'none',
  refusals: [unsubscribeLinkInvalid],
  errors: 'problem',
} as const

export const showUnsubscribe = endpoint({
  ...common,
  method: 'GET',
  summary: 'The page behind the link that stops mail',
  description: 'Looking changes nothing, since mail programs look at links before people do; the buttons on it do.',
  request: { query: z.object({ token }) },
  replies: { 200: raw('text/html; charset=utf-8', 'A page with two buttons.') },
})

export const unsubscribe = endpoint({
  ...common,
  method: 'POST',
  summary: 'Stop mail of one kind, or all mail about notifications',
  description:
    'What the buttons on that page do, and the button that mail programs show (RFC 8058). It needs no login: the link is the permission. Whatever body is sent is not looked at.',
  request: { query: z.object({ token, scope: z.enum(['kind', 'all']).default('kind') }) },
  replies: { 200: raw('text/html; charset=utf-8', 'The mail is stopped.') },
  ignoresBody: true,
  maxBodyBytes: 16_384,
})
