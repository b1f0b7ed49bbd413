import { createHash } from 'node:crypto'
import type { Post, Store } from '@pennypost/sdk'
import type { LocalPost } from './local-post.ts'
import { contentHash } from './post-fields.ts'
import { setFacts } from './set-facts.ts'

// Remembers what a post and its file contained at the last push or pull. This distinguishes a post that was only published
// or scheduled since, which changes its revision, from one that was edited elsewhere, and an unchanged file from one with
// new work in it.

interface Snapshot {
  readonly revision: string
  readonly hash: string
}

const postKey = (postId: string): string => `post ${postId.toLowerCase()}`
const fileKey = (path: string): string => `file ${path}`

export async function rememberContent(store: Store, post: Post): Promise<void> {
  const known: Snapshot = { revision: post.updatedAt, hash: contentHash(post) }
  await store.set(postKey(post.id), JSON.stringify(known))
}

/** Whether a file with this revision was made of what the post contains now. */
export async function hasSeen(store: Store, revision: string | undefined, post: Post): Promise<boolean> {
  if (revision === post.updatedAt) return true
  const text = await store.get(postKey(post.id))
  const known = text === undefined ? undefined : (JSON.parse(text) as Snapshot)
  return known !== undefined && known.revision === revision && known.hash === contentHash(post)
}

export const rememberFile = async (store: Store, local: LocalPost): Promise<void> =>
  store.set(fileKey(local.path), fileHash(local))

/** Whether a file is what it was after its last push or pull. */
export const isUnedited = async (store: Store, local: LocalPost): Promise<boolean> =>
  (await store.get(fileKey(local.path))) === fileHash(local)

/** Ignores what we write into the file ourselves. */
const fileHash = ({ file, paid }: LocalPost): string =>
  createHash('sha256')
    .update(JSON.stringify([setFacts(file, { id: '', revision: '' }), paid ?? null]))
    .digest('hex')
