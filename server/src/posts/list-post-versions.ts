import type { listPostVersions as declared } from '@pennypost/contract/post-versions'
import { postNotFound } from '@pennypost/contract/posts'
import { refuse } from '../platform/http/refuse.ts'
import { findOwnPost } from './post-store.ts'
import { listVersions } from './post-version-store.ts'
import type { Handler } from './services.ts'

export const listPostVersions: Handler<typeof declared> = async ({ db }, { caller, params }) => {
  const { id } = (await findOwnPost(db, caller.accountId, params.postId)) ?? refuse(postNotFound)
  const versions = await listVersions(db, id)
  return {
    status: 200,
    body: {
      versions: versions.map(({ created_at, ...version }) => ({ ...version, createdAt: created_at.toISOString() })),
    },
  }
}
