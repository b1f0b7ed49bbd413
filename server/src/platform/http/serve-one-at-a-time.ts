import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

const lastReply = Symbol('last reply')
const waiting = Symbol('waiting')

interface PipelinedSocket extends Socket {
  [lastReply]?: ServerResponse
  [waiting]?: number
}

/** Hardly any client sends requests without waiting for replies. One that sends more than this is suspicious. */
const maxWaiting = 32

/**
 * Requests that a client sends without waiting for replies start one after the other, each when the reply before it was sent.
 * Otherwise the replies of a client that reads none of them would pile up in memory, until the process ends.
 */
export function serveOneAtATime(server: Server): void {
  const listeners = server.listeners('request') as RequestListener[]
  server.removeAllListeners('request')
  const start = (request: IncomingMessage, response: ServerResponse): void => {
    for (const listener of listeners) listener.call(server, request, response as Parameters<RequestListener>[1])
  }
  server.on('request', (request, response) => {
    const socket: PipelinedSocket = request.socket
    const before = socket[lastReply]
    socket[lastReply] = response
    if (before === undefined || before.writableFinished) return start(request, response)
    const count = (socket[waiting] ?? 0) + 1
    if (count > maxWaiting) return void socket.destroy()
    socket[waiting] = count
    before.once('close', () => {
      socket[waiting]! -= 1
      if (!socket.destroyed) start(request, response)
    })
  })
}
