import { z } from 'zod'
import { nothing, raw } from './body.ts'
import { endpoint } from './endpoint.ts'
import { limit } from './limit.ts'
import { refusal } from './refusal.ts'

/** Where programs find out how to sign in a person for `/mcp` (RFC 9728). */
export const mcpResourceMetadata = '/.well-known/oauth-protected-resource/mcp'

export const originNotAllowed = refusal('origin-not-allowed', 403, 'Pages of this origin may not use this URL.')

/** High, because each request that a tool makes also counts against the limits of its own route. */
const mcpMessages = limit('mcp', { per: 'ip', max: 3000, seconds: 60 })

const header = z.string().max(200).optional()

/** One JSON-RPC message. Lists of them are refused: one request must not become many. */
const Message = z.strictObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string().max(200), z.number()]).optional(),
  method: z.string().min(1).max(200),
  params: z.record(z.string(), z.unknown()).optional(),
})

const json = 'application/json; charset=utf-8'

export const serveMcp = endpoint({
  method: 'POST',
  path: '/mcp',
  tag: 'For machines',
  summary: 'Serve an agent (Model Context Protocol, Streamable HTTP)',
  description:
    'Stateless: there are no sessions and no streams, and every reply is JSON. Cookies are ignored. A tool that needs a credential replies with 401 and says in `WWW-Authenticate` how to get one.',
  credential: ['none', 'publishing-key', 'owner-session'],
  request: {
    headers: z.object({
      'mcp-protocol-version': header,
      'mcp-method': header,
      'mcp-name': header,
      'mcp-session-id': header,
      authorization: z.string().max(8192).optional(),
      origin: z.string().max(2048).optional(),
    }),
    body: Message,
  },
  replies: {
    200: raw(json, 'A JSON-RPC response.'),
    202: nothing('A notification was taken.'),
    400: raw(json, 'A JSON-RPC error: not a message of a revision that is spoken here.'),
    404: raw(json, 'A JSON-RPC error: there is no such method.'),
  },
  replyHeaders: { 'WWW-Authenticate': 'With 401: where to learn how to sign in, and the scope that is needed.' },
  refusals: [originNotAllowed],
  errors: 'problem',
  invalidBody: 400,
  maxBodyBytes: 2 * 1024 * 1024,
  limits: [mcpMessages],
  resourceMetadata: mcpResourceMetadata,
})

/** Agents that speak MCP. */
export const mcpOperations = { serveMcp }
