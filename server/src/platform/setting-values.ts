import { z } from 'zod'

// The kinds of values that several settings have.

export const httpUrl = z.url({ protocol: /^https?$/ })

export const httpUrls = list(httpUrl)

export const origin = httpUrl
  .refine((text) => URL.canParse(text) && new URL(text).pathname === '/' && !new URL(text).search, 'must be an origin')
  .transform((text) => new URL(text).origin)

/** `1` or `0`. */
export const onOrOff = z.enum(['0', '1']).transform((text) => text === '1')

/** Values separated by commas. */
export function list<T extends z.ZodType<unknown, string>>(part: T) {
  return z
    .string()
    .transform((text) => text.split(',').map((each) => each.trim()))
    .pipe(z.array(part))
}

/** A number of days, none fewer than `min`. */
export const days = (min: number) => wholeNumber(`must be a number of days, at least ${min}`, { min, max: 36_500 })

export const wholeNumber = (message: string, { min, max }: { readonly min: number; readonly max: number }) =>
  z
    .string()
    .regex(/^\d{1,10}$/, message)
    .transform(Number)
    .pipe(z.number().min(min, message).max(max, message))
