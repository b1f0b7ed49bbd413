import { creatorNotFound, type listFollowers as declared } from '@pennypost/contract/follows'
import { refuse } from '../platform/http/refuse.ts'
import type { Handler } from '../services.ts'
import { personView } from './follow-view.ts'
import { findFollowCounts, listFollowersOf } from './people-store.ts'

export const listFollowers: Handler<typeof declared> = async ({ pool }, { params, query }) => {
  const counts = (await findFollowCounts(pool, params.userId)) ?? refuse(creatorNotFound)
  const people = await listFollowersOf(pool, params.userId, query)
  return { status: 200, body: { data: people.map(personView), total: counts.followers, ...query } }
}
