import { type Asset, amountOf, formatAmount } from '@pennypost/contract/money'
import { formatUsd } from '../components/price.tsx'

const maxDecimals = 6

interface AmountProps {
  readonly asset: Asset
  /** Null if it is not known. */
  readonly raw: string | null
}

/** An amount, shortened to six decimals. The exact one is in the title and in the CSV. */
export function Amount({ asset, raw }: AmountProps) {
  if (raw === null) return <span class="sum">unknown</span>
  const exact = formatAmount(asset, amountOf(asset, raw))
  const short = truncateAmount(exact)
  return (
    <span class="sum" title={short === exact ? undefined : `${exact} ${asset}`}>
      {short} {asset}
    </span>
  )
}

/** Truncates, never rounds up, so that we never show more than there is. */
export function truncateAmount(exact: string): string {
  const [whole, fraction = ''] = exact.split('.')
  return fraction.length <= maxDecimals ? exact : `${whole}.${fraction.slice(0, maxDecimals)}…`
}

export const railNames: Readonly<Record<Asset, string>> = { XNO: 'Nano', USDC: 'USDC' }
export const assets: readonly Asset[] = ['XNO', 'USDC']

/** The value of an amount in US dollars. Undefined without a rate, or if it is too small to show. */
export function inDollars(
  asset: Asset,
  raw: string,
  rates: Readonly<Record<Asset, string | null>>,
): string | undefined {
  const rate = rates[asset]
  if (rate === null) return undefined
  return formatUsd(String(Number(formatAmount(asset, amountOf(asset, raw))) * Number(rate)))
}
