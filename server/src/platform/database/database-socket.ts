import { Socket, type SocketConstructorOpts, type TcpSocketConnectOpts } from 'node:net'

/** The most that Node reads from a socket at a time. */
const readBytes = 64 * 1024

/**
 * A connection to PostgreSQL that reads into one buffer and passes on copies. Node would reserve 64 KB for each read and then cut
 * it down to what came. What came is freed by the next collection, so at a busy time thousands of such pieces lie in the heap of
 * glibc; 64 KB fit nowhere between them, so the heap grows, and little of it is given back. A connection with TLS
 * reads as Node does.
 */
export function databaseSocket(config?: { readonly ssl?: unknown }): Socket {
  if (config?.ssl) return new Socket()
  // The types of Node know this option of the constructor only as one of `connect`.
  const options: SocketConstructorOpts & Pick<TcpSocketConnectOpts, 'onread'> = {
    onread: {
      buffer: Buffer.allocUnsafeSlow(readBytes),
      callback(bytes, buffer) {
        // A copy: `pg` keeps the beginning of a message until the rest has come, and the next read overwrites the buffer.
        socket.emit('data', Buffer.from(buffer.subarray(0, bytes)))
        return true
      },
    },
  }
  const socket: Socket = new Socket(options)
  return socket
}
