import { z } from 'zod'
import { type ConfigOf, setting, settingGroup } from '../platform/setting.ts'

export const siteSettings = settingGroup(
  {
    SECURITY_CONTACT: setting(
      z.string().regex(/^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/, 'must be a mailto: or https: URL'),
      {
        unset: 'none',
        help: '`mailto:` or `https:` URL for security reports, published at `/.well-known/security.txt`',
      },
    ),
  },
  (values) => ({ securityContact: values.SECURITY_CONTACT }),
)

export type SiteConfig = ConfigOf<typeof siteSettings>
