import type { NotificationKind } from '@pennypost/contract/notification-preferences'

/** An event to notify people of, as the recipient sees it. */
export interface NotificationEvent {
  readonly kind: Exclude<NotificationKind, CommentKind>
  /** Identifies the event, such as `purchase:<id>`. Nobody is notified of one origin twice on a channel. */
  readonly origin: string
  /** Who did it. People are not notified of their own actions. */
  readonly actorId: string | null
  readonly postId?: string
  readonly purchaseId?: string
  readonly commentId?: string
  readonly followerId?: string
  readonly title: string
  readonly body: string
  /** A path on our site, starting with a slash. */
  readonly url: string
}

/** A new comment to notify people of. */
export interface CommentEvent {
  readonly commentId: string
  readonly postId: string
  readonly postTitle: string
  readonly actorId: string
  readonly actorName: string
  /** The full text. Notifications show an excerpt. */
  readonly content: string
}

export type CommentReason = 'mention' | 'reply' | 'author' | 'watcher'
type CommentKind = 'comment_mention' | 'comment_reply' | 'new_comment' | 'comment_thread_activity'

interface CommentReasonRule {
  readonly reason: CommentReason
  readonly kind: CommentKind
  readonly titleOf: (event: CommentEvent) => string
}

/** The reasons to notify a person of a comment, in order of precedence. */
export const commentReasons: readonly CommentReasonRule[] = [
  {
    reason: 'mention',
    kind: 'comment_mention',
    titleOf: ({ actorName, postTitle }) => `${actorName} mentioned you in a comment on “${postTitle}”`,
  },
  {
    reason: 'reply',
    kind: 'comment_reply',
    titleOf: ({ actorName, postTitle }) => `${actorName} replied to your comment on “${postTitle}”`,
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
/** Push messages are sent only for mentions and replies. */
export const pushKinds: readonly CommentKind[] = ['comment_mention', 'comment_reply']

/** The link in a comment notification. Its form is part of the API. */
export const commentUrl = (postId: string, commentId: string): string =>
  `/posts/${postId}?focus=comments#comment-${commentId}`

const maxExcerpt = 280

/** The start of a text, on one line. */
export function excerpt(text: string): string {
  const characters = [...text.replaceAll(/\s+/g, ' ').trim()]
  return characters.length <= maxExcerpt ? characters.join('') : `${characters.slice(0, maxExcerpt - 1).join('')}…`
}
