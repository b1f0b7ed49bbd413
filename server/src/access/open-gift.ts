import { countUse } from './gift-link-store.ts'
import { findContent, mayRead, type PostContent } from './may-read.ts'
import type { AccessServices } from './services.ts'

/** The whole post, for a reader who follows a gift link to its page. Returns undefined if the link does not open it. */
export async function openGift(
  services: Pick<AccessServices, 'db' | 'pool' | 'secrets' | 'offeredPosts'>,
  postId: string,
  giftToken: string,
): Promise<PostContent | undefined> {
  const grant = (await mayRead(services, postId, { giftToken }))?.grant
  if (grant?.giftId === undefined) return undefined
  await countUse(services.db, grant.giftId)
  return findContent(services.pool, postId)
}
