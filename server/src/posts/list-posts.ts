import type { listPosts as declared } from '@pennypost/contract/posts'
import { uploadsOfPosts } from '../uploads/post-uploads.ts'
import { findAuthor } from './author-store.ts'
import { figuresOfPosts } from './post-figures.ts'
import { listOwnPosts } from './post-store.ts'
import { postView } from './post-view.ts'
import { readWriters } from './post-writers.ts'
import type { Handler } from './services.ts'
import { tagsOfPosts } from './tag-store.ts'

export const listPosts: Handler<typeof declared> = async (services, { caller, query, origin }) => {
  const { db, clock } = services
  const { status, page, per_page: perPage } = query
  const { posts, total } = await listOwnPosts(db, caller.accountId, { status, page, perPage })
  const author = await findAuthor(db, caller.accountId)
  const ids = posts.map(({ id }) => id)
  const [tags, uploads, figures, writerOf] = await Promise.all([
    tagsOfPosts(db, ids),
    uploadsOfPosts(db, ids),
    figuresOfPosts(db, ids),
    readWriters(db, caller.accountId, posts, clock.now()),
  ])
  const data = posts.map((post) =>
    postView(
      services,
      post,
      author,
      tags.get(post.id)!,
      uploads.get(post.id)!,
      figures.get(post.id)!,
      writerOf,
      origin,
    ),
  )
  return { status: 200, body: { data, total, page, perPage } }
}
