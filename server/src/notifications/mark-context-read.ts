import type { markContextRead as declared, ReadContext } from '@pennypost/contract/notifications'
import { markKindsRead } from './mark-all-read.ts'
import { markRowsRead } from './read-store.ts'
import type { Handler } from './services.ts'

export const markContextRead: Handler<typeof declared> = async (services, { caller, body }) => {
  const { kinds, ...ids } = filterOf(body.context)
  const updated = await services.db.transaction().execute((tx) => {
    if (Object.values(ids).some((id) => id !== undefined))
      return markRowsRead(tx, caller.accountId, { ...ids, kinds }, services.clock.now())
    return markKindsRead(tx, services, caller.accountId, kinds ?? [])
  })
  return { status: 200, body: { updated } }
}

const filterOf = (context: ReadContext) => ({
  postId: context.postId ?? context.post_id ?? undefined,
  purchaseId: context.purchaseId ?? context.purchase_id ?? undefined,
  commentId: context.commentId ?? context.comment_id ?? undefined,
  followerId: context.followerId ?? context.follower_id ?? undefined,
  kinds: kindsOf(context.types),
})

// Clients that use the first preference schema see mentions as `new_comment`.
function kindsOf(types: readonly string[] | null | undefined): readonly string[] | undefined {
  if (!types || types.length === 0) return undefined
  return types.includes('new_comment') ? [...types, 'comment_mention'] : types
}
