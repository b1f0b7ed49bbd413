import type { Callers, Credential } from '@pennypost/contract/credential'
import type { Call, Contract, Endpoint, Reply } from '@pennypost/contract/endpoint'

/** What keeps an endpoint's promise: it takes what it needs, and knows nothing of HTTP. */
export type Handler<E extends Endpoint, Services> = (services: Services, call: Call<E>) => Promise<Reply<E>>

/** One handler for every operation; one that is missing does not compile. */
export type Handlers<C extends Contract, Services> = { readonly [Name in keyof C]: Handler<C[Name], Services> }

/** Turns a bearer token into a caller; undefined when the token is not one of this kind, or is no longer good. */
export type Authenticators = {
  readonly [Kind in Exclude<Credential, 'none'>]: (token: string) => Promise<Callers[Kind] | undefined>
} & {
  /** The same for a browser that is signed in: its cookies stand for whichever credential of its owner is asked for. */
  readonly cookies?: (
    header: string,
    kind: 'owner-session' | 'publishing-key',
  ) => Promise<Callers[Credential] | undefined>
}
