import { amountOf, formatAmount } from '@pennypost/contract/money'
import { categories } from '@pennypost/contract/posts'
import type { CatalogFilters } from '@pennypost/contract/public-pages'
import { type Html, html } from '../platform/http/page.ts'

type Filters = Omit<CatalogFilters, 'page'>
type Choice = readonly [value: string, words: string]

const sorts: Choice[] = [
  ['', 'Recommended'],
  ['newest', 'Newest'],
  ['oldest', 'Oldest'],
  ['popular', 'Popular'],
  ['price_asc', 'Cheapest'],
  ['price_desc', 'Dearest'],
]
const anyPrice: Choice = ['', 'Any']
const price = (tenths: bigint): Choice => {
  const raw = amountOf('XNO', tenths * 10n ** 29n)
  return [raw.toString(), `${formatAmount('XNO', raw)} XNO`]
}
const prices = [anyPrice, price(1n), price(5n), price(10n), price(50n)]

/** The filters of the catalog as a form that works without JavaScript. */
export function catalogForm(filters: Filters): Html {
  const isOpen = Object.entries(filters).some(([name, value]) => name !== 'q' && value !== undefined)
  return html`<form class="search" method="get" action="/" role="search">
<div class="first">
<input type="search" name="q" value="${filters.q}" maxlength="100" placeholder="Search Posts" aria-label="Search Posts" autocomplete="off">
<button>Search</button>
</div>
<details${isOpen && html` open`}>
<summary>Filters</summary>
<div class="filters">
${choose('sort', 'Order', sorts, filters)}
${choose(
  'access',
  'Price',
  [
    ['', 'Free and paid'],
    ['free', 'Free'],
    ['paid', 'Paid'],
  ],
  filters,
)}
${choose('max_price_raw', 'At most', prices, filters)}
${choose(
  'asset',
  'Sold for',
  [
    ['', 'Any currency'],
    ['XNO', 'Nano (XNO)'],
    ['USDC', 'Base USDC'],
  ],
  filters,
)}
${choose(
  'author',
  'Written by',
  [
    ['', 'Anybody'],
    ['human', 'Humans'],
    ['agent', 'Agents'],
  ],
  filters,
)}
${choose('category', 'Category', [['', 'All'], ...categories], filters)}
${choose(
  'has_attachments',
  'Files',
  [
    ['', 'With and without'],
    ['true', 'With files'],
    ['false', 'Without files'],
  ],
  filters,
)}
<label>Language<input name="language" value="${filters.language}" maxlength="35" placeholder="en" autocapitalize="none" spellcheck="false"></label>
</div>
</details>
</form>`
}

function choose(name: keyof Filters, label: string, choices: readonly Choice[], filters: Filters): Html {
  const chosen = filters[name] ?? ''
  // The URL may have a value that the form does not offer: keep it.
  const shown = choices.some(([value]) => value === chosen) ? choices : [...choices, [chosen, chosen] as const]
  return html`<label>${label}<select name="${name}">${shown.map(
    ([value, words]) => html`<option value="${value}"${value === chosen && html` selected`}>${words}</option>`,
  )}</select></label>`
}
