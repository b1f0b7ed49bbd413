import { z } from 'zod'

/** §2, decisions §4: handles nobody can take. Compared in lower case. */
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
  // The site's own first path segments.
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
  ...['media', 'metrics', 'notifications', 'openapi', 'posts', 'problems', 'readyz', 'register', 'robots', 'search'],
  ...['session', 'settings', 'sitemap', 'studio', 'tags', 'well_known'],
])

/** Whether a handle is the service's own: reserved, or of the form given to new accounts. */
export const isReservedHandle = (handle: string): boolean => {
  const lower = handle.toLowerCase()
  return reservedHandles.has(lower) || lower.startsWith('user_')
}

/** §2: 4-30 ASCII letters, digits, underscore. */
export const Handle = z
  .string()
  .min(4, 'must have at least 4 characters')
  .max(30, 'must have at most 30 characters')
  .regex(/^[A-Za-z0-9_]*$/, 'may hold letters, digits and underscores only')

/** A handle that somebody asks for. */
export const NewHandle = Handle.superRefine((handle, context) => {
  if (isReservedHandle(handle))
    context.addIssue({ code: 'custom', params: { code: 'reserved' }, message: 'is reserved' })
}).meta({ openapi: { type: 'string', minLength: 4, maxLength: 30, pattern: '^[A-Za-z0-9_]+$' } })

/** The name that new accounts begin with; nobody can choose it. */
export const defaultName = 'New User'

/** What a name looks like: invisible characters and the amount of white space are not part of it. */
const seen = (name: string): string =>
  name
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .trim()
    .replaceAll(/\s+/gu, ' ')

export const isInvisible = (name: string): boolean => seen(name) === ''

/** Whether a name is the reserved default, in any case and with any white space. */
export const isDefaultName = (name: string): boolean => seen(name).toLowerCase() === defaultName.toLowerCase()
