import { publicPostNotFound } from '@pennypost/contract/discovery'
import type { getPostMute as declared } from '@pennypost/contract/notifications'
import { refuse } from '../platform/http/refuse.ts'
import { findMute } from './mute-store.ts'
import type { Handler } from './services.ts'

export const getPostMute: Handler<typeof declared> = async ({ db }, { caller, params }) => {
  const muted = (await findMute(db, caller.accountId, params.postId)) ?? refuse(publicPostNotFound)
  return { status: 200, body: { muted } }
}
