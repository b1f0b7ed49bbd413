interface PagerProps {
  readonly page: number
  readonly hasMore: boolean
  readonly pathOf: (page: number) => string
}

/** Links to the previous and the next page. */
export const Pager = ({ page, hasMore, pathOf }: PagerProps) =>
  (page > 1 || hasMore) && (
    <nav class="pager" aria-label="Pages">
      {page > 1 && (
        <a rel="prev" href={pathOf(page - 1)}>
          Previous page
        </a>
      )}
      <span class="quiet">Page {page}</span>
      {hasMore && (
        <a rel="next" href={pathOf(page + 1)}>
          Next page
        </a>
      )}
    </nav>
  )
