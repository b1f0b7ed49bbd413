import { z } from 'zod'
import { StartError } from '../platform/data-dir.ts'
import { type ConfigOf, setting, settingGroup } from '../platform/setting.ts'
import { list, urlLike } from '../platform/setting-values.ts'

/** The uses that Really Simple Licensing names. */
const usage = z.enum(['search', 'ai-index', 'ai-input', 'ai-train', 'ai-all', 'all'])

export const siteSettings = settingGroup(
  {
    SECURITY_CONTACT: setting(
      z
        .string()
        .regex(
          /^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/,
          'must be a URL like mailto:security@example.com or https://example.com/security',
        ),
      {
        unset: 'none',
        help: '`mailto:` or `https:` URL for security reports, published at `/.well-known/security.txt`',
      },
    ),
    CRAWLERS_MAY: setting(list(usage), {
      default: 'search,ai-index,ai-input',
      help: 'what crawlers may use the free parts of posts for, published in `/license.xml` (RSL): `search`, `ai-index`, `ai-input`, `ai-train`, `ai-all`, `all`',
    }),
    WEBSUB_HUB: setting(urlLike('https://pubsubhubbub.appspot.com/'), {
      unset: 'none',
      help: 'a WebSub hub, such as `https://pubsubhubbub.appspot.com/`. Feeds name it, and it is notified within a minute of each change, so that feed readers need not poll',
    }),
  },
  (values, isProduction) => {
    const { SECURITY_CONTACT: securityContact, CRAWLERS_MAY: crawlersMay, WEBSUB_HUB: webSubHub } = values
    if (isProduction && webSubHub?.startsWith('http:'))
      throw new StartError('WEBSUB_HUB: must be an https: URL, like https://pubsubhubbub.appspot.com/')
    return { securityContact, crawlersMay, webSubHub }
  },
)

export type SiteConfig = ConfigOf<typeof siteSettings>
