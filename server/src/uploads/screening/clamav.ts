import { createReadStream } from 'node:fs'
import { connect, type Socket } from 'node:net'
import type { Screener } from './screener.ts'

const timeoutMs = 60_000
const pingMs = 2_000
const maxReplyLength = 4096

/**
 * Screens files with clamd's INSTREAM command: chunks, each after its length, then a length of zero; clamd replies with
 * one line. Any reply but `OK` and `FOUND` (a file over the limit, an aborted scan) means the file was not checked.
 */
export function clamav(url: string): Screener {
  const { hostname, port } = new URL(url)
  const address = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) }

  async function exchange(limits: AbortSignal[], send: (socket: Socket) => Promise<void>): Promise<string> {
    const socket = connect({ ...address, signal: AbortSignal.any(limits) })
    // Errors surface where the socket is read and written; without a listener they would also end the process.
    socket.on('error', () => undefined)
    try {
      const [reply] = await Promise.all([readReply(socket), send(socket)])
      return reply
    } finally {
      socket.destroy()
    }
  }

  return {
    name: 'clamav',
    async screen({ path, signal }) {
      const limits = [AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]
      const reply = await exchange(limits, (socket) => sendFile(socket, path))
      const found = /^stream: (.+) FOUND$/.exec(reply)?.[1]
      if (found) return { kind: 'held', reason: 'malware', match: found.slice(0, 200) }
      if (reply === 'stream: OK') return undefined
      throw new Error(`clamd replied: ${reply.slice(0, 200)}`)
    },
    async verify() {
      const reply = await exchange([AbortSignal.timeout(pingMs)], (socket) => write(socket, Buffer.from('zPING\0')))
      if (reply !== 'PONG') throw new Error(`clamd replied: ${reply.slice(0, 200)}`)
    },
  }
}

async function sendFile(socket: Socket, path: string): Promise<void> {
  await write(socket, Buffer.from('zINSTREAM\0'))
  for await (const piece of createReadStream(path, { highWaterMark: 256 * 1024 })) {
    await write(socket, lengthOf(piece))
    await write(socket, piece)
  }
  await write(socket, lengthOf(Buffer.alloc(0)))
}

const write = (socket: Socket, bytes: Buffer): Promise<void> =>
  new Promise((resolve, reject) => socket.write(bytes, (error) => (error ? reject(error) : resolve())))

function lengthOf(piece: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(piece.length)
  return length
}

/** Reads up to the zero byte that ends a reply. clamd may reply and close before we have sent everything. */
async function readReply(socket: Socket): Promise<string> {
  let reply = ''
  for await (const piece of socket) {
    reply += piece.toString('latin1')
    if (reply.includes('\0')) return reply.slice(0, reply.indexOf('\0'))
    if (reply.length > maxReplyLength) throw new Error("clamd's reply is too long")
  }
  throw new Error('clamd closed the connection without a reply')
}
