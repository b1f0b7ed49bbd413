import type { discoveryOperations } from '@pennypost/contract/discovery-operations'
import type { Room } from '../platform/room.ts'
import { addBookmark, getBookmark, removeBookmark } from './bookmarks.ts'
import { getLeaderboard } from './get-leaderboard.ts'
import { getPublicPost } from './get-public-post.ts'
import { getX402Manifest } from './get-x402-manifest.ts'
import { listBookmarks } from './list-bookmarks.ts'
import { listFollowedPosts } from './list-followed-posts.ts'
import { listPaidPosts } from './list-paid-posts.ts'
import { listPublicPosts } from './list-public-posts.ts'
import { listRelatedPosts } from './list-related-posts.ts'
import { listTagPosts } from './list-tag-posts.ts'
import type { DiscoveryServices } from './services.ts'
import { suggestSearches } from './suggest-searches.ts'

export const discoveryRoom: Room<typeof discoveryOperations, DiscoveryServices> = {
  handlers: {
    listPublicPosts,
    getPublicPost,
    listTagPosts,
    listRelatedPosts,
    listPaidPosts,
    getX402Manifest,
    getX402ManifestFile: getX402Manifest,
    getLeaderboard,
    suggestSearches,
    listFollowedPosts,
    getBookmark,
    addBookmark,
    removeBookmark,
    listBookmarks,
  },
  jobs: [],
}
