import { type getPostVersion as declared, versionNotFound } from '@pennypost/contract/post-versions'
import { postNotFound } from '@pennypost/contract/posts'
import { refuse } from '../platform/http/refuse.ts'
import { findOwnPost } from './post-store.ts'
import { findVersion } from './post-version-store.ts'
import { readWriters } from './post-writers.ts'
import type { Handler } from './services.ts'

export const getPostVersion: Handler<typeof declared> = async ({ db, clock }, { caller, params }) => {
  const { id: postId } = (await findOwnPost(db, caller.accountId, params.postId)) ?? refuse(postNotFound)
  const version = (await findVersion(db, postId, params.versionId)) ?? refuse(versionNotFound)
  const { id, kind, title, description, free_markdown, paid_markdown, created_at } = version
  const writerOf = await readWriters(db, caller.accountId, [version], clock.now())
  return {
    status: 200,
    body: {
      id,
      kind,
      title,
      description,
      freeContentMarkdown: free_markdown,
      paidContentMarkdown: paid_markdown,
      characters: [...free_markdown].length + [...paid_markdown].length,
      createdAt: created_at.toISOString(),
      writtenByKey: writerOf(version),
    },
  }
}
