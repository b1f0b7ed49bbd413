import type { FastifyInstance } from 'fastify'
import type { Response as InjectedResponse, InjectOptions } from 'light-my-request'
import { once } from '../platform/once.ts'

/** The client on whose behalf our own routes are called. */
export interface RouteClient {
  /** The address of the real client: its limits, its turns and its fair share. */
  readonly ip: string
  /** The origin that the client used. */
  readonly origin: string
  readonly userAgent: string | undefined
  /** Whether the client has disconnected. No further request is started for it then. */
  hasLeft(): boolean
}

/** Calls the routes of this process without a socket. */
export interface OwnRoutes {
  /** Called once, when the server exists. */
  connect(server: Pick<FastifyInstance, 'routing'>): void
  fetchFor(client: RouteClient): typeof fetch
}

// Uploading a ZIP takes six requests, and its check is polled a few times. The limit keeps a tool from turning one request
// into many.
const maxRequests = 40

/** Where a session is refreshed. Callers of `/mcp` have an access token and nothing else. */
const refreshPath = '/api/v1/auth/refresh'

// What `server.inject` uses. That one refuses from the moment the server begins to close, while requests to `/mcp` are still served.
// Its default export: in the bundle, a CommonJS module that is loaded with import() has no other.
const loadInject = once(async () => (await import('light-my-request')).default)

/**
 * A `fetch` that goes through every step of an ordinary request: credential, validation, limits, turns. Its headers are
 * those of our own client. Nothing that the caller of `/mcp` sent is among them but the bearer token, so a forwarded
 * address, a cookie or another host cannot be smuggled in.
 */
export function createOwnRoutes(): OwnRoutes {
  let server: Pick<FastifyInstance, 'routing'> | undefined
  return {
    connect(connected) {
      server = connected
    },
    fetchFor: (client) => {
      let requests = 0
      return async (input, init = {}) => {
        const url = new URL(String(input))
        requests += 1
        if (requests > maxRequests) throw new Error('a tool sent too many requests')
        if (client.hasLeft()) throw new Error('the client has left')
        if (url.origin !== client.origin) throw new Error('a tool called another server')
        if (url.pathname === refreshPath) return new Response(null, { status: 401 })
        const payload = init.body ? Buffer.from(await new Response(init.body).arrayBuffer()) : undefined
        const options: InjectOptions = {
          method: init.method ?? 'GET',
          url: url.pathname + url.search,
          headers: {
            ...(init.headers as Record<string, string>),
            host: url.host,
            'user-agent': client.userAgent ?? '',
            ...(payload && { 'content-length': String(payload.length) }),
          },
          remoteAddress: client.ip,
          ...(payload && { payload }),
        }
        const inject = await loadInject()
        return responseOf(await inject(server!.routing, options))
      }
    },
  }
}

function responseOf({ statusCode, headers: given, rawPayload }: InjectedResponse): Response {
  const headers = new Headers()
  for (const [name, value] of Object.entries(given))
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) headers.append(name, String(one))
  const isEmpty = statusCode === 204 || statusCode === 304
  return new Response(isEmpty ? null : new Uint8Array(rawPayload), { status: statusCode, headers })
}
