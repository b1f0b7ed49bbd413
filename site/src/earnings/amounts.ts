import { type Asset, amountOf, formatAmount } from '@pennypost/contract/money'
import { h } from '../dom.ts'

const maxDecimals = 6

/** An amount that fits its place: what does not is in the title, and in the table to download. */
export function amountElement(asset: Asset, raw: string | null): HTMLElement {
  if (raw === null) return h('span', { class: 'sum' }, 'unknown')
  const exact = formatAmount(asset, amountOf(asset, raw))
  const words = truncateAmount(exact)
  return h('span', { class: 'sum', title: words === exact ? undefined : `${exact} ${asset}` }, `${words} ${asset}`)
}

/** Cut, never rounded up: nobody is told of more than they have. */
export function truncateAmount(exact: string): string {
  const [whole, fraction = ''] = exact.split('.')
  return fraction.length <= maxDecimals ? exact : `${whole}.${fraction.slice(0, maxDecimals)}…`
}

export const railNames: Readonly<Record<Asset, string>> = { XNO: 'Nano', USDC: 'USDC' }
export const assets: readonly Asset[] = ['XNO', 'USDC']
