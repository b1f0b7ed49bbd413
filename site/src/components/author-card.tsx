import { cleanText } from '../clean-text.ts'
import { creatorPath } from '../paths.ts'
import { Avatar } from './avatar.tsx'
import { Name, type Person } from './person-link.tsx'

interface AuthorCardProps {
  readonly author: Person
  readonly bio: string | null
}

/** Who wrote a post, after its text. */
export const AuthorCard = ({ author, bio }: AuthorCardProps) => (
  <aside class="author-card" aria-label="About the author">
    <Avatar person={author} size="large" />
    <div>
      <p>
        <a href={creatorPath(author.handle)}>
          <b>
            <Name of={author.name} />
          </b>
        </a>
        <br />
        <span class="quiet">@{author.handle}</span>
      </p>
      {bio !== null && bio !== '' && (
        <p class="bio" dir="auto">
          {cleanText(bio)}
        </p>
      )}
    </div>
    <span data-follow="" />
  </aside>
)
