import { type Asset, amountOf, formatAmount } from '@pennypost/contract/money'
import { h } from '../dom.ts'

const maxDecimals = 6

/** An amount, shortened to six decimals. The exact one is in the title and in the CSV. */
export function amountElement(asset: Asset, raw: string | null): HTMLElement {
  if (raw === null) return h('span', { class: 'sum' }, 'unknown')
  const exact = formatAmount(asset, amountOf(asset, raw))
  const short = truncateAmount(exact)
  return h('span', { class: 'sum', title: short === exact ? undefined : `${exact} ${asset}` }, `${short} ${asset}`)
}

/** Truncates, never rounds up, so that we never show more than there is. */
export function truncateAmount(exact: string): string {
  const [whole, fraction = ''] = exact.split('.')
  return fraction.length <= maxDecimals ? exact : `${whole}.${fraction.slice(0, maxDecimals)}…`
}

export const railNames: Readonly<Record<Asset, string>> = { XNO: 'Nano', USDC: 'USDC' }
export const assets: readonly Asset[] = ['XNO', 'USDC']
