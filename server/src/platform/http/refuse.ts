import type { Refusal } from '@pennypost/contract/refusal'
import type { z } from 'zod'

/** An expected "no" on its way to the renderer. */
export class Refused extends Error {
  readonly refusal: Refusal
  readonly details: Readonly<Record<string, unknown>>
  readonly retryAfterSeconds: number | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(refusal: Refusal, details: Readonly<Record<string, unknown>>, hints: RefusalHints) {
    super(hints.detail ?? refusal.title)
    this.refusal = refusal
    this.details = details
    this.retryAfterSeconds = hints.retryAfterSeconds
    this.headers = hints.headers ?? {}
  }
}

interface RefusalHints {
  /** A sentence about this case. Defaults to the refusal's title. */
  readonly detail?: string
  readonly retryAfterSeconds?: number
  /** Headers of this one reply, in lower case. */
  readonly headers?: Readonly<Record<string, string>>
}

type DetailsOf<R> = R extends Refusal<infer Shape> ? z.input<z.ZodObject<Shape>> : never
/** A 429 and a 503 must say how long to wait. */
type WaitHints = RefusalHints & { readonly retryAfterSeconds: number }
type DetailsArgument<R extends Refusal> = R['status'] extends 429 | 503
  ? [details: DetailsOf<R>, hints: WaitHints]
  : Record<never, never> extends DetailsOf<R>
    ? [details?: DetailsOf<R>, hints?: RefusalHints]
    : [details: DetailsOf<R>, hints?: RefusalHints]

/**
 * Ends the request with a refusal: an expected error that the endpoint declares.
 * @example const key = (await findKey(tx, id)) ?? refuse(keyNotFound)
 */
export function refuse<R extends Refusal>(refusal: R, ...[details, hints]: DetailsArgument<R>): never {
  throw new Refused(refusal, details ?? {}, hints ?? {})
}
