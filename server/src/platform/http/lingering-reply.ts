import type { IncomingMessage } from 'node:http'
import { finished, Readable } from 'node:stream'

/** More than the largest body that any route takes, with all that is sent around it. */
const maxBytes = 16 * 1024 * 1024

/**
 * The text of a refusal, for a request whose body was perhaps not read. It is sent immediately, and ends when the rest of the body has
 * been read and dropped. If the connection closed earlier, the client would see it break while it sends, and not the reply.
 * A client that sends too much or for too long gets no more than that: the connection closes.
 */
export function lingeringReply(text: string, request: IncomingMessage, longestMs: number): string | Readable {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers
  const hasBody = length !== '0' || encoding !== undefined
  if (!hasBody || request.complete || request.readableEnded || request.method === 'HEAD') return text
  const reply = new Readable({ read() {} })
  reply.push(text)
  const { socket } = request
  const close = () => void socket.destroy()
  const timer = setTimeout(close, longestMs)
  const maxRead = socket.bytesRead + maxBytes
  request.on('data', () => {
    // Not the bytes of the body: in small chunks they are a small part of what is sent.
    if (socket.bytesRead > maxRead) close()
  })
  finished(request, { writable: false }, () => {
    clearTimeout(timer)
    reply.push(null)
  })
  request.resume()
  return reply
}
