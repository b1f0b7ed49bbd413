import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { createMcpServer, type McpOptions } from './server.ts'

/** One message that was posted to `/mcp`. */
export interface PostedMessage {
  readonly url: string
  /** The headers of the protocol: `mcp-protocol-version`, `mcp-method`, `mcp-name`. No others reach a tool. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Readonly<Record<string, unknown>>
  readonly options: Omit<McpOptions, 'place'>
}

export interface PostedReply {
  readonly status: number
  /** JSON, or empty for a notification. */
  readonly text: string
}

/**
 * Serves posted messages, each by a new server: nothing is remembered between two of them, so any process can serve
 * any of them. It speaks the stateless revision (2026-07-28) and those with a handshake, up to 2025-11-25.
 */
export function createHttpEndpoint(): (message: PostedMessage) => Promise<PostedReply> {
  const optionsOf = new WeakMap<Request, McpOptions>()
  // Nothing of ours changes while a client listens, so no stream is opened.
  const stateless = createMcpHandler(({ requestInfo }) => createMcpServer(optionsOf.get(requestInfo!)!), {
    legacy: 'reject',
    maxSubscriptions: 0,
    keepAliveMs: 0,
  })
  return async ({ url, headers, body, options }) => {
    const request = new Request(url, { method: 'POST', headers: headersOf(headers) })
    const hosted: McpOptions = { ...options, place: 'hosted' }
    optionsOf.set(request, hosted)
    const response = (await isLegacyRequest(request, body))
      ? await serveWithHandshake(request, body, hosted)
      : await stateless.fetch(request, { parsedBody: body })
    return { status: response.status, text: await response.text() }
  }
}

async function serveWithHandshake(request: Request, parsedBody: unknown, options: McpOptions): Promise<Response> {
  const server = createMcpServer(options)
  // One JSON reply instead of a stream with one event, and no session id.
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  try {
    const response = await transport.handleRequest(request, { parsedBody })
    return new Response(await response.text(), { status: response.status })
  } finally {
    await server.close()
  }
}

function headersOf(given: PostedMessage['headers']): Headers {
  // Whatever a client accepts, it gets JSON, as the protocol allows.
  const headers = new Headers({ 'content-type': 'application/json', accept: 'application/json, text/event-stream' })
  for (const [name, value] of Object.entries(given)) if (value !== undefined) headers.set(name, value)
  return headers
}
