import { z } from 'zod'

// The kinds of values that several settings have.

/** A URL. Whoever gives another text is shown the example. */
export const urlLike = (example: string, protocol = /^https?$/) =>
  z.url({ protocol, error: `must be a URL like ${example}` })

/** One or more URLs. */
export const urlsLike = (example: string) =>
  list(z.url({ protocol: /^https?$/, error: `must be a URL like ${example}, or several with commas between them` }))

const notOrigin = 'must be a URL without a path, like https://example.com'

export const origin = z
  .url({ protocol: /^https?$/, error: notOrigin })
  .refine((text) => URL.canParse(text) && new URL(text).pathname === '/' && !new URL(text).search, notOrigin)
  .transform((text) => new URL(text).origin)

/** Not parsed as a URL, because PostgreSQL's form with a socket folder is not a valid one. */
export const postgresUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\//, 'must be a URL like postgresql://user:password@host:5432/database')

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
