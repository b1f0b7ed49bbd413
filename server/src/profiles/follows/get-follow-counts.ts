import { creatorNotFound, type getFollowCounts as declared } from '@pennypost/contract/follows'
import { refuse } from '../../platform/http/refuse.ts'
import type { Handler } from '../services.ts'
import { findFollowCounts } from './follow-lists.ts'

export const getFollowCounts: Handler<typeof declared> = async ({ pool }, { params }) => ({
  status: 200,
  body: (await findFollowCounts(pool, params.profileId)) ?? refuse(creatorNotFound),
})
