import { listCategories } from './categories.ts'
import { barPost, restorePost } from './post-moderation.ts'
import {
  createPost,
  deletePost,
  getPost,
  listPosts,
  listTags,
  previewMarkdown,
  publishPost,
  updatePost,
  withdrawPost,
} from './posts.ts'

/** Writing, publishing and unpublishing posts, and barring a post as an administrator. */
export const postOperations = {
  createPost,
  listPosts,
  getPost,
  updatePost,
  deletePost,
  publishPost,
  withdrawPost,
  previewMarkdown,
  listTags,
  listCategories,
  barPost,
  restorePost,
}
