import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { WebSocket, WebSocketServer } from 'ws'
import type { LedgerNode } from '../development/nano-ledger/ledger-node.ts'
import { replyTo } from '../development/nano-ledger/ledger-server.ts'

/**
 * The faults of one request.
 * - `silent`: not forwarded, no response. `silent-after`: forwarded, but no response.
 * - `drop`, `drop-after`: the connection breaks before or after the request reaches the node.
 * - `garbage`, `empty`, `busy`, `bad-gateway`: a useless response; not forwarded.
 * - `invalid`: an error that says the block is invalid; not forwarded.
 * - `weak-work`: an error that says the block's work is too low; not forwarded.
 * - `twice`: forwarded twice; the second response is returned.
 * - `late`: forwarded only after the next request with the same action got its response.
 * - a function: changes the node's response, to simulate a node that lies, or does something before it arrives.
 */
export type Fault =
  | (
      | 'silent'
      | 'silent-after'
      | 'drop'
      | 'drop-after'
      | 'garbage'
      | 'empty'
      | 'busy'
      | 'bad-gateway'
      | 'invalid'
      | 'weak-work'
      | 'twice'
      | 'late'
    )
  // biome-ignore lint/suspicious/noExplicitAny: any response from the node
  | ((reply: any) => unknown)

const busyNano = '{"error":"Work queue is full"}'
const busyBase = '{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"rate limit exceeded"}}'

/** The faults of confirmation events: lost, sent twice, swapped in pairs, or mixed with garbage. */
export type EventFault = 'none' | 'lost' | 'twice' | 'swapped' | 'garbage'

/** A proxy in front of a Nano or Base node. It forwards everything unless a test asks for a fault. */
export interface FaultyNode {
  readonly rpcUrl: string
  readonly wsUrl: string
  /** Every action (Nano) or method (Base) requested so far, in order. */
  readonly requests: readonly string[]
  /** Applies these faults to the next requests with this action, one each. `*` matches any action. */
  next(action: string, ...faults: Fault[]): void
  /** Applies this fault to every request with this action until `heal`. */
  always(action: string, fault: Fault): void
  events(fault: EventFault): void
  /** Closes all websockets, as a node does when it restarts. */
  cutWebsockets(): void
  heal(): void
}

/** The node that requests are forwarded to. `node` is set if it runs in this process and needs no connection. */
export interface NodeBehind {
  readonly rpcUrl: string
  readonly wsUrl?: string
  readonly node?: LedgerNode | undefined
}

export async function createFaultyNode(t: TestContext, behind: NodeBehind): Promise<FaultyNode> {
  const requests: string[] = []
  const planned = new Map<string, Fault[]>()
  const always = new Map<string, Fault>()
  const heldBack = new Map<string, (() => void)[]>()
  let eventFault: EventFault = 'none'

  const faultFor = (action: string): Fault | undefined =>
    planned.get(action)?.shift() ?? planned.get('*')?.shift() ?? always.get(action) ?? always.get('*')

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readAll(request)
    const { action: ofNano, method: ofBase } = JSON.parse(body)
    const action = String(ofNano ?? ofBase)
    requests.push(action)
    const fault = faultFor(action)
    const reply = (text: string, status = 200) => response.writeHead(status).end(text)
    const headers = { 'content-type': 'application/json' }
    const pass = async () =>
      behind.node
        ? replyTo(behind.node, async () => body)
        : (await fetch(behind.rpcUrl, { method: 'POST', headers, body })).text()
    if (fault === 'silent') return
    if (fault === 'drop') return void request.socket.destroy()
    if (fault === 'garbage') return void reply('<html>')
    if (fault === 'empty') return void reply('{}')
    if (fault === 'busy') return void reply(ofNano ? busyNano : busyBase)
    if (fault === 'invalid') return void reply('{"error":"Negative spend"}')
    if (fault === 'weak-work') return void reply('{"error":"Block work is less than threshold"}')
    if (fault === 'bad-gateway') return void reply('bad gateway', 502)
    if (fault === 'late') {
      await new Promise<void>((resolve) => {
        heldBack.set(action, [...(heldBack.get(action) ?? []), resolve])
      })
    }
    const first = await pass()
    if (fault === 'silent-after') return
    if (fault === 'drop-after') return void request.socket.destroy()
    const text = fault === 'twice' ? await pass() : first
    reply(typeof fault === 'function' ? JSON.stringify(await fault(JSON.parse(text))) : text)
    const waiting = heldBack.get(action) ?? []
    heldBack.delete(action)
    for (const resume of waiting) resume()
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => request.socket.destroy())
  })
  const sockets = new WebSocketServer({ server })
  sockets.on('connection', (client) => {
    const upstream = new WebSocket(behind.wsUrl!)
    const early: string[] = []
    let held: string | undefined
    client.on('message', (data) => {
      if (upstream.readyState === WebSocket.OPEN) upstream.send(String(data))
      else early.push(String(data))
    })
    upstream.on('open', () => {
      for (const message of early) upstream.send(message)
    })
    upstream.on('message', (data) => {
      const text = String(data)
      if (!text.includes('"topic"')) return client.send(text)
      if (eventFault === 'lost') return
      if (eventFault === 'swapped' && held === undefined) {
        held = text
        return
      }
      if (eventFault === 'garbage')
        for (const nonsense of ['', '{', '[]', '{"topic":"confirmation"}']) client.send(nonsense)
      client.send(text)
      if (eventFault === 'twice') client.send(text)
      if (held !== undefined) client.send(held)
      held = undefined
    })
    client.on('close', () => upstream.terminate())
    upstream.on('close', () => client.terminate())
    upstream.on('error', () => client.terminate())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  t.after(() => {
    for (const client of sockets.clients) client.terminate()
    server.close()
    server.closeAllConnections()
  })
  return {
    rpcUrl: `http://127.0.0.1:${port}`,
    wsUrl: `ws://127.0.0.1:${port}`,
    requests,
    next: (action, ...faults) => void planned.set(action, [...(planned.get(action) ?? []), ...faults]),
    always: (action, fault) => void always.set(action, fault),
    events(fault) {
      eventFault = fault
    },
    cutWebsockets() {
      for (const client of sockets.clients) client.terminate()
    },
    heal() {
      planned.clear()
      always.clear()
      eventFault = 'none'
    },
  }
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
