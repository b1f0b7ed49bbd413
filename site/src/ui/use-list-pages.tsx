import { useState } from 'preact/hooks'
import { Button } from './button.tsx'

/** One page of a list, and where the next one starts; null on the last. */
export interface ListPage<Item> {
  readonly items: readonly Item[]
  readonly cursor: string | null
}

/** A list that is loaded in pages: its items so far, a button for more, and a function that starts again from the first page. */
export function useListPages<Item>(first: ListPage<Item>, load: (cursor?: string) => Promise<ListPage<Item>>) {
  const [{ items, cursor }, setPage] = useState(first)
  const loadMore = async () => {
    const next = await load(cursor!)
    setPage({ items: [...items, ...next.items], cursor: next.cursor })
  }
  return {
    items,
    show: setPage,
    reload: async () => setPage(await load()),
    more: cursor !== null && (
      <p>
        <Button action={loadMore}>More</Button>
      </p>
    ),
  }
}
