import {
  classifyInboundRequest,
  createMcpHandler,
  InMemoryTransport,
  type JSONRPCMessage,
  SUPPORTED_PROTOCOL_VERSIONS,
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
    const hosted: McpOptions = { ...options, place: 'hosted' }
    const version = headers['mcp-protocol-version']
    // The library's own decision, without the `Request` that it would otherwise be read from.
    const route = classifyInboundRequest({
      httpMethod: 'POST',
      ...(version !== undefined && { protocolVersionHeader: version }),
      ...(headers['mcp-method'] !== undefined && { mcpMethodHeader: headers['mcp-method'] }),
      ...(headers['mcp-name'] !== undefined && { mcpNameHeader: headers['mcp-name'] }),
      body,
    })
    const isOfHandshake = route.kind === 'legacy'
    if (isOfHandshake && route.reason === 'no-claim' && (version === undefined || isSpoken(version)))
      return serveRequest(body as unknown as JSONRPCMessage, hosted)
    const request = new Request(url, { method: 'POST', headers: headersOf(headers) })
    if (isOfHandshake) return serveWithHandshake(request, body, hosted)
    optionsOf.set(request, hosted)
    const response = await stateless.fetch(request, { parsedBody: body })
    return { status: response.status, text: await response.text() }
  }
}

/** Longer than any tool waits, a purchase included. */
const maxReplyMs = 300_000

const isSpoken = (version: string): boolean => SUPPORTED_PROTOCOL_VERSIONS.includes(version)

/**
 * Serves a request that follows a handshake, such as a call of a tool. Over HTTP the library would check once more what was checked when
 * the message was classified, and pass the reply through three `Response` objects.
 */
async function serveRequest(message: JSONRPCMessage, options: McpOptions): Promise<PostedReply> {
  const [client, transport] = InMemoryTransport.createLinkedPair()
  const reply = new Promise<JSONRPCMessage>((resolve, reject) => {
    // The library replies to every request. If one day it does not, the request must end all the same.
    const timer = setTimeout(reject, maxReplyMs, new Error('the MCP server gave no reply')).unref()
    client.onmessage = (sent) => {
      // A tool may report progress first.
      if (!('result' in sent || 'error' in sent)) return
      clearTimeout(timer)
      resolve(sent)
    }
  })
  reply.catch(() => {})
  // Neither is closed: they hold nothing but each other.
  await createMcpServer(options).connect(transport)
  await client.send(message)
  return { status: 200, text: JSON.stringify(await reply) }
}

/** The handshake itself, notifications, and what the library refuses. */
async function serveWithHandshake(request: Request, parsedBody: unknown, options: McpOptions): Promise<PostedReply> {
  const server = createMcpServer(options)
  // One JSON reply instead of a stream with one event, and no session id.
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  try {
    const response = await transport.handleRequest(request, { parsedBody })
    return { status: response.status, text: await response.text() }
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
