import type { Person } from '@pennypost/site/components/person-link'

interface PersonColumns {
  readonly handle: string
  readonly name: string
  readonly avatar_url: string | null
  readonly author_kind: 'human' | 'agent'
}

/** A person as pages show them. Pages are the same on every origin, so the avatar stays a path. */
export const personOf = ({ handle, name, avatar_url, author_kind }: PersonColumns): Person => ({
  handle,
  name,
  avatarUrl: avatar_url,
  authorKind: author_kind,
})
