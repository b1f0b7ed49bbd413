import type { PublicAuthor } from '@pennypost/contract/discovery'

/** The public data of an account. */
export interface PersonRow {
  readonly person_id: string
  readonly handle: string
  readonly name: string
  readonly author_kind: 'human' | 'agent'
  readonly avatar_url: string | null
}

/** The columns of a `PersonRow`. The query needs `personJoin` or `maybePersonJoin`. */
export const personColumns =
  'person.id AS person_id, person.handle, person.name, person.author_kind, profile.avatar_url'

export const personJoin = (accountId: string): string =>
  `JOIN accounts person ON person.id = ${accountId} LEFT JOIN profiles profile ON profile.account_id = person.id`

/** A person who may not have an account, such as a reader who paid with a wallet. Every column is null then. */
export type MaybePersonRow = { readonly [Column in keyof PersonRow]: PersonRow[Column] | null }

export const maybePersonJoin = (accountId: string): string => `LEFT ${personJoin(accountId)}`

export const maybePersonView = (row: MaybePersonRow, origin: string): PublicAuthor | null =>
  row.person_id === null ? null : personView(row as PersonRow, origin)

/** Adds the origin to the avatar, which is stored as a path because the service can run on more than one origin. */
export const personView = (row: PersonRow, origin: string): PublicAuthor => ({
  id: row.person_id,
  handle: row.handle,
  name: row.name,
  avatarUrl: row.avatar_url && origin + row.avatar_url,
  authorKind: row.author_kind,
})
