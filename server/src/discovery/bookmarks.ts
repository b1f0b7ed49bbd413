import type {
  addBookmark as declaredAdd,
  getBookmark as declaredGet,
  removeBookmark as declaredRemove,
} from '@pennypost/contract/bookmarks'
import { publicPostNotFound } from '@pennypost/contract/discovery'
import { refuse } from '../platform/http/refuse.ts'
import { deleteBookmark, findBookmark, saveBookmark } from './bookmark-store.ts'
import type { Handler } from './services.ts'

const reply = (savedAt: Date | undefined) =>
  ({
    status: 200,
    body: { bookmarked: savedAt !== undefined, bookmarkedAt: savedAt?.toISOString() ?? null },
  }) as const

export const getBookmark: Handler<typeof declaredGet> = async ({ pool }, { caller, params }) =>
  reply(await findBookmark(pool, caller.accountId, params.postId))

export const addBookmark: Handler<typeof declaredAdd> = async ({ pool, clock }, { caller, params }) => {
  const savedAt = await saveBookmark(pool, caller.accountId, params.postId, clock.now())
  return reply(savedAt ?? refuse(publicPostNotFound))
}

export const removeBookmark: Handler<typeof declaredRemove> = async ({ pool }, { caller, params }) => {
  await deleteBookmark(pool, caller.accountId, params.postId)
  return reply(undefined)
}
