import { type ConfigOf, setting, settingGroup } from '../platform/setting.ts'
import { wholeNumber } from '../platform/setting-values.ts'

export const postSettings = settingGroup(
  {
    DRAFTS_PER_ACCOUNT: setting(wholeNumber('must be a number of drafts', { min: 1, max: 1e9 }), {
      default: '2000',
      help: 'how many drafts one account may have. Further ones are refused with 409 `draft-quota` until some are published or deleted',
    }),
    DRAFT_BYTES_PER_ACCOUNT: setting(wholeNumber('must be a number of bytes', { min: 1, max: 9_999_999_999 }), {
      default: '50000000',
      help: 'how many bytes of Markdown they may have together: 2,000 drafts of 25 KB, or 62 of the largest size. The database needs about three times as much',
    }),
    COMMISSION_BPS: setting(wholeNumber('must be a number of hundredths of a percent', { min: 0, max: 10_000 }), {
      default: '500',
      help: "the service's share of a Nano sale, in hundredths of a percent",
    }),
  },
  (values) => ({
    draftQuota: { count: values.DRAFTS_PER_ACCOUNT, bytes: values.DRAFT_BYTES_PER_ACCOUNT },
    commissionBps: values.COMMISSION_BPS,
  }),
)

export type PostConfig = ConfigOf<typeof postSettings>
