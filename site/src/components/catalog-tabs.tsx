import { catalogPath, type Filters } from '../paths.ts'
import { Tabs } from './tabs.tsx'

type Sort = readonly [value: string | undefined, label: string]

const sorts: readonly Sort[] = [
  [undefined, 'Recommended'],
  ['newest', 'New'],
  ['popular', 'Popular'],
]
/** More orders, which are useful for lists that are short enough to read through. */
const moreSorts: readonly Sort[] = [
  ['oldest', 'Oldest'],
  ['price_asc', 'Cheapest'],
  ['price_desc', 'Most expensive'],
]

interface CatalogTabsProps {
  readonly filters: Filters
  readonly isFiltered: boolean
  /** True on the page of followed authors, which is a tab beside the orders. */
  readonly isFollowing?: boolean
}

/** The orders of the catalog as links, which keep the filters. */
export function CatalogTabs({ filters, isFiltered, isFollowing = false }: CatalogTabsProps) {
  const current = filters.sort === 'recommended' ? undefined : filters.sort
  const showsAll = isFiltered || moreSorts.some(([sort]) => sort === current)
  const tabs = (showsAll ? [...sorts, ...moreSorts] : sorts).map(([sort, label]) => ({
    href: catalogPath({ ...filters, sort }),
    label: sort === undefined && filters.q ? 'Best match' : label,
    isCurrent: sort === current && !isFollowing,
  }))
  // Posts of followed authors have no filters.
  if (!isFiltered) tabs.splice(sorts.length, 0, { href: '/following', label: 'Following', isCurrent: isFollowing })
  return <Tabs label="Order" tabs={tabs} />
}
