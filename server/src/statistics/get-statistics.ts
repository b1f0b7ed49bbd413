import { postNotFound } from '@pennypost/contract/posts'
import type {
  getStatistics as declared,
  getPostStatistics as declaredOfPost,
  PostStatistics,
  Statistics,
} from '@pennypost/contract/statistics'
import { refuse } from '../platform/http/refuse.ts'
import { periodOf } from './period.ts'
import type { Handler, StatisticsServices } from './services.ts'
import { findOwnTitle, readBestPosts, readMoney, readReferrers, readViews, type Scope } from './statistics-store.ts'
import { figuresView, groupCounts, referrersView } from './statistics-view.ts'

export const getStatistics: Handler<typeof declared> = async (services, { caller, query }) => {
  const { pool, clock } = services
  const scope = { accountId: caller.accountId, ...periodOf(query, clock.now()) }
  const showsAmounts = caller.kind === 'owner-session'
  const [common, best, moneyOfPosts] = await Promise.all([
    readCommon(services, scope, showsAmounts),
    readBestPosts(pool, scope),
    readMoney(pool, scope, 'post_id'),
  ])
  const moneyOf = new Map(groupCounts({ views: [], money: moneyOfPosts }).map(([id, { money }]) => [id, money]))
  const body: Statistics = {
    ...common,
    posts: best.map((post) => ({
      postId: post.key,
      title: post.title,
      ...figuresView({ views: [post], money: moneyOf.get(post.key) ?? [] }, showsAmounts),
    })),
    postCount: best[0]?.known ?? 0,
  }
  return { status: 200, body }
}

export const getPostStatistics: Handler<typeof declaredOfPost> = async (services, { caller, params, query }) => {
  const { pool, clock } = services
  const { postId } = params
  const title = (await findOwnTitle(pool, caller.accountId, postId)) ?? refuse(postNotFound)
  const scope = { accountId: caller.accountId, postId, ...periodOf(query, clock.now()) }
  const body: PostStatistics = {
    postId,
    title,
    ...(await readCommon(services, scope, caller.kind === 'owner-session')),
  }
  return { status: 200, body }
}

async function readCommon({ pool }: StatisticsServices, scope: Scope, showsAmounts: boolean) {
  const [views, money, referrers] = await Promise.all([
    readViews(pool, scope, 'day'),
    readMoney(pool, scope, 'day'),
    readReferrers(pool, scope),
  ])
  return {
    from: scope.from,
    to: scope.to,
    totals: figuresView({ views, money }, showsAmounts),
    days: groupCounts({ views, money }).map(([day, counts]) => ({ day, ...figuresView(counts, showsAmounts) })),
    referrers: referrersView(referrers),
  }
}
