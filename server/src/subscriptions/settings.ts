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
    NEW_AUTHOR_IMPORTS_PER_DAY: setting(wholeNumber('must be a number of addresses', { min: 0, max: 1e9 }), {
      default: '200',
      help: 'how many addresses an author may import in 24 hours while their account is less than a week old. `SUBSCRIBER_IMPORTS_PER_DAY` if that is lower',
    }),
    POST_MAILINGS_PER_DAY: setting(wholeNumber('must be a number of posts', { min: 0, max: 1e6 }), {
      default: '5',
      help: 'how many posts of one author are emailed to their subscribers in 24 hours. Further ones are published without, and the author is informed',
    }),
    IMPORTED_EMAILS_PER_DAY: setting(wholeNumber('must be a number of emails', { min: 0, max: 1e6 }), {
      default: '5',
      help: 'how many emails with new posts a mailbox gets on a day (UTC) because authors imported its address, of all authors together. Further ones are not sent. Readers who subscribed themselves get all of them',
    }),
    BOUNCE_ADDRESS: setting(
      z.string().regex(address, 'must be an email address with at most 7 characters before the @'),
      {
        unset: 'none: the sender',
        help: 'where emails with new posts come back to if they cannot be delivered, such as `bounces@example.com`. Each has its own return address: `bounces+…@example.com`. See [operations](operations.md#email)',
      },
    ),
  },
  (values) => ({
    postEmailsPerSecond: values.POST_EMAILS_PER_SECOND,
    subscriberImportsPerDay: values.SUBSCRIBER_IMPORTS_PER_DAY,
    newAuthorImportsPerDay: values.NEW_AUTHOR_IMPORTS_PER_DAY,
    mailingsPerDay: values.POST_MAILINGS_PER_DAY,
    importedEmailsPerDay: values.IMPORTED_EMAILS_PER_DAY,
    bounceAddress: values.BOUNCE_ADDRESS,
  }),
)

export type SubscriptionConfig = ConfigOf<typeof subscriptionSettings>
