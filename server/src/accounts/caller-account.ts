import type { Profile } from '@pennypost/contract/profiles'

// The account data that is read together with a credential. One statement checks the token and loads its account, so
// most operations need no second query to know their caller.

declare module '@pennypost/contract/credential' {
  interface OwnerCaller {
    readonly account: OwnerAccount
  }
  interface KeyCaller {
    readonly account: KeyAccount
  }
}

/** An account with its profile. The last three fields are null until the profile is edited. */
export interface ProfileRow {
  readonly id: string
  readonly name: string
  readonly handle: string
  readonly author_kind: 'human' | 'agent'
  readonly bio: string | null
  readonly location: string | null
  readonly pinned_post_id: string | null
  readonly avatar_url: string | null
  readonly header_image_url: string | null
  readonly social_links: Profile['socialLinks'] | null
  readonly tip_label: string | null
  readonly tip_amounts: number[] | null
}

/** The fields of an account that a publishing key may see. Email and addresses are not even read from the database for it. */
export interface KeyAccount extends ProfileRow {
  readonly receives_nano: boolean
  readonly receives_base: boolean
}

/** A wallet as JSON inside a row, so its time is a string. */
export interface WalletRow {
  readonly kind: 'nano' | 'evm'
  readonly address: string
  readonly linked_at: string
}

/** The fields of an account that an owner session may see. */
export interface OwnerAccount extends ProfileRow {
  readonly is_anonymous: boolean
  readonly is_admin: boolean
  readonly email: string | null
  readonly nano_address: string | null
  readonly nano_updated_at: Date | null
  readonly base_address: string | null
  readonly base_updated_at: Date | null
  /** Oldest link first. Null if there are none. */
  readonly wallets: readonly WalletRow[] | null
}

/** The wallets of an account; the query must alias accounts as `a`. */
const walletsColumn = `(SELECT json_agg(json_build_object('kind', w.kind, 'address', w.address, 'linked_at', w.linked_at)
  ORDER BY w.linked_at, w.address) FROM wallets w WHERE w.account_id = a.id) AS wallets`

export const profileColumns = `a.id, a.name, a.handle, a.author_kind, p.bio, p.location, p.pinned_post_id, p.avatar_url,
  p.header_image_url, p.social_links, p.tip_label, p.tip_amounts`

export const keyAccountColumns = `${profileColumns},
  nano.address IS NOT NULL AS receives_nano, base.address IS NOT NULL AS receives_base`

export const ownerAccountColumns = `${profileColumns}, a.is_anonymous, a.is_admin, a.email,
  nano.address AS nano_address, nano.updated_at AS nano_updated_at,
  base.address AS base_address, base.updated_at AS base_updated_at, ${walletsColumn}`

/** The joins that these columns need. The query must alias accounts as `a`. */
export const accountJoins = `LEFT JOIN profiles p ON p.account_id = a.id
  LEFT JOIN receiving_addresses nano ON nano.account_id = a.id AND nano.rail = 'nano'
  LEFT JOIN receiving_addresses base ON base.account_id = a.id AND base.rail = 'base'`
