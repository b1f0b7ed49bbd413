import { addComment, deleteComment, getComment, listComments, listPublicComments } from './comments.ts'
import { suggestMentions, suggestMentionsPublicly } from './mention-suggestions.ts'
import {
  getCommentReactions,
  getPostReactions,
  getPublicCommentReactions,
  getPublicPostReactions,
  reactToComment,
  reactToPost,
} from './reactions.ts'
import { decideReport, listReports, reportComment, reportPost } from './reports.ts'
import { listCommentSupporters, listTipActivities } from './tip-lists.ts'

/** Comments, mentions, reactions, public tips and reports. */
export const discussionOperations = {
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
}
