import { PennypostError } from './errors.ts'

/** One page of a list. `next` has the parameters that the query of the next page changes; undefined at the end. */
export interface ListPage<Item> {
  readonly items: readonly Item[]
  readonly next: PagePosition | undefined
}

export interface PagePosition {
  readonly page?: number
  readonly offset?: number
  readonly cursor?: string
}

const maxEmptyPages = 100

/**
 * A list that is read page by page, while you iterate.
 * @example
 * for await (const post of pennypost.posts.list({ q: 'compilers' })) console.log(post.title)
 * const newest = await pennypost.posts.list({ sort: 'newest' }).take(10)
 */
export class List<Item> implements AsyncIterable<Item> {
  readonly #load: (position: PagePosition) => Promise<ListPage<Item>>

  constructor(load: (position: PagePosition) => Promise<ListPage<Item>>) {
    this.#load = load
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void> {
    for await (const page of this.pages()) yield* page
  }

  /** Yields the items of one request at a time. */
  async *pages(): AsyncGenerator<readonly Item[], void> {
    let position: PagePosition | undefined = {}
    let emptyPages = 0
    while (position !== undefined) {
      const { items, next }: ListPage<Item> = await this.#load(position)
      if (items.length > 0) yield items
      // A cursor that does not move would never end, and neither would one that only leads to empty pages.
      if (next?.cursor !== undefined && next.cursor === position.cursor) return
      emptyPages = items.length > 0 ? 0 : emptyPages + 1
      if (emptyPages > maxEmptyPages) {
        const detail = `The list has ${emptyPages} empty pages in a row, and says that there are more.`
        throw new PennypostError({ code: 'invalid-reply', detail })
      }
      position = next
    }
  }

  /** The first items, at most this many. */
  async take(count: number): Promise<Item[]> {
    const taken: Item[] = []
    if (count <= 0) return taken
    for await (const item of this) {
      taken.push(item)
      if (taken.length >= count) break
    }
    return taken
  }
}

type Query = Readonly<Record<string, unknown>> | undefined

/** A list with numbered pages. It ends with the last item, or with the last page that the service has. */
export const listByPage = <Item>(
  query: Query,
  load: (query: object) => Promise<{ items: readonly Item[]; total: number; perPage: number }>,
  lastPage = 1000,
): List<Item> =>
  new List(async (position) => {
    const page = position.page ?? Number(query?.page ?? 1)
    const { items, total, perPage } = await load({ ...query, page })
    const isEnd = items.length === 0 || page * perPage >= total || page >= lastPage
    return { items, next: isEnd ? undefined : { page: page + 1 } }
  })

export const listByCursor = <Item>(
  query: Query,
  load: (query: object) => Promise<{ items: readonly Item[]; nextCursor: string | null | undefined }>,
): List<Item> =>
  new List(async (position) => {
    const { items, nextCursor } = await load({ ...query, ...position })
    return { items, next: nextCursor ? { cursor: nextCursor } : undefined }
  })

export const listByOffset = <Item>(
  query: Query,
  load: (query: object) => Promise<{ items: readonly Item[]; total: number }>,
): List<Item> =>
  new List(async (position) => {
    const offset = position.offset ?? Number(query?.offset ?? 0)
    const { items, total } = await load({ ...query, offset })
    const next = offset + items.length
    return { items, next: items.length === 0 || next >= total ? undefined : { offset: next } }
  })
