import { addBookmark, getBookmark, listBookmarks, removeBookmark } from './bookmarks.ts'
import {
  getLeaderboard,
  getPublicPost,
  getX402Manifest,
  getX402ManifestFile,
  listPaidPosts,
  listPublicPosts,
  listRelatedPosts,
  listTagPosts,
} from './discovery.ts'
import { listFollowedPosts } from './followed-posts.ts'
import { suggestSearches } from './search-suggestions.ts'

/** Finding posts: the catalog, search, tags, related posts, bookmarks, the x402 manifest and leaderboards. */
export const discoveryOperations = {
  listPublicPosts,
  getPublicPost,
  listTagPosts,
  listRelatedPosts,
  listPaidPosts,
  getX402Manifest,
  getX402ManifestFile,
  getLeaderboard,
  suggestSearches,
  listFollowedPosts,
  getBookmark,
  addBookmark,
  removeBookmark,
  listBookmarks,
}
