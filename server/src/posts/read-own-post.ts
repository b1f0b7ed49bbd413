import { type Post, postNotFound } from '@pennypost/contract/posts'
import { refuse } from '../platform/http/refuse.ts'
import { uploadsOfPosts } from '../uploads/post-uploads.ts'
import { findAuthor } from './author-store.ts'
import { figuresOfPosts } from './post-figures.ts'
import { findOwnPost } from './post-store.ts'
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
  const { db, clock } = services
  const post = (await findOwnPost(db, accountId, postId)) ?? refuse(postNotFound)
  const [author, tags, uploads, figures, writerOf] = await Promise.all([
    findAuthor(db, accountId),
    tagsOfPosts(db, [postId]),
    uploadsOfPosts(db, [postId]),
    figuresOfPosts(db, [postId]),
    readWriters(db, accountId, [post], clock.now()),
  ])
  return postView(
    services,
    post,
    author,
    tags.get(postId)!,
    uploads.get(postId)!,
    figures.get(postId)!,
    writerOf,
    origin,
  )
}
