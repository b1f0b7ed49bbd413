import { postNotFound } from '@pennypost/contract/posts'
import {
  type listSeries as declared,
  type chooseRelatedPosts as declaredChoose,
  type getChosenPosts as declaredChosen,
  type createSeries as declaredCreate,
  type deleteSeries as declaredDelete,
  type updateSeries as declaredUpdate,
  maxSeries,
  postInSeries,
  type Series,
  seriesLimit,
  seriesNotFound,
} from '@pennypost/contract/series'
import { lockOwnAccount } from '../accounts/account-store.ts'
import type { Tx } from '../platform/database/database.ts'
import { refuse } from '../platform/http/refuse.ts'
import { findOwnPost } from './post-store.ts'
import {
  addSeries,
  countSeries,
  findInOtherSeries,
  listChosenPosts,
  listOwnSeries,
  ownsPosts,
  removeSeries,
  renameSeries,
  replaceChosenPosts,
  replaceSeriesPosts,
  type SeriesRow,
} from './series-store.ts'
import type { Handler } from './services.ts'

// Changes of one account's series take turns by the account's lock, so that a post cannot get into two of them.

export const listSeries: Handler<typeof declared> = async ({ db }, { caller }) => ({
  status: 200,
  body: { series: (await listOwnSeries(db, caller.accountId)).map(seriesView) },
})

export const createSeries: Handler<typeof declaredCreate> = async ({ db, clock }, { caller, body }) => {
  const { accountId } = caller
  const created = await db.transaction().execute(async (tx) => {
    await lockOwnAccount(tx, accountId)
    if ((await countSeries(tx, accountId)) >= maxSeries) refuse(seriesLimit)
    const id = await addSeries(tx, accountId, body.title, clock.now())
    await setPosts(tx, accountId, id, body.postIds)
    return (await listOwnSeries(tx, accountId, id))[0]!
  })
  return { status: 201, body: seriesView(created) }
}

export const updateSeries: Handler<typeof declaredUpdate> = async ({ db }, { caller, params, body }) => {
  const { accountId } = caller
  const updated = await db.transaction().execute(async (tx) => {
    await lockOwnAccount(tx, accountId)
    if (!(await renameSeries(tx, accountId, params.seriesId, body.title))) refuse(seriesNotFound)
    await setPosts(tx, accountId, params.seriesId, body.postIds)
    return (await listOwnSeries(tx, accountId, params.seriesId))[0]!
  })
  return { status: 200, body: seriesView(updated) }
}

export const deleteSeries: Handler<typeof declaredDelete> = async ({ db }, { caller, params }) => {
  const isRemoved = await db.transaction().execute((tx) => removeSeries(tx, caller.accountId, params.seriesId))
  if (!isRemoved) refuse(seriesNotFound)
  return { status: 200, body: { id: params.seriesId, deleted: true } }
}

export const getChosenPosts: Handler<typeof declaredChosen> = async ({ db }, { caller, params }) => {
  if (!(await findOwnPost(db, caller.accountId, params.postId))) refuse(postNotFound)
  return { status: 200, body: { postIds: await listChosenPosts(db, params.postId) } }
}

export const chooseRelatedPosts: Handler<typeof declaredChoose> = async ({ db }, { caller, params, body }) => {
  const chosen = body.postIds.filter((id) => id !== params.postId)
  await db.transaction().execute(async (tx) => {
    await lockOwnAccount(tx, caller.accountId)
    await requireOwnPosts(tx, caller.accountId, [params.postId, ...chosen])
    await replaceChosenPosts(tx, params.postId, chosen)
  })
  return { status: 200, body: { postIds: chosen } }
}

async function setPosts(tx: Tx, accountId: string, seriesId: string, postIds: readonly string[]): Promise<void> {
  await requireOwnPosts(tx, accountId, postIds)
  const other = await findInOtherSeries(tx, seriesId, postIds)
  if (other) refuse(postInSeries, { postId: other.post_id, seriesId: other.series_id })
  await replaceSeriesPosts(tx, seriesId, postIds)
}

async function requireOwnPosts(tx: Tx, accountId: string, postIds: readonly string[]): Promise<void> {
  if (!(await ownsPosts(tx, accountId, postIds))) refuse(postNotFound)
}

const seriesView = ({ id, title, created_at, posts }: SeriesRow): Series => ({
  id,
  title,
  createdAt: created_at.toISOString(),
  posts,
})
