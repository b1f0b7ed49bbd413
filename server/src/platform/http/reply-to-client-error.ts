import { randomUUID } from 'node:crypto'
import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { headersTooLarge, invalidRequest } from '@pennypost/contract/errors'

const lingerMs = 1000

/** With the reply that Node is sending. */
interface ServedSocket extends Socket {
  readonly _httpMessage?: ServerResponse | null
}

/** Replies to bytes that are not a valid HTTP request. No route, error format or origin is known then. */
export function replyToClientError(error: Error & { code?: string }, socket: ServedSocket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  // Leaves a client time to read the reply. One that never closes its side would keep the socket for good.
  setTimeout(() => socket.destroy(), lingerMs).unref()
  // A request that was refused before all of it came has its reply. A second one would be taken for that of another request.
  if (socket._httpMessage?.headersSent) return void socket.end()
  const { code, title, status: usual } = error.code === 'HPE_HEADER_OVERFLOW' ? headersTooLarge : invalidRequest
  const status = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : usual
  const requestId = randomUUID()
  const body = JSON.stringify({ type: 'about:blank', title, status, detail: title, code, requestId })
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/problem+json',
    `X-Request-Id: ${requestId}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
