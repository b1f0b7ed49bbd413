import { Pennypost, type PennypostOptions } from '@pennypost/sdk'
import { injectFetch } from '../inject-fetch.ts'
import { type Host, nextAddress } from '../person.ts'

/** A request that a client sent, with its bytes. */
export interface SentRequest {
  readonly method: string
  readonly path: string
  readonly headers: Headers
  readonly body: string
}

/** What happens to a request instead of reaching the service, or undefined to let it pass. */
export type Interference = (request: SentRequest, count: number) => Response | Error | undefined

export interface SdkClient {
  readonly client: Pennypost
  /** Everything that was sent, including what did not reach the service. */
  readonly sent: SentRequest[]
  /** Replaces or drops requests from now on. `count` is the number of earlier requests to the same path. */
  interfere(by: Interference | undefined): void
  /** Lets requests reach the service, and drops these responses. */
  loseReplies(of: ((request: SentRequest, count: number) => boolean) | undefined): void
}

/** A client of the published package, connected to the service of the test. */
export function sdkFor(
  world: Pick<Host, 'server' | 'origin'>,
  options: Partial<PennypostOptions> = {},
  beforeEach: () => Promise<void> = async () => {},
): SdkClient {
  const reach = injectFetch(world.server, nextAddress())
  const sent: SentRequest[] = []
  let interference: Interference | undefined
  let isLost: ((request: SentRequest, count: number) => boolean) | undefined
  const fetch: typeof globalThis.fetch = async (input, init) => {
    init?.signal?.throwIfAborted()
    const copy = new Request(input, init)
    const { pathname, search } = new URL(copy.url)
    const request = {
      method: copy.method,
      path: pathname + search,
      headers: copy.headers,
      body: await copy.clone().text(),
    }
    const count = sent.filter(({ path }) => path === request.path).length
    sent.push(request)
    const instead = interference?.(request, count)
    if (instead instanceof Error) throw instead
    if (instead) return instead
    await beforeEach()
    const response = await reach(input, init)
    if (isLost?.(request, count)) throw new TypeError('fetch failed')
    return response
  }
  return {
    client: new Pennypost({ baseUrl: world.origin, fetch, ...options }),
    sent,
    interfere: (by) => {
      interference = by
    },
    loseReplies: (of) => {
      isLost = of
    },
  }
}

/** A reply of a service that is busy. */
export const busy = (status: 429 | 503, retryAfter = '0'): Response =>
  Response.json(
    {
      type: 'about:blank',
      title: 'Busy',
      status,
      code: 'temporarily-unavailable',
      detail: 'Try again.',
      requestId: 'r-1',
    },
    { status, headers: { 'retry-after': retryAfter, 'content-type': 'application/problem+json' } },
  )
