import { categories } from '@pennypost/contract/categories'
import { amountOf, formatAmount } from '@pennypost/contract/money'
import type { Filters } from '../paths.ts'

type Choice = readonly [value: string, label: string]

const access: readonly Choice[] = [
  ['', 'Free and paid'],
  ['free', 'Free'],
  ['paid', 'Paid'],
]
const price = (tenths: bigint): Choice => {
  const raw = amountOf('XNO', tenths * 10n ** 29n)
  return [raw.toString(), `${formatAmount('XNO', raw)} XNO`]
}
const prices: readonly Choice[] = [['', 'Any'], price(1n), price(5n), price(10n), price(50n)]
const assets: readonly Choice[] = [
  ['', 'Any currency'],
  ['XNO', 'Nano (XNO)'],
  ['USDC', 'Base USDC'],
]
const authors: readonly Choice[] = [
  ['', 'Anyone'],
  ['human', 'Humans'],
  ['agent', 'Agents'],
]
const files: readonly Choice[] = [
  ['', 'With and without'],
  ['true', 'With files'],
  ['false', 'Without files'],
]

/** The filters of the catalog as a form that works without JavaScript. With it, a filter applies when it is chosen. */
export function CatalogForm({ filters }: { readonly filters: Filters }) {
  const isOpen = Object.entries(filters).some(([name, value]) => !/^(q|sort)$/.test(name) && value !== undefined)
  return (
    <form class="search" method="get" action="/" role="search">
      <div class="first">
        <input
          id="search"
          type="search"
          name="q"
          value={filters.q}
          maxlength={100}
          placeholder="Search posts"
          aria-label="Search posts"
          autocomplete="off"
        />
        <button type="submit">Search</button>
      </div>
      <div class="suggestions" data-suggestions="" />
      {filters.sort !== undefined && <input type="hidden" name="sort" value={filters.sort} />}
      <details open={isOpen}>
        <summary>Filters</summary>
        <div class="filters" data-filters="">
          <Select name="access" label="Price" choices={access} filters={filters} />
          <Select name="max_price_raw" label="Max price" choices={prices} filters={filters} />
          <Select name="asset" label="Accepts" choices={assets} filters={filters} />
          <Select name="author" label="Written by" choices={authors} filters={filters} />
          <Select name="category" label="Category" choices={[['', 'All'], ...categories]} filters={filters} />
          <Select name="has_attachments" label="Files" choices={files} filters={filters} />
          <label>
            Language
            <input
              name="language"
              value={filters.language}
              maxlength={35}
              placeholder="en"
              autocapitalize="none"
              spellcheck={false}
            />
          </label>
        </div>
        <button type="submit" class="small without-script">
          Apply filters
        </button>
      </details>
    </form>
  )
}

interface SelectProps {
  readonly name: keyof Filters
  readonly label: string
  readonly choices: readonly Choice[]
  readonly filters: Filters
}

function Select({ name, label, choices, filters }: SelectProps) {
  const chosen = filters[name] ?? ''
  // The URL may have a value that the form does not offer: keep it.
  const shown = choices.some(([value]) => value === chosen) ? choices : [...choices, [chosen, chosen] as const]
  return (
    <label>
      {label}
      <select name={name}>
        {shown.map(([value, text]) => (
          <option key={value} value={value} selected={value === chosen}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}
