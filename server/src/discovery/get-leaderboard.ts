import type { getLeaderboard as declared } from '@pennypost/contract/discovery'
import { countLeaders, listLeaders, rankOf } from './leaderboard-store.ts'
import { authorView } from './post-summary.ts'
import type { Handler } from './services.ts'

export const getLeaderboard: Handler<typeof declared> = async ({ pool }, { query, caller, origin }) => {
  const { board, asset, limit, offset } = query
  const ranking = { board, asset }
  const [leaders, total, myRank] = await Promise.all([
    listLeaders(pool, ranking, limit, offset),
    countLeaders(pool, ranking),
    caller.kind === 'owner-session' ? rankOf(pool, ranking, caller.accountId) : null,
  ])
  const isMoney = board === 'creators_earnings' || board === 'supporters'
  const valueView = (value: string) => {
    if (!isMoney) return { value: Number(value) }
    return asset === 'XNO' ? { valueRaw: value } : { valueAtomic: value }
  }
  return {
    status: 200,
    body: {
      board,
      items: leaders.map((leader, index) => ({
        rank: offset + index + 1,
        profile: authorView(leader, leader.name, origin),
        ...valueView(leader.value),
      })),
      total,
      limit,
      offset,
      my_rank: myRank,
    },
  }
}
