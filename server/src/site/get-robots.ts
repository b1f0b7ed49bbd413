import type { getRobots as declared } from '@pennypost/contract/crawler-files'
import type { Handler } from './services.ts'

export const getRobots: Handler<typeof declared> = async (_services, { origin }) => ({
  status: 200,
  body: `User-agent: *
Allow: /
Disallow: /api/v1/
Disallow: /dev/
Disallow: /session
Disallow: /studio
Disallow: /settings/
Disallow: /admin/
Disallow: /notifications

License: ${origin}/license.xml
Sitemap: ${origin}/sitemap.xml
`,
})
