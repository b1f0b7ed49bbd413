import type {
  createPrivateFeed as declaredCreate,
  getPrivateFeed as declaredGet,
  revokePrivateFeed as declaredRevoke,
} from '@pennypost/contract/private-feed'
import type { Handler } from '../services.ts'
import { feedTokenHash, newFeedToken } from './feed-token.ts'
import { findPrivateFeed, removePrivateFeed, savePrivateFeed } from './private-feed-store.ts'

export const getPrivateFeed: Handler<typeof declaredGet> = async ({ db }, { caller }) => {
  const feed = await findPrivateFeed(db, caller.accountId)
  return { status: 200, body: { feed: feed ? { createdAt: feed.created_at.toISOString() } : null } }
}

export const createPrivateFeed: Handler<typeof declaredCreate> = async ({ db, clock }, { caller, origin }) => {
  const token = newFeedToken()
  const createdAt = clock.now()
  await savePrivateFeed(db, {
    account_id: caller.accountId,
    token_hash: feedTokenHash(token),
    created_at: createdAt,
  })
  const address = (file: string) => `${origin}/feed/${token}/${file}`
  const urls = { rss: address('feed.xml'), atom: address('atom.xml'), json: address('feed.json') }
  return { status: 201, body: { feed: { createdAt: createdAt.toISOString() }, urls } }
}

export const revokePrivateFeed: Handler<typeof declaredRevoke> = async ({ db }, { caller }) => {
  await removePrivateFeed(db, caller.accountId)
  return { status: 200, body: { feed: null } }
}
