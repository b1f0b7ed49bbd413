import type { Callers, Credential } from '@pennypost/contract/credential'
import type { Call, Contract, Endpoint, Reply } from '@pennypost/contract/endpoint'

/** Implements an endpoint. It gets the services it needs and a typed call, and knows nothing about HTTP. */
export type Handler<E extends Endpoint, Services> = (services: Services, call: Call<E>) => Promise<Reply<E>>

/** A handler for every operation of a contract; a missing one does not compile. */
export type Handlers<C extends Contract, Services> = { readonly [Name in keyof C]: Handler<C[Name], Services> }

/** Turns a bearer token into a caller, or undefined if it is of another kind or no longer valid. */
export type Authenticators = {
  readonly [Kind in Exclude<Credential, 'none'>]: (token: string) => Promise<Callers[Kind] | undefined>
} & {
  /** The same for a signed-in browser: its cookies stand for either credential of its owner. */
  readonly cookies?: (
    header: string,
    kind: 'owner-session' | 'publishing-key',
  ) => Promise<Callers[Credential] | undefined>
  /** The same for a program that a person has connected. Refuses what the person has not allowed it. */
  readonly programs?: (token: string, wanted: WantedCaller) => Promise<Callers[Credential]>
}

/** An operation, and the kinds of callers that it accepts. */
export interface WantedCaller {
  readonly operation: string
  readonly path: string
  readonly kinds: readonly Credential[]
  /** The origin that the request was sent to. */
  readonly origin: string
}
