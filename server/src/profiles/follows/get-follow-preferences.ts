import { type getFollowPreferences as declared, followNotFound } from '@pennypost/contract/follows'
import { refuse } from '../../platform/http/refuse.ts'
import type { Handler } from '../services.ts'
import { findOwnFollow } from './follow-store.ts'
import { followPreferencesView } from './follow-view.ts'

export const getFollowPreferences: Handler<typeof declared> = async ({ db }, { caller, params }) => {
  const follow = (await findOwnFollow(db, caller.accountId, params.followId)) ?? refuse(followNotFound)
  return { status: 200, body: followPreferencesView(follow) }
}
