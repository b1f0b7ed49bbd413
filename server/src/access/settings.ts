import { type ConfigOf, setting, settingGroup } from '../platform/setting.ts'
import { onOrOff } from '../platform/setting-values.ts'

export const accessSettings = settingGroup(
  {
    BAZAAR: setting(onOrOff, {
      default: '0',
      help: '`1` adds discovery data for x402 catalogs to each 402',
    }),
  },
  (values) => ({ bazaar: values.BAZAAR }),
)

export type AccessConfig = ConfigOf<typeof accessSettings>
