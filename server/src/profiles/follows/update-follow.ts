import { creatorNotFound, type updateFollow as declared, selfFollow } from '@pennypost/contract/follows'
import { findAccount } from '../../accounts/account-store.ts'
import { notify } from '../../notifications/notify.ts'
import { refuse } from '../../platform/http/refuse.ts'
import type { Handler } from '../services.ts'
import { addFollow, findFollow, removeFollow } from './follow-store.ts'
import { followView } from './follow-view.ts'

export const updateFollow: Handler<typeof declared> = async (services, { caller, params, body }) => {
  const { db, clock } = services
  const pair = { creatorId: params.creatorId, followerId: caller.accountId }
  if (pair.creatorId === pair.followerId) refuse(selfFollow)
  const follow = await db.transaction().execute(async (tx) => {
    if (!(await findAccount(tx, pair.creatorId))) refuse(creatorNotFound)
    if (!body.following) {
      await removeFollow(tx, pair)
      return undefined
    }
    const added = await addFollow(tx, pair, clock.now())
    if (!added) return findFollow(tx, pair)
    const { name, handle } = caller.account
    const event = {
      kind: 'new_follow' as const,
      // One notification for each follower, even if they unfollow and follow again.
      origin: `follow:${caller.accountId}`,
      actorId: caller.accountId,
      followerId: caller.accountId,
      title: `${name} follows you`,
      body: `@${handle} will be notified of your new posts.`,
      url: `/@${handle}`,
    }
    await notify(tx, services, event, [{ recipientId: pair.creatorId }])
    return added
  })
  return { status: 200, body: { following: follow !== undefined, follow: follow ? followView(follow) : null } }
}
