import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { injectFetch } from '../test/inject-fetch.ts'
import { type Host, nextAddress } from '../test/person.ts'

export const revisions = ['2026-07-28', '2025-11-25', 'old client'] as const
export type Revision = (typeof revisions)[number]

export interface AgentOptions {
  readonly token?: string | undefined
  readonly address?: string
  readonly revision?: Revision
  readonly headers?: Readonly<Record<string, string>>
  /** Instead of calling the service of the test without a socket. */
  readonly url?: string
}

// biome-ignore lint/suspicious/noExplicitAny: tests take replies apart; the client has checked them against their schemas
type Loose = any

/** An agent: an official client, connected to `/mcp`. */
export interface Agent {
  /** Calls a tool. The client checks structured content against the tool's output schema. */
  calls(name: string, input?: object, meta?: object): Promise<Loose>
  readonly client: Loose
}

const identity = { name: 'test', version: '1' }

/** Connects an official client. It is closed after the test. */
export async function agentFor(
  t: { after(work: () => Promise<void>): void },
  world: Pick<Host, 'server' | 'origin'>,
  { token, address = nextAddress(), revision = '2026-07-28', headers = {}, url }: AgentOptions = {},
): Promise<Agent> {
  const fetch = url === undefined ? injectFetch(world.server, address) : globalThis.fetch
  const target = new URL(`${url ?? world.origin}/mcp`)
  const options = {
    fetch,
    requestInit: { headers: { ...headers, ...(token && { authorization: `Bearer ${token}` }) } },
  }
  const client: Loose =
    revision === 'old client'
      ? new OldClient(identity)
      : new Client(identity, { versionNegotiation: { mode: revision === '2026-07-28' ? { pin: revision } : 'legacy' } })
  const Transport = revision === 'old client' ? OldTransport : StreamableHTTPClientTransport
  await client.connect(new Transport(target, options as Loose))
  t.after(() => client.close())
  // From then on the client validates what tools return.
  await client.listTools()
  return {
    client,
    calls: (name, input = {}, meta) => client.callTool({ name, arguments: input, ...(meta && { _meta: meta }) }),
  }
}

/** Posts a message as it is, without a client that would not send it. */
export async function post(
  world: Pick<Host, 'server' | 'origin'>,
  message: unknown,
  { headers = {}, address = nextAddress() }: { headers?: Record<string, string>; address?: string } = {},
) {
  const reply = await world.server.inject({
    method: 'POST',
    url: '/mcp',
    remoteAddress: address,
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    payload: typeof message === 'string' ? message : JSON.stringify(message),
  })
  const body: Loose = reply.payload === '' ? undefined : JSON.parse(reply.payload)
  return { status: reply.statusCode, headers: reply.headers, body }
}

/** A call of a tool as a client of 2025-11-25 sends it. */
export const toolCall = (name: string, input: object = {}, meta?: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: input, ...(meta && { _meta: meta }) },
})
