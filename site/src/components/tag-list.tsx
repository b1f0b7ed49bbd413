import { collectionPath } from '../paths.ts'
import { Name } from './person-link.tsx'

export interface TagListProps {
  readonly handle: string
  readonly tags: readonly { readonly name: string; readonly slug: string }[]
}

export const TagList = ({ handle, tags }: TagListProps) =>
  tags.length > 0 && (
    <ul class="tags" aria-label="Tags" lang="en">
      {tags.map(({ name, slug }) => (
        <li key={slug}>
          <a class="p-category" rel="tag" href={collectionPath(handle, slug)}>
            <Name of={name} />
          </a>
        </li>
      ))}
    </ul>
  )
