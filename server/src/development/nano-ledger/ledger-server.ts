import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'
import type { Clock } from '../../platform/clock.ts'
import { createConfirmationFeed } from './confirmation-feed.ts'
import { LedgerRefusal } from './ledger.ts'
import type { LedgerNode } from './ledger-node.ts'
import { actions } from './rpc-actions.ts'
import type { RpcRequest } from './rpc-request.ts'

export interface LedgerServer {
  readonly port: number
  close(): Promise<void>
}

const loopback = '127.0.0.1'
const maxRequestBytes = 1024 * 1024
const maxMessageBytes = 1024 * 1024

/** Serves a node's RPC and confirmation websocket on one local port. Port 0 means any free port. */
export async function serveLedger(node: LedgerNode, clock: Clock, port: number): Promise<LedgerServer> {
  const server = createServer((request, response) => void handle(node, request, response))
  const sockets = new WebSocketServer({ server, maxPayload: maxMessageBytes })
  const feed = createConfirmationFeed(clock)
  sockets.on('connection', feed.connect)
  // The websocket server repeats the HTTP server's errors. The caller already gets them from the HTTP server.
  sockets.on('error', () => {})
  server.listen(port, loopback)
  await once(server, 'listening')
  node.onConfirmed(feed.announce)
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of sockets.clients) socket.terminate()
      sockets.close()
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

async function handle(node: LedgerNode, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await replyTo(node, async () => {
    if (request.method !== 'POST') throw new LedgerRefusal('Can only POST requests')
    return readBody(request)
  })
  response.writeHead(200, { 'content-type': 'application/json' }).end(body)
}

/** Returns the reply to a request. As on a real node, the status is always 200 and a failure is in `error`. */
export async function replyTo(node: LedgerNode, question: () => Promise<string>): Promise<string> {
  try {
    return JSON.stringify(await act(node, await question()))
  } catch (error) {
    const reason = error instanceof LedgerRefusal ? error.message : 'Internal server error in RPC'
    return JSON.stringify({ error: reason })
  }
}

async function act(node: LedgerNode, body: string): Promise<unknown> {
  const question = parseRequest(body)
  const action = actions.get(String(question.action))
  if (!action) throw new LedgerRefusal('Unknown command')
  try {
    return action(node, question)
  } finally {
    // Reply only when everything the reply is based on is on disk, even if it only says that a block is old.
    await node.flushed()
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length
    if (sizeBytes > maxRequestBytes) throw new LedgerRefusal('Unable to parse JSON')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function parseRequest(body: string): RpcRequest {
  try {
    const question = JSON.parse(body)
    if (typeof question === 'object' && question !== null) return question
  } catch {}
  throw new LedgerRefusal('Unable to parse JSON')
}
