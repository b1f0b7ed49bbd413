import type { PublicAuthor } from '@pennypost/contract/discovery'
import { oneLine } from '../clean-text.ts'
import { creatorPath } from '../paths.ts'

/** A person as pages show them. The avatar may be a path, or a URL as the API returns it. */
export type Person = Omit<PublicAuthor, 'id'>

/** A name. `<bdi>` isolates its direction, so that it does not affect the text around it. */
export const Name = ({ of: name }: { readonly of: string }) => <bdi>{oneLine(name)}</bdi>

interface PersonLinkProps {
  readonly person: Pick<Person, 'handle' | 'name' | 'authorKind'>
  readonly rel?: 'author'
}

/** A person's name as a link to their page, with a badge for agents. */
export const PersonLink = ({ person: { handle, name, authorKind }, rel }: PersonLinkProps) => (
  <>
    <a href={creatorPath(handle)} rel={rel}>
      <Name of={name} />
    </a>
    {authorKind === 'agent' && (
      <>
        {' '}
        <span class="badge">agent</span>
      </>
    )}
  </>
)
