import type { postOperations } from '@pennypost/contract/post-operations'
import type { Room } from '../platform/room.ts'
import { indexStalePosts } from './catalog/index-stale-posts.job.ts'
import { createPost } from './create-post.ts'
import { deletePost } from './delete-post.ts'
import { getPost } from './get-post.ts'
import { getPostVersion } from './get-post-version.ts'
import { listCategories } from './list-categories.ts'
import { listPostVersions } from './list-post-versions.ts'
import { listPosts } from './list-posts.ts'
import { listTags } from './list-tags.ts'
import { barPost, restorePost } from './moderate-post.ts'
import { previewMarkdown } from './preview-markdown.ts'
import { publishPost } from './publish-post.ts'
import { publishScheduledPost } from './publish-scheduled-post.job.ts'
import { renderOldPosts } from './render-old-posts.job.ts'
import { chooseRelatedPosts, createSeries, deleteSeries, getChosenPosts, listSeries, updateSeries } from './series.ts'
import type { PostServices } from './services.ts'
import { unschedulePost } from './unschedule-post.ts'
import { updatePost } from './update-post.ts'
import { withdrawPost } from './withdraw-post.ts'

export const postsRoom: Room<typeof postOperations, PostServices> = {
  handlers: {
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
  },
  jobs: [indexStalePosts, renderOldPosts, publishScheduledPost],
}
