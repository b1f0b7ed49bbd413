import { createReadStream } from 'node:fs'
import { connect, type Socket } from 'node:net'
import type { Screener } from './screener.ts'

const timeoutMs = 60_000
const pingMs = 2_000
const longestReply = 4096

/**
 * clamd's INSTREAM: a command, then pieces each with its length before it, then a length of zero; one line comes back.
 * Anything but `OK` and `FOUND` (too large a file, a scan that broke off) has not cleared the bytes.
 */
export function clamav(url: string): Screener {
  const { hostname, port } = new URL(url)
  const address = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) }

  async function converse(limits: AbortSignal[], send: (socket: Socket) => Promise<void>): Promise<string> {
    const socket = connect({ ...address, signal: AbortSignal.any(limits) })
    // Whatever goes wrong is met where it is waited for.
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
      const reply = await converse(limits, (socket) => sendFile(socket, path))
      const found = /^stream: (.+) FOUND$/.exec(reply)?.[1]
      if (found) return { kind: 'held', reason: 'malware', match: found.slice(0, 200) }
      if (reply === 'stream: OK') return undefined
      throw new Error(`clamd answered: ${reply.slice(0, 200)}`)
    },
    async verify() {
      const reply = await converse([AbortSignal.timeout(pingMs)], (socket) => write(socket, Buffer.from('zPING\0')))
      if (reply !== 'PONG') throw new Error(`clamd answered: ${reply.slice(0, 200)}`)
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

/** Up to the zero byte that ends an answer. clamd may answer and close before all was sent. */
async function readReply(socket: Socket): Promise<string> {
  let reply = ''
  for await (const piece of socket) {
    reply += piece.toString('latin1')
    if (reply.includes('\0')) return reply.slice(0, reply.indexOf('\0'))
    if (reply.length > longestReply) throw new Error('clamd answers too much')
  }
  throw new Error('clamd closed the connection without an answer')
}
