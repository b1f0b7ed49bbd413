import { z } from 'zod'
import { type ConfigOf, setting, settingGroup } from '../platform/setting.ts'
import { wholeNumber } from '../platform/setting-values.ts'

const address = /^[A-Za-z0-9._-]{1,7}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/

export const subscriptionSettings = settingGroup(
  {
    POST_EMAILS_PER_SECOND: setting(wholeNumber('must be a number of emails', { min: 1, max: 100_000 }), {
      default: '50',
      help: 'how many emails with new posts all processes together send in a second. Stay below what your mail provider allows',
    }),
    SUBSCRIBER_IMPORTS_PER_DAY: setting(wholeNumber('must be a number of addresses', { min: 0, max: 1e9 }), {
      default: '20000',
      help: 'how many addresses one author may import in 24 hours. Further ones are refused with 409 `import-quota`; `0` turns imports off',
    }),
    BOUNCE_ADDRESS: setting(
      z.string().regex(address, 'must be an email address with at most 7 characters before the @'),
      {
        unset: 'none: the sender',
        help: 'where emails with new posts come back to if they cannot be delivered, such as `bounces@example.com`. Each has a return address of its own: `bounces+…@example.com`. See [operations](operations.md#email)',
      },
    ),
  },
  (values) => ({
    postEmailsPerSecond: values.POST_EMAILS_PER_SECOND,
    subscriberImportsPerDay: values.SUBSCRIBER_IMPORTS_PER_DAY,
    bounceAddress: values.BOUNCE_ADDRESS,
  }),
)

export type SubscriptionConfig = ConfigOf<typeof subscriptionSettings>
