import type { listTags as declared } from '@pennypost/contract/posts'
import type { Handler } from './services.ts'
import { listOwnTags } from './tag-store.ts'

export const listTags: Handler<typeof declared> = async ({ db }, { caller }) => ({
  status: 200,
  body: {
    tags: (await listOwnTags(db, caller.accountId)).map(({ id, name, slug, post_count }) => ({
      id,
      name,
      slug,
      postCount: post_count,
    })),
  },
})
