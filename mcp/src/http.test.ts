import { deepEqual, equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { Pennypost } from '@pennypost/sdk'
import { createHttpEndpoint } from './http.ts'
import { createMcpServer, type McpOptions } from './server.ts'

const url = 'https://pennypost.example/mcp'

function optionsFor(bugs: unknown[]): Omit<McpOptions, 'place'> {
  const pennypost = new Pennypost({
    baseUrl: 'https://pennypost.example',
    retry: { attempts: 1 },
    fetch: async (input) => {
      if (String(input).includes('q=bug')) return Response.json({ data: 7 })
      return Response.json({ data: [], total: 0, totalIsExact: true, page: 1, perPage: 10 })
    },
  })
  return {
    siteName: 'Test',
    context: { pennypost, hasKey: false, hasSession: false, waitSeconds: 1 },
    onCredentialNeeded: (scope) => `needs ${scope}`,
    onBug: (_, cause) => bugs.push(cause),
  }
}

/** The same message served by the library's transport for HTTP. */
async function byLibrary(body: object, options: Omit<McpOptions, 'place'>, headers: Record<string, string>) {
  const server = createMcpServer({ ...options, place: 'hosted' })
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  const request = new Request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
  })
  const response = await transport.handleRequest(request, { parsedBody: body })
  return { status: response.status, text: await response.text() }
}

/** Each reply has its own boundary. */
const withoutBoundary = (text: string): string => text.replaceAll(/[0-9a-f]{16}/g, 'boundary')

test('a request after a handshake gets the reply that the library gives over HTTP', async () => {
  const endpoint = createHttpEndpoint()
  const requests: [method: string, params?: object][] = [
    ['ping'],
    ['tools/list'],
    ['tools/call', { name: 'search_posts', arguments: { query: 'engines' } }],
    ['tools/call', { name: 'search_posts', arguments: { query: 'engines' }, _meta: { progressToken: 1 } }],
    ['tools/call', { name: 'search_posts', arguments: { limit: 'many' } }],
    ['tools/call', { name: 'search_posts', arguments: { query: 'bug' } }],
    ['tools/call', { name: 'whoami', arguments: {} }],
    ['tools/call', { name: 'no_such_tool' }],
    ['tools/call', { name: 7 }],
    ['tools/call'],
    ['resources/list'],
    ['resources/templates/list'],
    ['resources/read', { uri: 'post://x' }],
    ['logging/setLevel', { level: 'debug' }],
    ['prompts/list'],
    ['no/such/method'],
    ['notifications/initialized'],
    ['server/discover'],
  ]
  for (const [method, params] of requests)
    for (const id of [1, 'one'])
      for (const version of [undefined, '2025-11-25', '2025-03-26', '1999-01-01']) {
        const label = `${method} ${JSON.stringify(params)} ${version}`
        const body = { jsonrpc: '2.0', id, method, ...(params && { params }) }
        const [bugs, expectedBugs]: unknown[][] = [[], []]
        const headers = { ...(version !== undefined && { 'mcp-protocol-version': version }) }
        const reply = await endpoint({ url, headers, body, options: optionsFor(bugs!) })
        const expected = await byLibrary(body, optionsFor(expectedBugs!), headers)
        equal(withoutBoundary(reply.text), withoutBoundary(expected.text), label)
        equal(reply.status, expected.status, label)
        deepEqual(bugs!.map(String), expectedBugs!.map(String), label)
      }
})

test('requests that are served together do not get the replies of others', async () => {
  const endpoint = createHttpEndpoint()
  const replies = await Promise.all(
    [...Array(20).keys()].map((id) =>
      endpoint({
        url,
        headers: {},
        body: { jsonrpc: '2.0', id, method: 'tools/call', params: { name: id % 2 ? 'search_posts' : `no_${id}` } },
        options: optionsFor([]),
      }),
    ),
  )
  for (const [id, { text }] of replies.entries()) {
    equal(JSON.parse(text).id, id)
    match(text, id % 2 ? /structuredContent/ : new RegExp(`Unknown tool: no_${id}"`))
  }
})
