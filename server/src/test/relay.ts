import { connect, createServer, type Socket } from 'node:net'

/** A TCP relay that can be cut: connections stay open, and no byte passes. */
export interface Relay {
  readonly port: number
  /** New connections hang, or are refused. */
  cut(how?: { refuses?: boolean }): void
  /** Connections that were open go on, or stay silent, as if a firewall has forgotten them. */
  heal(how?: { forgets?: boolean }): Promise<void>
  close(): void
}

interface Pair {
  readonly client: Socket
  server?: Socket
  isForgotten?: boolean
}

// In the end, keep-alive of TCP notices a connection that was forgotten.
const forgottenMs = 120_000

/** Relays connections to a port of this machine, or to a socket in a folder. */
export async function openRelay({ port = 0, target }: { port?: number; target: number | string }): Promise<Relay> {
  const there = typeof target === 'string' ? { path: target } : { port: target, host: '127.0.0.1' }
  const open = new Set<Pair>()
  let isCut = false
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => {
    const pair: Pair = { client }
    open.add(pair)
    watch(client, pair)
    if (!isCut) pass(pair)
  })

  function watch(socket: Socket, pair: Pair): void {
    socket.setNoDelay(true)
    socket.on('error', () => {})
    socket.on('close', () => end(pair))
  }

  function pass(pair: Pair): void {
    if (!pair.server) {
      pair.server = connect({ ...there, allowHalfOpen: true })
      watch(pair.server, pair)
    }
    pair.client.pipe(pair.server).pipe(pair.client)
  }

  /** While it is cut, or forgotten, neither side learns that the other one has gone. */
  function end(pair: Pair): void {
    if (isCut || pair.isForgotten || !open.delete(pair)) return
    pair.client.destroy()
    pair.server?.destroy()
  }

  function forget(pair: Pair): void {
    pair.isForgotten = true
    const notice = () => {
      pair.isForgotten = false
      end(pair)
    }
    setTimeout(notice, forgottenMs).unref()
  }

  const listen = (on: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(on, '127.0.0.1', () => {
        server.off('error', reject)
        resolve()
      })
    })

  await listen(port)
  const listening = (server.address() as { port: number }).port
  return {
    port: listening,
    cut({ refuses = false } = {}) {
      isCut = true
      for (const { client, server: other } of open) {
        client.unpipe().pause()
        other?.unpipe().pause()
      }
      if (refuses) server.close()
    },
    async heal({ forgets = false } = {}) {
      if (!isCut) return
      isCut = false
      if (!server.listening) await listen(listening)
      for (const pair of open) {
        if (pair.isForgotten) continue
        // What wanted to connect meanwhile would try again, so it connects now.
        if (forgets && pair.server) forget(pair)
        else if (pair.client.destroyed || pair.server?.destroyed) end(pair)
        else pass(pair)
      }
    },
    close() {
      isCut = false
      if (server.listening) server.close()
      for (const pair of open) {
        pair.isForgotten = false
        end(pair)
      }
    },
  }
}
