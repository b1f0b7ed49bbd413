import { creatorNotFound, type listFollowers as declared } from '@pennypost/contract/follows'
import { personView } from '../../accounts/person-view.ts'
import { refuse } from '../../platform/http/refuse.ts'
import type { Handler } from '../services.ts'
import { findFollowCounts, listFollowersOf } from './follow-lists.ts'

export const listFollowers: Handler<typeof declared> = async ({ pool }, { params, query, origin }) => {
  const counts = (await findFollowCounts(pool, params.userId)) ?? refuse(creatorNotFound)
  const people = await listFollowersOf(pool, params.userId, query)
  return {
    status: 200,
    body: { data: people.map((person) => personView(person, origin)), total: counts.followers, ...query },
  }
}
