import { type suggestSearches as declared, maxSuggestions } from '@pennypost/contract/search-suggestions'
import { canonicalPostPath, tagPath } from '@pennypost/site/paths'
import { contentUrl } from '../posts/post-view.ts'
import type { Handler } from './services.ts'
import { findSuggestions } from './suggestion-store.ts'

export const suggestSearches: Handler<typeof declared> = async ({ searchPool }, { query, origin }) => {
  const found = await findSuggestions(searchPool, query.q, maxSuggestions)
  return {
    status: 200,
    body: {
      posts: found
        .filter(({ kind }) => kind === 'post')
        .map(({ id, label, handle, slug }) => ({
          id,
          title: label,
          url: contentUrl(origin, id),
          pageUrl: origin + canonicalPostPath({ id, handle: handle!, slug: slug! }),
        })),
      creators: found
        .filter(({ kind }) => kind === 'creator')
        .map(({ id, label, handle, avatar_url }) => ({
          id,
          handle: handle!,
          name: label,
          avatarUrl: avatar_url && origin + avatar_url,
        })),
      tags: found
        .filter(({ kind }) => kind === 'tag')
        .map(({ id, label, slug }) => ({ id, name: label, slug: slug!, url: origin + tagPath(slug!) })),
    },
  }
}
