import { type ClientInput, type ClientReply, credentialsOf, type Endpoint } from '@pennypost/contract/endpoint'
import { getSiteSession } from '@pennypost/contract/site-session'
import { call, RefusedError } from '@pennypost/sdk/client'

// Everything that pages do goes through the public API, by the sdk: no page can do what an API caller could not. The
// credential is the browser's cookie, which no script can read.

export { RefusedError }

/** The answer to an operation. A session whose access token ended meanwhile is renewed once. */
export async function ask<E extends Endpoint>(
  endpoint: E,
  input: ClientInput<E>,
  fetcher: typeof fetch = fetch,
): Promise<ClientReply<E>['body']> {
  const options = { baseUrl: '', fetch: fetcher }
  try {
    return (await call(endpoint, input, options)).body
  } catch (error) {
    if (!(error instanceof RefusedError) || error.status !== 401 || isOpen(endpoint)) throw error
    const { body } = await call(getSiteSession, {}, { baseUrl: '' })
    if (body.account === null) {
      signInFirst()
      throw error
    }
    return (await call(endpoint, input, options)).body
  }
}

/** The same with a secret of one's own for one thing alone, in place of whoever is signed in. */
export const askWith = async <E extends Endpoint>(
  token: string,
  endpoint: E,
  input: ClientInput<E>,
): Promise<ClientReply<E>['body']> => (await call(endpoint, input, { baseUrl: '', token })).body

// What anybody may ask is refused for another reason than who asks.
const isOpen = (endpoint: Endpoint): boolean => credentialsOf(endpoint).includes('none')

/** Leads to the page where one signs in, and back here afterwards. */
export function signInFirst(): void {
  localStorage.removeItem('signed-in')
  location.assign(`/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`)
}

interface FieldError {
  readonly field: string
  readonly message: string
}

export const fieldErrorsOf = (error: unknown): readonly FieldError[] =>
  error instanceof RefusedError && Array.isArray(error.body.errors) ? (error.body.errors as FieldError[]) : []

/** What went wrong, for a person. */
export function wordsOf(error: unknown): string {
  if (!(error instanceof RefusedError)) return 'The service could not be reached. Try again in a moment.'
  const said = error.body.detail ?? error.body.message
  const wait = error.retryAfterSeconds === undefined ? '' : ` Try again in ${waitWords(error.retryAfterSeconds)}.`
  return `${typeof said === 'string' && said !== '' ? said : 'That did not work.'}${wait}`
}

const waitWords = (seconds: number): string =>
  seconds < 100 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`

/** A key of one's own for what must happen once, however often it is sent: a uuid, also where the page is not on https. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return hexOf(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

export const hexOf = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
