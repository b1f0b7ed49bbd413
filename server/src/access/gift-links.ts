import { randomUUID } from 'node:crypto'
import {
  type createGiftLink as declaredCreate,
  type disableGiftLink as declaredDisable,
  type getGiftLink as declaredGet,
  type listGiftLinks as declaredList,
  type GiftLink,
  postNotPublished,
} from '@pennypost/contract/gift-links'
import { postNotFound } from '@pennypost/contract/posts'
import { pageOf, readCursor, TimePosition } from '../platform/cursor.ts'
import { refuse } from '../platform/http/refuse.ts'
import type { Secrets } from '../platform/secrets.ts'
import { findOwnPost, lockOwnPost } from '../posts/post-store.ts'
import { contentUrl } from '../posts/post-view.ts'
import { addLink, disableLink, findActiveLink, type GiftLinkRow, listActiveLinks } from './gift-link-store.ts'
import { giftToken } from './gift-token.ts'
import type { Handler } from './services.ts'

// One gift link for each post, created, read and disabled by the author.

export const getGiftLink: Handler<typeof declaredGet> = async ({ db, secrets }, { caller, params, origin }) => {
  const post = (await findOwnPost(db, caller.accountId, params.postId)) ?? refuse(postNotFound)
  const link = await findActiveLink(db, post.id)
  return { status: 200, body: { giftLink: link ? giftLinkView(secrets, link, origin) : null } }
}

export const createGiftLink: Handler<typeof declaredCreate> = async (services, { caller, params, origin }) => {
  const { db, clock, secrets } = services
  const link = await db.transaction().execute(async (tx) => {
    // Under the post's lock, two simultaneous requests get the same link.
    const post = (await lockOwnPost(tx, caller.accountId, params.postId)) ?? refuse(postNotFound)
    if (post.status !== 'published') refuse(postNotPublished)
    const active = await findActiveLink(tx, post.id)
    return active ?? addLink(tx, { id: randomUUID(), post_id: post.id, created_at: clock.now() })
  })
  return { status: 200, body: { giftLink: giftLinkView(secrets, link, origin) } }
}

export const disableGiftLink: Handler<typeof declaredDisable> = async ({ db, clock }, { caller, params }) => {
  await db.transaction().execute(async (tx) => {
    const post = (await lockOwnPost(tx, caller.accountId, params.postId)) ?? refuse(postNotFound)
    await disableLink(tx, post.id, clock.now())
  })
  return { status: 200, body: { giftLink: null } }
}

export const listGiftLinks: Handler<typeof declaredList> = async ({ db, secrets }, { caller, query, origin }) => {
  const after = query.cursor === undefined ? undefined : readCursor(TimePosition, query.cursor)
  const found = await listActiveLinks(db, caller.accountId, after, query.limit + 1)
  const { rows, pagination } = pageOf(found, query.limit, (last) => [last.created_at, last.id])
  const giftLinks = rows.map((row) => ({
    ...giftLinkView(secrets, row, origin),
    post: { id: row.post_id, title: row.title, status: row.status },
  }))
  return { status: 200, body: { giftLinks, pagination } }
}

function giftLinkView(secrets: Secrets, { id, post_id, created_at, uses }: GiftLinkRow, origin: string): GiftLink {
  const token = giftToken.of(secrets, id)
  return { token, url: `${contentUrl(origin, post_id)}?gift=${token}`, createdAt: created_at.toISOString(), uses }
}
