import { z } from 'zod'
import { adminOnly, adminRequired } from './admin-only.ts'
import { endpoint } from './endpoint.ts'
import { isInvisible } from './handle.ts'
import { markdownTooComplex } from './posts.ts'
import { codePoints, trimmedText } from './schemas.ts'

// The settings with which operators make an instance their own: its name, its texts and its colour.

const invalid = (context: z.RefinementCtx, code: string, message: string): void => {
  context.addIssue({ code: 'custom', params: { code }, message })
}

/** One line of text. Control characters and direction overrides could rearrange the text around it. */
const line = (min: number, max: number) =>
  trimmedText(min, max)
    .superRefine((text, context) => {
      if (/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(text))
        invalid(context, 'invalid_text', 'contains characters that are not allowed')
      if (text !== '' && isInvisible(text)) invalid(context, 'required', 'must be visible')
    })
    .meta({ openapi: { type: 'string', minLength: min, maxLength: max } })

const maxMarkdown = 50_000

const MarkdownPage = z
  .string()
  .superRefine((text, context) => {
    if (codePoints(text) > maxMarkdown) invalid(context, 'too_long', `must have at most ${maxMarkdown} characters`)
    if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/.test(text))
      invalid(context, 'invalid_text', 'contains characters that are not allowed')
  })
  .meta({ openapi: { type: 'string', maxLength: maxMarkdown } })

/**
 * Whether a URL is safe to link to and to load from: a path of this site, or https. The host of an image becomes a part of
 * the content security policy, so only the usual characters of host names are allowed.
 */
export function isSiteUrl(text: string): boolean {
  if (/[\s\\\p{Cc}]/u.test(text)) return false
  if (text.startsWith('/')) return !text.startsWith('//')
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username, password } = new URL(text)
  return protocol === 'https:' && /^[a-z0-9.-]+$/.test(hostname) && username === '' && password === ''
}

const SiteUrl = z
  .string()
  .max(2000, 'must have at most 2000 characters')
  .superRefine((text, context) => {
    if (!isSiteUrl(text))
      invalid(context, 'invalid_url', 'must be an https URL, or a path of this site that starts with /')
  })
  .meta({ openapi: { type: 'string', maxLength: 2000, description: 'An https URL, or a path of this site.' } })

/** The contrast of a colour with white, from 1 to 21, as WCAG defines it. */
export function contrastWithWhite(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const part = Number.parseInt(color.slice(start, start + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)
}

/** The contrast with which most people can read text (WCAG AA). */
const minContrast = 4.5

const AccentColor = z
  .string()
  .regex(/^#[0-9a-fA-F]{6}$/, 'must look like #a8501a')
  .toLowerCase()
  .superRefine((color, context) => {
    if (/^#[0-9a-f]{6}$/.test(color) && contrastWithWhite(color) < minContrast)
      invalid(context, 'low_contrast', 'must be darker: white text on it is hard to read')
  })
  .meta({ openapi: { type: 'string', pattern: '^#[0-9a-fA-F]{6}$' } })

const registrationModes = ['open', 'invite', 'closed'] as const
export type RegistrationMode = (typeof registrationModes)[number]

const fields = {
  name: line(1, 50),
  tagline: line(0, 120),
  description: line(0, 500),
  logoUrl: SiteUrl.nullable(),
  iconUrl: SiteUrl.nullable(),
  accentColor: AccentColor.nullable(),
  navigation: z.array(z.strictObject({ label: line(1, 40), url: SiteUrl })).max(8),
  aboutMarkdown: MarkdownPage.nullable(),
  termsMarkdown: MarkdownPage.nullable(),
  privacyMarkdown: MarkdownPage.nullable(),
  registration: z
    .enum(registrationModes)
    .meta({ description: 'Whether anyone may sign up, only people with an invitation, or nobody.' }),
}

export const SiteSettings = z.object(fields).meta({ id: 'SiteSettings' })
export type SiteSettings = z.output<typeof SiteSettings>

/** The settings of a site whose operator has changed nothing. */
export const defaultSiteSettings: SiteSettings = {
  name: 'Pennypost',
  tagline: 'Good writing, free or for a few cents',
  description: '',
  logoUrl: null,
  iconUrl: null,
  accentColor: null,
  navigation: [],
  aboutMarkdown: null,
  termsMarkdown: null,
  privacyMarkdown: null,
  registration: 'open',
}

export const getSiteSettings = endpoint({
  ...adminOnly,
  method: 'GET',
  path: '/api/v1/admin/site',
  summary: 'Get the settings of the site',
  description: 'Settings that nobody has changed have their defaults.',
  replies: { 200: SiteSettings },
  refusals: [adminRequired],
})

export const updateSiteSettings = endpoint({
  ...adminOnly,
  method: 'PATCH',
  path: '/api/v1/admin/site',
  summary: 'Change the settings of the site',
  description:
    'Fields that are left out stay as they are; `null` clears a field that may be null. Every page, feed and email uses the new settings, in every process. The three Markdown fields are the pages `/about`, `/terms` and `/privacy`.',
  request: {
    body: z
      .strictObject(fields)
      .partial()
      .refine((change) => Object.keys(change).length > 0, 'must change something'),
  },
  replies: { 200: SiteSettings },
  refusals: [adminRequired, markdownTooComplex],
  maxBodyBytes: 1_048_576,
})
