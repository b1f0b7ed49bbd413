import { listCategories } from './categories.ts'
import { barPost, restorePost } from './post-moderation.ts'
import { getPostVersion, listPostVersions } from './post-versions.ts'
import { createPost, deletePost, getPost, listPosts, listTags, previewMarkdown, updatePost } from './posts.ts'
import { publishPost, unschedulePost, withdrawPost } from './publishing.ts'
import { chooseRelatedPosts, createSeries, deleteSeries, getChosenPosts, listSeries, updateSeries } from './series.ts'

/** Writing, publishing and unpublishing posts, and barring a post as an administrator. */
export const postOperations = {
  createPost,
  listPosts,
  getPost,
  updatePost,
  deletePost,
  publishPost,
  unschedulePost,
  withdrawPost,
  listPostVersions,
  getPostVersion,
  previewMarkdown,
  listTags,
  listCategories,
  listSeries,
  createSeries,
  updateSeries,
  deleteSeries,
  getChosenPosts,
  chooseRelatedPosts,
  barPost,
  restorePost,
}
