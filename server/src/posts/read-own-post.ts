import { type Post, postNotFound } from '@pennypost/contract/posts'
import { type Db, inAnyOrder, type Tx } from '../platform/database/database.ts'
import { refuse } from '../platform/http/refuse.ts'
import { uploadsOfPosts } from '../uploads/post-uploads.ts'
import { findAuthor } from './author-store.ts'
import { figuresOfPosts } from './post-figures.ts'
import { findOwnPost, type PostRow } from './post-store.ts'
import { postView } from './post-view.ts'
import { readWriters } from './post-writers.ts'
import type { PostServices } from './services.ts'
import { tagsOfPosts } from './tag-store.ts'

/** Reads a post as its author sees it. */
export async function readOwnPost(
  services: PostServices,
  accountId: string,
  postId: string,
  origin: string,
): Promise<Post> {
  const post = (await findOwnPost(services.db, accountId, postId)) ?? refuse(postNotFound)
  return viewOwnPost(services, services.db, post, origin)
}

/** A post that was just read or written, as its author sees it. `db` may be the transaction that wrote it. */
export async function viewOwnPost(services: PostServices, db: Db | Tx, post: PostRow, origin: string): Promise<Post> {
  const [author, tags, uploads, figures, writerOf] = await inAnyOrder(
    findAuthor(db, post.account_id),
    tagsOfPosts(db, [post.id]),
    uploadsOfPosts(db, [post.id]),
    figuresOfPosts(db, [post.id]),
    readWriters(db, post.account_id, [post], services.clock.now()),
  )
  return postView(
    services,
    post,
    author,
    tags.get(post.id)!,
    uploads.get(post.id)!,
    figures.get(post.id)!,
    writerOf,
    origin,
  )
}
