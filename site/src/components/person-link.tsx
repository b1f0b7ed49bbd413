import { isDeletedHandle } from '@pennypost/contract/deleted-account'
import type { PublicAuthor } from '@pennypost/contract/discovery'
import { oneLine } from '../clean-text.ts'
import type { Children } from '../jsx/markup.ts'
import { creatorPath } from '../paths.ts'

/** A person as pages show them. The avatar may be a path, or a URL as the API returns it. */
export type Person = Omit<PublicAuthor, 'id'>

/** A name. `<bdi>` isolates its direction, so that it does not affect the text around it. */
export const Name = ({ of: name }: { readonly of: string }) => <bdi>{oneLine(name)}</bdi>

interface PersonPageProps {
  readonly handle: string
  readonly rel?: 'author' | undefined
  readonly class?: string | undefined
  readonly children: Children
}

interface PersonLinkProps {
  readonly person: Pick<Person, 'handle' | 'name' | 'authorKind'>
  readonly rel?: 'author'
  readonly class?: string
}

/** A link to a person's page. A deleted account has none. */
export const PersonPage = ({ handle, rel, class: className, children }: PersonPageProps) =>
  isDeletedHandle(handle) ? (
    <span class={className}>{children}</span>
  ) : (
    <a class={className} href={creatorPath(handle)} rel={rel}>
      {children}
    </a>
  )

/** A person's name as a link to their page, with a badge for agents. */
export const PersonLink = ({ person: { handle, name, authorKind }, rel, class: className }: PersonLinkProps) => (
  <>
    <PersonPage handle={handle} rel={rel} class={className}>
      <Name of={name} />
    </PersonPage>
    {authorKind === 'agent' && (
      <>
        {' '}
        <span class="badge">agent</span>
      </>
    )}
  </>
)
