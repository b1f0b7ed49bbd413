import { z } from 'zod'
import { isDeletedHandle } from './deleted-account.ts'

/** Handles that nobody can take, in lower case. */
const reservedHandles = new Set([
  ...[
    'admin',
    'administrator',
    'root',
    'support',
    'help',
    'api',
    'system',
    'moderator',
    'official',
    'staff',
    'security',
  ],
  ...['null', 'undefined', 'pennypost'],
  // First path segments of the site.
  ...[
    'assets',
    'auth',
    'categories',
    'docs',
    'feed',
    'functions',
    'healthz',
    'leaderboards',
    'library',
    'llms',
    'login',
    'logout',
  ],
  ...[
    'media',
    'metrics',
    'notifications',
    'offline',
    'openapi',
    'posts',
    'problems',
    'readyz',
    'register',
    'robots',
    'search',
  ],
  ...['session', 'settings', 'sitemap', 'studio', 'tags', 'well_known'],
])

/** Whether a handle is reserved, or has the form `user_…` that new accounts get. */
export const isReservedHandle = (handle: string): boolean => {
  const lower = handle.toLowerCase()
  return reservedHandles.has(lower) || lower.startsWith('user_') || isDeletedHandle(lower)
}

/** A handle: 4 to 30 ASCII letters, digits or underscores. */
export const Handle = z
  .string()
  .min(4, 'must have at least 4 characters')
  .max(30, 'must have at most 30 characters')
  .regex(/^[A-Za-z0-9_]*$/, 'may contain letters, digits and underscores only')

/** A handle that an account can choose. */
export const NewHandle = Handle.superRefine((handle, context) => {
  if (isReservedHandle(handle))
    context.addIssue({ code: 'custom', params: { code: 'reserved' }, message: 'is reserved' })
}).meta({ openapi: { type: 'string', minLength: 4, maxLength: 30, pattern: '^[A-Za-z0-9_]+$' } })

/** The name of new accounts. Nobody can choose it. */
export const defaultName = 'New User'

/** A name as it looks on screen, without invisible characters and repeated white space. */
const seen = (name: string): string =>
  name
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .trim()
    .replaceAll(/\s+/gu, ' ')

/**
 * Whether mail programs or chats might turn a part of the name into a link. Names appear in emails to strangers, so they
 * could carry advertising there.
 */
export const hasLink = (name: string): boolean =>
  /:\/\/|\bwww\.|\.[a-z]{2,}\/|[\p{L}\p{N}]\.(com|net|org|info|io|co|app|xyz|dev|link|site|online|shop|top|ly|gg|ru|cn)(?![\p{L}\p{N}])/iu.test(
    seen(name),
  )

export const isInvisible = (name: string): boolean => seen(name) === ''

/** Whether a name looks like the default name, ignoring case and white space. */
export const isDefaultName = (name: string): boolean => seen(name).toLowerCase() === defaultName.toLowerCase()
