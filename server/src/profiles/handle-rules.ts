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
    'categories',
    'dev',
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
    'mcp',
    'media',
    'metrics',
    'notifications',
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

/** Whether a handle is the service's own: reserved, or of the form given to new accounts. */
export const isReservedHandle = (handle: string): boolean => {
  const lower = handle.toLowerCase()
  return reservedHandles.has(lower) || lower.startsWith('user_')
}
