import { z } from 'zod'
import { StartError } from '../platform/data-dir.ts'
import { type ConfigOf, setting, settingGroup } from '../platform/setting.ts'
import { days, origin, urlLike } from '../platform/setting-values.ts'

export const accountSettings = settingGroup(
  {
    IDENTITY_PROVIDER_URL: setting(origin, {
      unset: 'the base URL',
      help: 'origin of confirmation links in emails, if another origin forwards `/auth/v1/verify` to this service',
    }),
    KEEP_SESSIONS_DAYS: setting(days(1), {
      default: '30',
      help: 'how long sessions are kept after they ended or expired',
    }),
    CAPTCHA_URL: setting(urlLike('https://challenges.cloudflare.com/turnstile/v0/siteverify'), {
      unset: 'none',
      help: 'verification URL of Turnstile or hCaptcha. Signing in by email then needs its token',
    }),
    CAPTCHA_SECRET: setting(z.string(), {
      unset: 'none',
      help: 'the secret for `CAPTCHA_URL`',
    }),
  },
  ({ IDENTITY_PROVIDER_URL, KEEP_SESSIONS_DAYS, CAPTCHA_URL, CAPTCHA_SECRET }) => {
    if ((CAPTCHA_URL === undefined) !== (CAPTCHA_SECRET === undefined))
      throw new StartError('CAPTCHA_URL, CAPTCHA_SECRET: set both or neither')
    return {
      identityProviderUrl: IDENTITY_PROVIDER_URL,
      keepSessionsDays: KEEP_SESSIONS_DAYS,
      captcha: CAPTCHA_URL && CAPTCHA_SECRET ? { url: CAPTCHA_URL, secret: CAPTCHA_SECRET } : undefined,
    }
  },
)

export type AccountConfig = ConfigOf<typeof accountSettings>
