import type { Children } from '../jsx/markup.ts'

/** The heading of a column of numbers. */
export const NumberHeading = ({ children }: { readonly children: Children }) => (
  <th scope="col" class="number">
    {children}
  </th>
)
