import type { Profile } from '@pennypost/contract/profiles'

// What a credential's check reads about the account beside the credential itself: one statement answers both whether a
// token is good and whose it is, so that most operations need no second one to know their caller.

declare module '@pennypost/contract/credential' {
  interface OwnerCaller {
    readonly account: OwnerAccount
  }
  interface KeyCaller {
    readonly account: KeyAccount
  }
}

/** An account with what it says about itself; the last three are null until it says something. */
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

/** §5.2: what a Publishing key may know. Neither email nor addresses are even read for it. */
export interface KeyAccount extends ProfileRow {
  readonly receives_nano: boolean
  readonly receives_base: boolean
}

/** A wallet as JSON within a row: its time is text. */
export interface WalletRow {
  readonly kind: 'nano' | 'evm'
  readonly address: string
  readonly linked_at: string
}

/** What an owner session may know. */
export interface OwnerAccount extends ProfileRow {
  readonly is_anonymous: boolean
  readonly is_admin: boolean
  readonly email: string | null
  readonly nano_address: string | null
  readonly nano_updated_at: Date | null
  readonly base_address: string | null
  readonly base_updated_at: Date | null
  /** Those linked first stand first; null for none. */
  readonly wallets: readonly WalletRow[] | null
}

/** Of accounts `a`. */
const walletsColumn = `(SELECT json_agg(json_build_object('kind', w.kind, 'address', w.address, 'linked_at', w.linked_at)
  ORDER BY w.linked_at, w.address) FROM wallets w WHERE w.account_id = a.id) AS wallets`

export const profileColumns = `a.id, a.name, a.handle, a.author_kind, p.bio, p.location, p.pinned_post_id, p.avatar_url,
  p.header_image_url, p.social_links, p.tip_label, p.tip_amounts`

export const keyAccountColumns = `${profileColumns},
  nano.address IS NOT NULL AS receives_nano, base.address IS NOT NULL AS receives_base`

export const ownerAccountColumns = `${profileColumns}, a.is_anonymous, a.is_admin, a.email,
  nano.address AS nano_address, nano.updated_at AS nano_updated_at,
  base.address AS base_address, base.updated_at AS base_updated_at, ${walletsColumn}`

/** Joins what those columns need to accounts `a`. */
export const accountJoins = `LEFT JOIN profiles p ON p.account_id = a.id
  LEFT JOIN receiving_addresses nano ON nano.account_id = a.id AND nano.rail = 'nano'
  LEFT JOIN receiving_addresses base ON base.account_id = a.id AND base.rail = 'base'`
