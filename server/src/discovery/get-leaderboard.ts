import type { getLeaderboard as declared } from '@pennypost/contract/discovery'
import { countLeaders, listLeaders, rankOf } from './leaderboard-store.ts'
import { authorView } from './post-summary.ts'
import type { Handler } from './services.ts'

export const getLeaderboard: Handler<typeof declared> = async ({ pool }, { query, caller, origin }) => {
  const { board, limit, offset } = query
  const [leaders, total, myRank] = await Promise.all([
    listLeaders(pool, board, limit, offset),
    countLeaders(pool, board),
    caller.kind === 'owner-session' ? rankOf(pool, board, caller.accountId) : null,
  ])
  const isMoney = board === 'creators_earnings' || board === 'supporters'
  return {
    status: 200,
    body: {
      board,
      items: leaders.map((leader, index) => ({
        rank: offset + index + 1,
        profile: authorView(leader, leader.name, origin),
        ...(isMoney ? { valueRaw: leader.value } : { value: Number(leader.value) }),
      })),
      total,
      limit,
      offset,
      my_rank: myRank,
    },
  }
}
