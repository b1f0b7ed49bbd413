import {
  type showPost as declared,
  type getPostMarkdown as declaredTwin,
  postPageNotFound,
} from '@pennypost/contract/site'
import { disclosureHeader } from '../discovery/ai-disclosure.ts'
import { findPublicPost } from '../discovery/public-post-store.ts'
import { wish } from '../platform/http/accept.ts'
import { etagOf } from '../platform/http/conditional.ts'
import { refuse } from '../platform/http/refuse.ts'
import type { Handler, Services } from '../services.ts'
import { postMarkdown } from './post-markdown.ts'
import { postPage } from './post-page.ts'

export const showPost: Handler<typeof declared> = async (services, { params, headers, origin }) => {
  const post = await publicPost(services, params.postId)
  const reply = prefersMarkdown(headers.accept) ? twin(post, origin) : postPage(services, post, origin)
  return { ...reply, headers: { ...reply.headers, ...disclosureHeader(post.creation_method), vary: 'Accept' } }
}

export const getPostMarkdown: Handler<typeof declaredTwin> = async (services, { params, origin }) => {
  const post = await publicPost(services, params.postId)
  const reply = twin(post, origin)
  return { ...reply, headers: { ...reply.headers, ...disclosureHeader(post.creation_method) } }
}

const publicPost = async ({ pool }: Services, postId: string) =>
  (await findPublicPost(pool, postId)) ?? refuse(postPageNotFound)

function twin(post: Parameters<typeof postMarkdown>[0], origin: string) {
  const body = postMarkdown(post, origin)
  const canonical = `<${origin}/posts/${post.id}>; rel="canonical"`
  return {
    status: 200,
    headers: { 'content-type': 'text/markdown; charset=utf-8', link: canonical, etag: etagOf(body) },
    body,
  } as const
}

/** Only for those who name it. No browser does, and programs that name both in one breath want the plainer one. */
export function prefersMarkdown(accept: string | undefined): boolean {
  const markdown = wish(accept, 'text/markdown')
  return markdown.isNamed && markdown.quality > 0 && markdown.quality >= wish(accept, 'text/html').quality
}
