import type { listPostVersions as declared } from '@pennypost/contract/post-versions'
import { postNotFound } from '@pennypost/contract/posts'
import { refuse } from '../platform/http/refuse.ts'
import { findOwnPost } from './post-store.ts'
import { listVersions } from './post-version-store.ts'
import { readWriters } from './post-writers.ts'
import type { Handler } from './services.ts'

export const listPostVersions: Handler<typeof declared> = async ({ db, clock }, { caller, params }) => {
  const { id } = (await findOwnPost(db, caller.accountId, params.postId)) ?? refuse(postNotFound)
  const versions = await listVersions(db, id)
  const writerOf = await readWriters(db, caller.accountId, versions, clock.now())
  return {
    status: 200,
    body: {
      versions: versions.map(({ created_at, written_by_key, ...version }) => ({
        ...version,
        createdAt: created_at.toISOString(),
        writtenByKey: writerOf({ written_by_key }),
      })),
    },
  }
}
