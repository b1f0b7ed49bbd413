import { z } from 'zod'

// Upper case is accepted and lowered: ids are compared as text here, but as uuid in SQL.
export const Uuid = z
  .string()
  .regex(/^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/, 'must be a uuid')
  .toLowerCase()
  .meta({ openapi: { type: 'string', format: 'uuid' } })

export const DateTime = z.iso
  .datetime({ offset: true, message: 'must be an ISO 8601 date-time' })
  .meta({ openapi: { type: 'string', format: 'date-time' } })

/** A day in UTC. */
export const Day = z.iso.date('must be a day such as 2026-01-31').meta({ openapi: { type: 'string', format: 'date' } })

/** An amount in raw or atomic units: digits without a sign or leading zeros, at most 39 of them. */
export const AtomicAmount = z
  .string()
  .regex(/^(0|[1-9][0-9]{0,38})$/, 'must be a whole number of the smallest unit')
  .meta({ openapi: { type: 'string', pattern: '^(0|[1-9][0-9]{0,38})$' } })

/** The length in Unicode code points, which is close to what a person would count. */
export const codePoints = (text: string): number => {
  let count = 0
  for (const _ of text) count += 1
  return count
}

/** Spaces, control and format characters, and letters of Hangul and Braille that are drawn as nothing. */
const invisible = /^[\p{Z}\p{Cc}\p{Cf}\u115F\u1160\u2800\u3164\uFFA0]*$/u

/** Text of `min` to `max` code points after trimming. Text in which nothing can be seen is too short. */
export const trimmedText = (min: number, max: number) =>
  z
    .string()
    .trim()
    .superRefine((text, context) => {
      const length = codePoints(text)
      if (length < min || (min > 0 && invisible.test(text))) {
        context.addIssue({
          code: 'custom',
          params: { code: min === 1 ? 'required' : 'too_short' },
          message: `must have at least ${min} character${min === 1 ? '' : 's'}`,
        })
      } else if (length > max) {
        context.addIssue({
          code: 'custom',
          params: { code: 'too_long' },
          message: `must have at most ${max} characters`,
        })
      }
    })
    .meta({ openapi: { type: 'string', minLength: min, maxLength: max } })

const wholeNumber = ({ min, max }: { min: number; max: number }) =>
  z
    .string()
    .regex(/^[0-9]{1,10}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(min).max(max))

/** A whole number in a query string: digits only, refused outside its range, never rounded or clamped. */
export const queryInteger = (range: { min: number; max: number; default: number }) =>
  wholeNumber(range)
    .prefault(String(range.default))
    .meta({ openapi: { type: 'integer', minimum: range.min, maximum: range.max, default: range.default } })

/** A whole number in a query string that has no default: leaving it out has a meaning. */
export const optionalQueryInteger = (range: { min: number; max: number }) =>
  wholeNumber(range)
    .meta({ openapi: { type: 'integer', minimum: range.min, maximum: range.max } })
    .optional()

/** An email address of at most 320 characters, lowered because case does not distinguish mailboxes. */
export const Email = z
  .string()
  .trim()
  .max(320, 'must have at most 320 characters')
  .regex(
    /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)+$/,
    'must be an email address',
  )
  .toLowerCase()
  .meta({ openapi: { type: 'string', format: 'email', maxLength: 320 } })

/** The six-digit code from an email. */
export const Code = z.string().regex(/^[0-9]{6}$/, 'must be six digits')

/** The size of a page, and the cursor of the next one. */
export const CursorPagination = z.object({
  limit: z.number().int(),
  nextCursor: z.string().nullable(),
  hasMore: z.boolean(),
})
