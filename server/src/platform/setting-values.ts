import { z } from 'zod'
import { urlsOf } from './database/database-urls.ts'

// The kinds of values that several settings have.

const escapes = 'in the password, write / as %2F, @ as %40, # as %23, ? as %3F and % as %25'

/** A URL. Whoever gives another text is shown the example. */
export const urlLike = (example: string, protocol = /^https?$/) =>
  z
    .url({ protocol, error: `must be a URL like ${example}` })
    .refine((text) => !URL.canParse(text) || new URL(text).hostname !== '', `must be a URL like ${example}`)
    .refine(hasReadableLogin, `must be a URL like ${example}; ${escapes}`)

/** Libraries decode the user and the password when they connect, and fail there with an error that says nothing of the setting. */
function hasReadableLogin(text: string): boolean {
  if (!URL.canParse(text)) return true
  const { username, password } = new URL(text)
  try {
    decodeURIComponent(username + password)
    return true
  } catch {
    return false
  }
}

/** A URL of Redis. Its path is the number of a database. */
export const redisUrl = urlLike('redis://127.0.0.1:6379', /^rediss?$/).refine(
  (text) => URL.canParse(text) && /^\/?\d{0,4}$/.test(new URL(text).pathname),
  'must be a URL like redis://127.0.0.1:6379, or redis://127.0.0.1:6379/1 for another database',
)

/** One or more URLs. */
export const urlsLike = (example: string) =>
  list(z.url({ protocol: /^https?$/, error: `must be a URL like ${example}, or several with commas between them` }))

const notOrigin = 'must be a URL without a path, like https://example.com'

export const origin = z
  .url({ protocol: /^https?$/, error: notOrigin })
  .refine((text) => URL.canParse(text) && new URL(text).pathname === '/' && !new URL(text).search, notOrigin)
  .transform((text) => new URL(text).origin)

const notPostgres = 'must be a URL like postgresql://user:password@host:5432/database'

/** The message has no part of the text, because the password may be anywhere in it. */
export const postgresUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\//, notPostgres)
  .refine((text) => urlsOf(text).every(canDriverRead), `${notPostgres}; ${escapes}`)

/** What the driver reads it as: PostgreSQL's form with a socket folder, `postgresql://user@/name?host=/run`, has no host. */
const canDriverRead = (url: string): boolean =>
  URL.canParse(encoded(url)) || URL.canParse(encoded(url).replace('@/', '@host/'))

const encoded = (url: string): string => url.replaceAll(' ', '%20')

/** `1` or `0`. */
export const onOrOff = z.enum(['0', '1']).transform((text) => text === '1')

/** Values separated by commas. */
export function list<T extends z.ZodType<unknown, string>>(part: T) {
  return z
    .string()
    .transform((text) => text.split(',').map((each) => each.trim()))
    .pipe(z.array(part))
}

/** Refuses a list that gives something to the same name twice, of which only the last would count. */
export function refuseRepeated(names: readonly string[], context: z.RefinementCtx): void {
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  if (repeated !== undefined) context.addIssue({ code: 'custom', message: `names ${repeated} twice` })
}

/** A number of days, none fewer than `min`. */
export const days = (min: number) => wholeNumber(`must be a number of days, at least ${min}`, { min, max: 36_500 })

export const wholeNumber = (message: string, { min, max }: { readonly min: number; readonly max: number }) =>
  z
    .string()
    .regex(/^\d{1,10}$/, message)
    .transform(Number)
    .pipe(z.number().min(min, message).max(max, message))
