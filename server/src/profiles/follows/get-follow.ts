import { creatorNotFound, type getFollow as declared } from '@pennypost/contract/follows'
import { findAccount } from '../../accounts/account-store.ts'
import { refuse } from '../../platform/http/refuse.ts'
import type { Handler } from '../services.ts'
import { findFollow } from './follow-store.ts'
import { followView } from './follow-view.ts'

export const getFollow: Handler<typeof declared> = async ({ db }, { caller, params }) => {
  if (!(await findAccount(db, params.creatorId))) refuse(creatorNotFound)
  const follow = await findFollow(db, { creatorId: params.creatorId, followerId: caller.accountId })
  return { status: 200, body: { following: follow !== undefined, follow: follow ? followView(follow) : null } }
}
