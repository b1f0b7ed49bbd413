import type { Server } from 'node:http'
import type { Socket } from 'node:net'

const intervalMs = 50

/**
 * Lets a server close without waiting for connections that carry no request. Node closes those that had one before, but
 * not those that never had: browsers and clients open some in advance. Returns what to call when the server closes.
 */
export function connectionCloser(server: Server): () => void {
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  return () => {
    // Not immediately: a request may have arrived that nobody has read yet.
    const timer = setInterval(() => {
      server.closeIdleConnections()
      for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
      if (!server.listening && open.size === 0) clearInterval(timer)
    }, intervalMs)
  }
}

/** From now on, each connection closes after its reply: a client that keeps one could send a request just as it closes. */
export function closeAfterReplies(server: Server): void {
  server.prependListener('request', (_request, response) => response.setHeader('connection', 'close'))
}
