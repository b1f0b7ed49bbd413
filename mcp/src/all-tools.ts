import type { Tool } from './tool.ts'
import { earnings, whoami } from './tools/account.ts'
import { buyPost, buyPostLocally } from './tools/buy-post.ts'
import { comment, follow, notifications, react } from './tools/discussion.ts'
import { library } from './tools/library.ts'
import { quotePost } from './tools/quote-post.ts'
import { readPost } from './tools/read-post.ts'
import { searchPosts } from './tools/search-posts.ts'
import { sendTip, sendTipLocally } from './tools/tip.ts'
import { attachLocalZip, attachZip, uploadImage, uploadLocalImage } from './tools/uploads.ts'
import { listMyPosts, preview, publish, saveDraft, unpublish } from './tools/writing.ts'

const all: readonly Tool[] = [
  searchPosts,
  readPost,
  quotePost,
  buyPost,
  buyPostLocally,
  sendTip,
  sendTipLocally,
  library,
  comment,
  react,
  follow,
  notifications,
  saveDraft,
  preview,
  publish,
  unpublish,
  uploadImage,
  uploadLocalImage,
  attachZip,
  attachLocalZip,
  listMyPosts,
  earnings,
  whoami,
]

/** The tools of the hosted server, or of a server on the user's machine. Both have the same names. */
export const toolsOf = (place: 'hosted' | 'local'): readonly Tool[] =>
  all.filter((tool) => tool.place === undefined || tool.place === place)
