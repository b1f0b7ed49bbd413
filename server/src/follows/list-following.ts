import { creatorNotFound, type listFollowing as declared } from '@pennypost/contract/follows'
import { refuse } from '../platform/http/refuse.ts'
import type { Handler } from '../services.ts'
import { personView } from './follow-view.ts'
import { findFollowCounts, listFollowedBy } from './people-store.ts'

export const listFollowing: Handler<typeof declared> = async ({ pool }, { params, query }) => {
  const counts = (await findFollowCounts(pool, params.userId)) ?? refuse(creatorNotFound)
  const people = await listFollowedBy(pool, params.userId, query)
  return { status: 200, body: { data: people.map(personView), total: counts.following, ...query } }
}
