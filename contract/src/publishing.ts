import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { Revision } from './post-fields.ts'
import {
  attachmentsUnresolved,
  Post,
  postNotFound,
  postState,
  profileIncomplete,
  publicationBlocked,
  revisionConflict,
} from './posts.ts'
import { DateTime, Uuid } from './schemas.ts'

const publishing = { tag: 'Posts', credential: 'publishing-key', errors: 'problem' } as const
const params = z.object({ postId: Uuid })
// Only if the caller wants to be sure: these operations do not need a revision.
const revisionHeader = z.object({ 'x-post-revision': Revision.optional() })

/** How far ahead a post can be scheduled. */
export const maxScheduleDays = 366

const PublishRequest = z
  .strictObject({
    publishAt: DateTime.optional().meta({
      description: `When to publish, at most ${maxScheduleDays} days ahead. Left out or past: now.`,
    }),
    emailSubscribers: z.boolean().optional().meta({
      description:
        'Whether the post is emailed to your subscribers. Default: true. Only the first time that it is published.',
    }),
  })
  .nullish()

const EmailedToSubscribers = z.enum(['started', 'limit_reached', 'none'])
export type EmailedToSubscribers = z.infer<typeof EmailedToSubscribers>

const PublishReply = Post.extend({
  emailSubscribers: EmailedToSubscribers.meta({
    description:
      '`started`: the post is being emailed to your subscribers. `limit_reached`: it is published but not emailed, because as many of your posts as the operator allows were emailed in the last 24 hours. `none`: there is nothing to email now: nobody is subscribed, you did not want it, the post was published before, or it is scheduled.',
  }),
}).meta({ id: 'PublishReply' })

export const publishPost = endpoint({
  ...publishing,
  method: 'POST',
  path: '/api/v1/posts/{postId}/publish',
  summary: 'Publish a draft, or publish a post again, now or later',
  description:
    'The post appears in lists and feeds, and followers are notified the first time. Publishing a published post changes nothing. With `X-Post-Revision`, the post is published only if it has not changed since. With a `publishAt` in the future the post stays as it is until then and has a `scheduledFor`; a new `publishAt` replaces it. Everything is checked now and again at that time. If something prevents publication then, the author is notified and nothing is published.',
  request: { params, headers: revisionHeader, body: PublishRequest },
  replies: { 200: PublishReply },
  refusals: [postNotFound, revisionConflict, postState, profileIncomplete, attachmentsUnresolved, publicationBlocked],
})

export const unschedulePost = endpoint({
  ...publishing,
  method: 'DELETE',
  path: '/api/v1/posts/{postId}/schedule',
  summary: 'Cancel the scheduled publication of a post',
  description: 'The post stays a draft. A post without a schedule does not change.',
  request: { params, headers: revisionHeader },
  replies: { 200: Post },
  refusals: [postNotFound, revisionConflict, postState],
})

export const withdrawPost = endpoint({
  ...publishing,
  method: 'POST',
  path: '/api/v1/posts/{postId}/unpublish',
  summary: 'Unpublish a post',
  description: 'Ends new purchases, free access and gift links. Buyers keep access.',
  request: { params, headers: revisionHeader },
  replies: { 200: Post },
  refusals: [postNotFound, revisionConflict, postState],
})
