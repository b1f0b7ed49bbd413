import type { discussionOperations } from '@pennypost/contract/discussion-operations'
import type { Room } from '../platform/room.ts'
import { addComment } from './add-comment.ts'
import { decideReport } from './decide-report.ts'
import { deleteComment } from './delete-comment.ts'
import { eraseCommentNotifications } from './erase-comment-notifications.job.ts'
import { getComment } from './get-comment.ts'
import { getCommentReactions, getPublicCommentReactions } from './get-comment-reactions.ts'
import { getPostReactions, getPublicPostReactions } from './get-post-reactions.ts'
import { listCommentSupporters } from './list-comment-supporters.ts'
import { listComments, listPublicComments } from './list-comments.ts'
import { listReports } from './list-reports.ts'
import { listTipActivities } from './list-tip-activities.ts'
import { notifyOfComment } from './notify-of-comment.job.ts'
import { reactToComment } from './react-to-comment.ts'
import { reactToPost } from './react-to-post.ts'
import { reportComment } from './report-comment.ts'
import { reportPost } from './report-post.ts'
import type { DiscussionServices } from './services.ts'
import { suggestMentions, suggestMentionsPublicly } from './suggest-mentions.ts'

export const discussionRoom: Room<typeof discussionOperations, DiscussionServices> = {
  handlers: {
    listComments,
    listPublicComments,
    addComment,
    getComment,
    deleteComment,
    suggestMentions,
    suggestMentionsPublicly,
    getPostReactions,
    getPublicPostReactions,
    reactToPost,
    getCommentReactions,
    getPublicCommentReactions,
    reactToComment,
    listTipActivities,
    listCommentSupporters,
    reportPost,
    reportComment,
    listReports,
    decideReport,
  },
  jobs: [notifyOfComment, eraseCommentNotifications],
}
