import { type ConfigOf, setting, settingGroup } from '../platform/setting.ts'
import { wholeNumber } from '../platform/setting-values.ts'

export const discussionSettings = settingGroup(
  {
    COMMENT_WATCHERS: setting(wholeNumber('must be a number from 0 to 100000', { min: 0, max: 100_000 }), {
      default: '200',
      help: 'how many of those who commented on a post before are notified of a new comment: the ones who did so last. The author of the post, and those who are mentioned or replied to, always are. Without a limit, the thousandth comment would write a thousand notifications',
    }),
  },
  (values) => ({ commentWatchers: values.COMMENT_WATCHERS }),
)

export type DiscussionConfig = ConfigOf<typeof discussionSettings>
