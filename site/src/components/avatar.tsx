import type { PublicAuthor } from '@pennypost/contract/discovery'
import { oneLine } from '../clean-text.ts'
import { pathOf } from '../path-of.ts'

interface AvatarProps {
  readonly person: Pick<PublicAuthor, 'name' | 'avatarUrl'>
  readonly size?: 'small' | 'large'
  /** More classes of the picture. */
  readonly class?: string
}

/** A person's picture, or the first letter of their name. It has no text alternative, because the name is always beside it. */
export const Avatar = ({ person: { name, avatarUrl }, size = 'small', class: more = '' }: AvatarProps) =>
  avatarUrl === null ? (
    <span class={`avatar ${size}`} aria-hidden="true">
      {[...oneLine(name)][0]?.toUpperCase()}
    </span>
  ) : (
    <img class={`avatar ${size} ${more}`.trim()} src={pathOf(avatarUrl)} alt="" loading="lazy" />
  )
