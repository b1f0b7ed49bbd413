import { publicPostNotFound } from '@pennypost/contract/discovery'
import type { updatePostMute as declared } from '@pennypost/contract/notifications'
import { refuse } from '../platform/http/refuse.ts'
import { findMute, removeMute, saveMute } from './mute-store.ts'
import type { Handler } from './services.ts'

export const updatePostMute: Handler<typeof declared> = async ({ db, clock }, { caller, params, body }) => {
  await db.transaction().execute(async (tx) => {
    if ((await findMute(tx, caller.accountId, params.postId)) === undefined) refuse(publicPostNotFound)
    if (body.muted) await saveMute(tx, caller.accountId, params.postId, clock.now())
    else await removeMute(tx, caller.accountId, params.postId)
  })
  return { status: 200, body: { muted: body.muted } }
}
