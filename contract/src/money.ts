// Amounts are digit strings of the smallest unit on the wire, bigints in code, and never floating point. There are no
// schemas in this file, because pages in a browser load it too.

export type Asset = 'XNO' | 'USDC'

declare const unit: unique symbol
declare const part: unique symbol

/**
 * An amount in the smallest unit of its asset: raw for XNO, atomic units for USDC. The compiler refuses raw where atomic
 * units are expected. Arithmetic gives a plain bigint; `plus`, `minus` and `sumOf` keep the asset.
 */
export type Amount<A extends Asset = Asset> = bigint & { readonly [unit]: A }

/** The amount that a buyer pays. */
export type Gross<A extends Asset = Asset> = Amount<A> & { readonly [part]: 'gross' }
/** The part that this service keeps. */
export type Commission<A extends Asset = Asset> = Amount<A> & { readonly [part]: 'commission' }
/** The part that the author gets. */
export type Net<A extends Asset = Asset> = Amount<A> & { readonly [part]: 'net' }

/** A sale or tip in its parts: gross = commission + net. Made by `splitSale`, and read back by `storedSale`. */
export interface Sale<A extends Asset = Asset> {
  readonly gross: Gross<A>
  readonly commission: Commission<A>
  readonly net: Net<A>
}

/** 1 XNO = 10^30 raw; 1 USDC = 10^6 atomic units. */
export const decimalsOf: Readonly<Record<Asset, number>> = { XNO: 30, USDC: 6 }

/** The network an asset moves on, as x402 names it. */
export const networkOf = { XNO: 'nano:mainnet', USDC: 'eip155:8453' } as const satisfies Record<Asset, string>

/** The amount that digits of the smallest unit stand for, such as those of a row or a request. */
export const amountOf = <A extends Asset>(_asset: A, units: string | bigint): Amount<A> => BigInt(units) as Amount<A>

export const plus = <A extends Asset>(one: Amount<A>, other: Amount<NoInfer<A>>): Amount<A> =>
  (one + other) as Amount<A>

export const minus = <A extends Asset>(from: Amount<A>, taken: Amount<NoInfer<A>>): Amount<A> =>
  (from - taken) as Amount<A>

export const smallerOf = <A extends Asset>(one: Amount<A>, other: Amount<NoInfer<A>>): Amount<A> =>
  one < other ? one : (other as Amount<A>)

export const sumOf = <A extends Asset>(amounts: readonly Amount<A>[]): Amount<A> =>
  amounts.reduce<bigint>((sum, amount) => sum + amount, 0n) as Amount<A>

/**
 * Splits what a buyer pays into commission and what the author gets. This is the only division of a sale: the commission
 * is rounded down, and the author gets all the rest.
 */
export function splitSale<A extends Asset>(paid: Amount<A>, commissionBps: bigint): Sale<A> {
  const commission = (paid * commissionBps) / 10_000n
  return { gross: paid as Gross<A>, commission: commission as Commission<A>, net: (paid - commission) as Net<A> }
}

/** A sale as it was split when its price was quoted. */
export function storedSale<A extends Asset>(_asset: A, gross: string, commission: string): Sale<A> {
  const parts = { gross: BigInt(gross), commission: BigInt(commission) }
  return { gross: parts.gross, commission: parts.commission, net: parts.gross - parts.commission } as Sale<A>
}

/** About how much it is in whole units: good enough for a graph, and only for that. */
export const wholeUnits = (asset: Asset, amount: bigint | string): number => Number(amount) / 10 ** decimalsOf[asset]

/** The amount in whole units, exactly: no trailing zeros, nothing rounded. */
export function formatAmount<A extends Asset>(asset: A, amount: Amount<NoInfer<A>>): string {
  const decimals = decimalsOf[asset]
  const digits = amount.toString().padStart(decimals + 1, '0')
  const fraction = digits.slice(-decimals).replace(/0+$/, '')
  return digits.slice(0, -decimals) + (fraction && `.${fraction}`)
}

/**
 * The amount that a decimal text of whole units stands for. Undefined for anything else: too many decimals are refused,
 * never rounded.
 * @example parseAmount('XNO', '0.25') // 250000000000000000000000000000n
 */
export function parseAmount<A extends Asset>(asset: A, text: string): Amount<A> | undefined {
  const [, whole, fraction = ''] = /^(0|[1-9]\d{0,14})(?:\.(\d+))?$/.exec(text) ?? []
  const decimals = decimalsOf[asset]
  if (whole === undefined || fraction.length > decimals) return undefined
  return amountOf(asset, whole + fraction.padEnd(decimals, '0'))
}
