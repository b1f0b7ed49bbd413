import { type Asset, amountOf, type PaymentOffer, type PublicAuthor } from '@pennypost/sdk'
import { z } from 'zod'

// Fields that several tools share. Descriptions are short: every agent pays for them with its context.

/** The pattern keeps an id from leading to another path: `..` is not an id. */
export const Id = z.string().regex(/^[0-9a-fA-F-]{36}$/)
export const AssetName = z.enum(['XNO', 'USDC'])
export const Amount = z.string().regex(/^\d{1,12}(\.\d{1,30})?$/)
/** In whole coins. */
export const Money = z.strictObject({ amount: Amount, asset: AssetName })
export const Page = z.number().int().min(1).max(1000).optional()
export const pageSize = (most: number) => z.number().int().min(1).max(most).optional()
export const RequestId = z
  .string()
  .regex(/^[\x21-\x7e]{1,100}$/)
  .optional()
  .describe('The same id again does it once.')

/** The notice that precedes other people's words in structured content. */
export const Notice = z.string()

export const Author = z.object({ id: z.string(), handle: z.string(), name: z.string(), kind: z.string() })
export const authorOf = ({ id, handle, name, authorKind }: PublicAuthor) => ({ id, handle, name, kind: authorKind })

export const Prices = z.array(z.object({ asset: AssetName, amount: z.string() }))
/** The prices at which a post can be bought now. Empty if it is free. */
export const pricesOf = (offers: readonly PaymentOffer[]) =>
  offers.flatMap(({ asset, amount, status }) => (status === 'ready' && amount !== null ? [{ asset, amount }] : []))

export const wholeCoins = (asset: Asset, units: string | null): string | null =>
  units === null ? null : amountOf(asset, units)
