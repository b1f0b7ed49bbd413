import { type ConfigOf, setting, settingGroup } from '../platform/setting.ts'
import { wholeNumber } from '../platform/setting-values.ts'

export const personalDataSettings = settingGroup(
  {
    EXPORTS_AT_ONCE: setting(wholeNumber('must be a number of exports', { min: 1, max: 1000 }), {
      default: '4',
      help: 'how many exports of accounts all processes together send at the same time. Others are asked to try again in half a minute',
    }),
  },
  (values) => ({ exportsAtOnce: values.EXPORTS_AT_ONCE }),
)

export type PersonalDataConfig = ConfigOf<typeof personalDataSettings>
