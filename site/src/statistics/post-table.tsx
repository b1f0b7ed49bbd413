import type { Statistics } from '@pennypost/contract/statistics'
import { NumberHeading } from '../components/number-heading.tsx'
import { Name } from '../components/person-link.tsx'
import { Strip } from '../components/strip.tsx'
import { shareOf } from './share.ts'

/** The posts of the period, most readers first. Each leads to its own statistics. */
export function PostTable({ statistics: { posts, postCount } }: { readonly statistics: Statistics }) {
  const most = Math.max(...posts.map(({ readers }) => readers), 1)
  return (
    <div>
      <table class="figures posts-read">
        <thead>
          <tr>
            <th scope="col">Post</th>
            {['Readers', 'Paywall views', 'Sales', 'Conversion', 'Tips'].map((heading) => (
              <NumberHeading key={heading}>{heading}</NumberHeading>
            ))}
          </tr>
        </thead>
        <tbody>
          {posts.map(({ postId, title, readers, paywallViews, sales, tips }) => (
            <tr key={postId} data-item="">
              <th scope="row">
                <a href={`/studio/posts/${postId}/statistics`}>
                  <Name of={title} />
                </a>
                <Strip parts={[[(readers / most) * 100, 'mark']]} />
              </th>
              <Cell of="Readers">{readers}</Cell>
              <Cell of="Paywall views">{paywallViews}</Cell>
              <Cell of="Sales">{sales.count}</Cell>
              <Cell of="Conversion">{shareOf(sales.count, paywallViews) ?? '–'}</Cell>
              <Cell of="Tips">{tips.count}</Cell>
            </tr>
          ))}
        </tbody>
      </table>
      {postCount > posts.length && <p class="quiet">And {postCount - posts.length} more.</p>}
    </div>
  )
}

interface CellProps {
  /** Its heading again, for narrow windows, which have no room for columns. */
  readonly of: string
  readonly children: string | number
}

const Cell = ({ of, children }: CellProps) => (
  <td class="number" data-of={of}>
    {children}
  </td>
)
