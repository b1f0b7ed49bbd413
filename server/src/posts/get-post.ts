import type { getPost as declared } from '@pennypost/contract/posts'
import { readOwnPost } from './read-own-post.ts'
import type { Handler } from './services.ts'

export const getPost: Handler<typeof declared> = async (services, { caller, params, origin }) => ({
  status: 200,
  body: await readOwnPost(services, caller.accountId, params.postId, origin),
})
