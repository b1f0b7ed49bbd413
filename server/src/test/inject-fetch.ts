import type { FastifyInstance } from 'fastify'

/** A `fetch` that calls the service without a socket, so that tests use the same client as users. */
export const injectFetch =
  (server: FastifyInstance, remoteAddress: string): typeof fetch =>
  async (input, init) => {
    const request = new Request(input, init)
    const { pathname, search, host } = new URL(request.url)
    const payload = request.body ? Buffer.from(await request.arrayBuffer()) : undefined
    const response = await server.inject({
      method: request.method as 'GET',
      url: pathname + search,
      headers: {
        host,
        ...Object.fromEntries(request.headers),
        ...(payload && { 'content-length': String(payload.length) }),
      },
      remoteAddress,
      ...(payload && { payload }),
    })
    const headers = new Headers()
    for (const [name, value] of Object.entries(response.headers)) {
      for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) headers.append(name, String(one))
    }
    const body =
      request.method === 'HEAD' || [204, 304].includes(response.statusCode) ? null : new Uint8Array(response.rawPayload)
    return new Response(body, { status: response.statusCode, headers })
  }
