import { type Post, postNotFound } from '@pennypost/contract/posts'
import { type Db, inAnyOrder, type Tx } from '../platform/database/database.ts'
import { refuse } from '../platform/http/refuse.ts'
import { type PostUploads, uploadsOfPosts } from '../uploads/post-uploads.ts'
import { type Author, findAuthor } from './author-store.ts'
import { figuresOfPosts, type PostFigures } from './post-figures.ts'
import { findOwnPost, type PostRow } from './post-store.ts'
import { postView } from './post-view.ts'
import { readWriters } from './post-writers.ts'
import type { PostServices } from './services.ts'
import { type TagRow, tagsOfPosts } from './tag-store.ts'

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

/** The parts of a post's view that the caller already has. The others are read. */
export interface KnownParts {
  readonly author?: Author
  readonly tags?: readonly TagRow[] | undefined
  readonly uploads?: PostUploads
  readonly figures?: Omit<PostFigures, 'id'>
}

/** A post that was just read or written, as its author sees it. `db` may be the transaction that wrote it. */
export async function viewOwnPost(
  services: PostServices,
  db: Db | Tx,
  post: PostRow,
  origin: string,
  known: KnownParts = {},
): Promise<Post> {
  const { id } = post
  const [author, tags, uploads, figures, writerOf] = await inAnyOrder(
    known.author ?? findAuthor(db, post.account_id),
    known.tags ?? tagsOfPosts(db, [id]).then((found) => found.get(id)!),
    known.uploads ?? uploadsOfPosts(db, [id]).then((found) => found.get(id)!),
    known.figures ?? figuresOfPosts(db, [id]).then((found) => found.get(id)!),
    readWriters(db, post.account_id, [post], services.clock.now()),
  )
  return postView(services, post, author, tags, uploads, figures, writerOf, origin)
}
