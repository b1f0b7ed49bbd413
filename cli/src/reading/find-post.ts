import type { Pennypost } from '@pennypost/sdk'
import { CliError, usageError } from '../frame/cli-error.ts'
import type { Shell } from '../frame/command.ts'
import type { Client } from '../profile/client.ts'

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i
const searched = 100

/** The argument of commands about someone's post. */
export const postArgument = { name: 'POST', summary: 'the id of a post, or the address of its page' } as const

/** The id of a post that was given by its id or the address of its page. */
export async function findPostId(shell: Shell, { pennypost, profile }: Client, given: string): Promise<string> {
  if (new RegExp(`^${uuid.source}$`, 'i').test(given)) return given.toLowerCase()
  if (!URL.canParse(given)) throw usageError(`${given} is not the id or the address of a post.`)
  const { origin, pathname } = new URL(given)
  if (origin !== profile.url)
    throw usageError(`This post is on another service. Add --url ${origin}`, `Without it, ${profile.url} is used.`)
  const [id] = uuid.exec(pathname) ?? []
  return id?.toLowerCase() ?? findByPath(shell, pennypost, pathname)
}

/** Pages have the words of the title in their address, so a search finds the post. */
async function findByPath({ signal }: Shell, pennypost: Pennypost, pathname: string): Promise<string> {
  const path = decodeURI(pathname).replace(/\/$/, '')
  const [, slug] = /^\/@[^/]+\/([^/]+)$/.exec(path) ?? []
  if (slug === undefined) throw usageError('This is not the address of a post.')
  const q = slug.replaceAll('-', ' ').slice(0, 100)
  const found = await pennypost.posts.list({ q }, { signal }).take(searched)
  const post = found.find(({ pageUrl }) => decodeURI(new URL(pageUrl).pathname) === path)
  if (post === undefined)
    throw new CliError(
      'refused',
      'post-not-found',
      'No post was found at this address. Use its id: /posts/ID also works.',
    )
  return post.id
}
