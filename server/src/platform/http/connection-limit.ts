import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import ipaddr from 'ipaddr.js'
import { clientAddress } from './client-address.ts'

export interface ConnectionLimit {
  readonly max: number
  /** Proxies, which may open any number of connections, because many people are behind them. */
  readonly trustProxy: readonly string[]
}

/** Closes new connections of a client that already has too many open: slow ones would use up the process's sockets. */
export function limitConnections(server: Server, { max, trustProxy }: ConnectionLimit): void {
  const open = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket
    if (remoteAddress === undefined || isTrusted(remoteAddress, trustProxy)) return
    const client = clientAddress(remoteAddress)
    const count = (open.get(client) ?? 0) + 1
    if (count > max) return void socket.destroy()
    open.set(client, count)
    socket.once('close', () => {
      const left = open.get(client)! - 1
      if (left > 0) open.set(client, left)
      else open.delete(client)
    })
  })
}

const namedRanges: Readonly<Record<string, readonly string[]>> = {
  loopback: ['loopback'],
  linklocal: ['linkLocal'],
  uniquelocal: ['private', 'uniqueLocal'],
}

/** Whether TRUST_PROXY lists this address. */
function isTrusted(text: string, trustProxy: readonly string[]): boolean {
  const address = ipaddr.process(text)
  return trustProxy.some((part) => {
    const ranges = namedRanges[part]
    if (ranges) return ranges.includes(address.range())
    const [network, bits] = ipaddr.parseCIDR(part.includes('/') ? part : `${part}/${part.includes(':') ? 128 : 32}`)
    return network.kind() === address.kind() && address.match(network, bits)
  })
}
