import { call, events, RefusedError } from '@pennypost/contract/client'
import { type ClientInput, type ClientReply, credentialsOf, type Endpoint } from '@pennypost/contract/endpoint'
import { getSiteSession } from '@pennypost/contract/site-session'
import { redirectToSignIn } from './redirect-to-sign-in.ts'

// Pages use the public API through the sdk and nothing else, so no page can do what an API caller cannot. The credential
// is the browser's session cookie, which scripts cannot read.

/** Calls an operation and returns the body of its reply. Renews an expired access token once and retries. */
export async function callApi<E extends Endpoint>(
  endpoint: E,
  input: ClientInput<E>,
  fetcher: typeof fetch = fetch,
): Promise<ClientReply<E>['body']> {
  const options = { baseUrl: '', fetch: fetcher }
  try {
    return (await call(endpoint, input, options)).body
  } catch (error) {
    if (!(error instanceof RefusedError) || !isAboutSession(endpoint, error)) throw error
    const { body } = await call(getSiteSession, {}, { baseUrl: '' })
    if (body.account === null) {
      redirectToSignIn()
      throw error
    }
    return (await call(endpoint, input, options)).body
  }
}

/** Calls an operation with a bearer token instead of the session cookie, such as the credential of one checkout. */
export const callApiWithToken = async <E extends Endpoint>(
  token: string,
  endpoint: E,
  input: ClientInput<E>,
): Promise<ClientReply<E>['body']> => (await call(endpoint, input, { baseUrl: '', token })).body

/** The events of an operation, with a bearer token, until the signal or the service ends them. */
export const streamApi = <E extends Endpoint>(
  token: string,
  endpoint: E,
  input: ClientInput<E>,
  signal: AbortSignal,
): ReturnType<typeof events<E>> => events(endpoint, input, { baseUrl: '', token, signal })

// A 401 of a public operation is not about the session, and neither is a wrong code or signature, which must not be sent
// twice because tries are limited. (The contract's refusals are not in the browser's scripts.)
const wrongProofs = new Set(['invalid-verification', 'invalid-proof'])
const isAboutSession = (endpoint: Endpoint, { status, code }: RefusedError): boolean =>
  status === 401 && !credentialsOf(endpoint).includes('none') && !wrongProofs.has(code)
