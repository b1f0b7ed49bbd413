import type { NotificationKind } from '@pennypost/contract/notification-preferences'

/** Something that happened, as one of its readers will see it. */
export interface News {
  readonly kind: Exclude<NotificationKind, CommentKind>
  /** What happened, such as `purchase:<id>`. Nobody is told of one origin twice. */
  readonly origin: string
  /** Who did it; nobody is told of what they did themselves. */
  readonly actorId: string | null
  readonly postId?: string
  readonly purchaseId?: string
  readonly commentId?: string
  readonly followerId?: string
  readonly title: string
  readonly body: string
  /** On our own site, beginning with a slash. */
  readonly url: string
}

/** A Comment that was just written. */
export interface CommentNews {
  readonly commentId: string
  readonly postId: string
  readonly postTitle: string
  readonly actorId: string
  readonly actorName: string
  /** The Comment as it was written; an excerpt of it is shown. */
  readonly content: string
}

export type CommentReason = 'mention' | 'reply' | 'author' | 'watcher'
type CommentKind = 'comment_mention' | 'comment_reply' | 'new_comment' | 'comment_thread_activity'

interface ReasonWords {
  readonly reason: CommentReason
  readonly kind: CommentKind
  readonly titleOf: (news: CommentNews) => string
}

/** §6: why somebody is told of a Comment, the strongest reason first. */
export const commentReasons: readonly ReasonWords[] = [
  {
    reason: 'mention',
    kind: 'comment_mention',
    titleOf: ({ actorName, postTitle }) => `${actorName} mentioned you under “${postTitle}”`,
  },
  {
    reason: 'reply',
    kind: 'comment_reply',
    titleOf: ({ actorName, postTitle }) => `${actorName} replied to you under “${postTitle}”`,
  },
  {
    reason: 'author',
    kind: 'new_comment',
    titleOf: ({ actorName, postTitle }) => `${actorName} commented on “${postTitle}”`,
  },
  {
    reason: 'watcher',
    kind: 'comment_thread_activity',
    titleOf: ({ actorName, postTitle }) => `${actorName} also commented on “${postTitle}”`,
  },
]

export const commentKinds: readonly CommentKind[] = commentReasons.map(({ kind }) => kind)
/** §6: push supports these two only. */
export const pushKinds: readonly CommentKind[] = ['comment_mention', 'comment_reply']

/** §6 */
export const commentUrl = (postId: string, commentId: string): string =>
  `/posts/${postId}?focus=comments#comment-${commentId}`

const longestExcerpt = 280

/** The beginning of a text, on one line. */
export function excerpt(text: string): string {
  const characters = [...text.replaceAll(/\s+/g, ' ').trim()]
  return characters.length <= longestExcerpt
    ? characters.join('')
    : `${characters.slice(0, longestExcerpt - 1).join('')}…`
}
