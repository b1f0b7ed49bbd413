import { getMe } from '@pennypost/contract/me'
import { listPosts, type Post } from '@pennypost/contract/posts'
import { callApi } from '../call-api.ts'
import type { Change } from './change.ts'
import type { Draft } from './draft.ts'
import { browserLanguage } from './language-choices.ts'
import { withChange } from './local-copy.ts'

/** Values with which the publish drawer starts. */
export interface PublicationPresets {
  /** The post when the drawer was opened, with presets for what was not chosen yet. */
  readonly first: Post
  readonly suggestion: { readonly name: string; readonly handle: string }
}

/** Presets what the author's last post and the browser know, and reports it as a change. */
export async function presetPublication(draft: Draft, onChange: (change: Change) => void): Promise<PublicationPresets> {
  const [me, { data }] = await Promise.all([
    callApi(getMe, {}),
    callApi(listPosts, { query: { page: '1', per_page: '2' } }),
  ])
  const post = withChange(draft.post, draft.unsaved)
  const last = data.find(({ id }) => id !== post.id)
  const preset: Change = {
    ...(post.language === null && { language: last?.language ?? browserLanguage() }),
    ...(post.category === null && last && { category: last.category }),
    ...(post.creationMethod === null && last && { creationMethod: last.creationMethod }),
  }
  if (Object.values(preset).some((value) => value !== null)) onChange(preset)
  return { first: withChange(post, preset), suggestion: suggestProfile(me.email ?? '') }
}

/** A name and a handle from an email address: most people have theirs in it. */
function suggestProfile(email: string) {
  const words = email
    .split('@')[0]!
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
  const handle = words.join('_').replaceAll(/\W/g, '').slice(0, 30)
  return {
    name: words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join(' '),
    handle: handle.length >= 4 ? handle : '',
  }
}
