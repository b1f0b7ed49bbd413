import { z } from 'zod'
import { raw } from './body.ts'
import { endpoint } from './endpoint.ts'
import { refusal } from './refusal.ts'

export const unsubscribeLinkInvalid = refusal(
  'unsubscribe-link-invalid',
  404,
  'This unsubscribe link is not valid. Use the link from a recent email, or change your notification settings.',
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
  summary: 'Show the page behind an unsubscribe link',
  description:
    'Opening the page changes nothing, because mail scanners open links before people do. Its buttons unsubscribe.',
  request: { query: z.object({ token }) },
  replies: { 200: raw('text/html; charset=utf-8', 'A page with two buttons.') },
})

export const unsubscribe = endpoint({
  ...common,
  method: 'POST',
  summary: 'Unsubscribe from one kind of email, or from all notification emails',
  description:
    'Used by the buttons on that page and by the unsubscribe button of mail programs (RFC 8058). The link is the permission, so no sign-in is needed. The body is ignored.',
  request: { query: z.object({ token, scope: z.enum(['kind', 'all']).default('kind') }) },
  replies: { 200: raw('text/html; charset=utf-8', 'A page that confirms it.') },
  ignoresBody: true,
  maxBodyBytes: 16_384,
})
