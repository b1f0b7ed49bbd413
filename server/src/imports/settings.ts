import { type ConfigOf, setting, settingGroup } from '../platform/setting.ts'
import { wholeNumber } from '../platform/setting-values.ts'

export const importSettings = settingGroup(
  {
    IMPORT_POSTS: setting(wholeNumber('must be a number of posts', { min: 0, max: 1e9 }), {
      default: '5000',
      help: 'how many posts one account may import within 30 days. Updates of imported posts do not count. 0 switches imports off',
    }),
    IMPORT_FILES: setting(wholeNumber('must be a number of files', { min: 0, max: 1e9 }), {
      default: '20000',
      help: 'how many images and ZIP files one account may import within 30 days',
    }),
    IMPORT_BYTES: setting(wholeNumber('must be a number of bytes', { min: 0, max: 9_999_999_999_999 }), {
      default: '4000000000',
      help: 'how many bytes these files may have together',
    }),
  },
  (values) => ({
    importQuota: { posts: values.IMPORT_POSTS, files: values.IMPORT_FILES, fileBytes: values.IMPORT_BYTES },
  }),
)

export type ImportConfig = ConfigOf<typeof importSettings>
