import { z } from 'zod'

export { type Asset, decimalsOf, formatAmount, networkOf, parseAmount } from './amount.ts'

/** An amount in raw or atomic units: digits without a sign or leading zeros, at most 39 of them. */
export const AtomicAmount = z
  .string()
  .regex(/^(0|[1-9][0-9]{0,38})$/, 'must be a whole number of the smallest unit')
  .meta({ openapi: { type: 'string', pattern: '^(0|[1-9][0-9]{0,38})$' } })
