// The network between the parts of the cluster: a relay for every pair that talks, so that any pair can be cut off.
import { Worker } from 'node:worker_threads'

/** Opens the network. `port` returns the next free port. */
export function openLinks(port) {
  const thread = new Worker(new URL('relay-thread.mjs', import.meta.url))
  const waiting = new Map()
  const links = []
  let asked = 0
  thread.on('message', ({ id, error }) => {
    const { resolve, reject } = waiting.get(id)
    waiting.delete(id)
    if (error) reject(new Error(error))
    else resolve()
  })
  const ask = (act, given) =>
    new Promise((resolve, reject) => {
      asked += 1
      waiting.set(asked, { resolve, reject })
      thread.postMessage({ id: asked, act, ...given })
    })

  return {
    /** The port at which `from` reaches `to`, which listens on `target`. */
    async port(from, to, target) {
      const known = links.find((link) => link.from === from && link.target === target)
      if (known) return known.port
      const link = { from, to, target, port: port() }
      links.push(link)
      await ask('open', { port: link.port, target })
      return link.port
    },
    list: () => links.map(({ from, to }) => ({ from, to })),
    /** Cuts every link for which `isCut({ from, to })`. Returns a function that heals them. */
    async cut(isCut, { refuses, forgets }) {
      const ports = links.filter(isCut).map((link) => link.port)
      await ask('cut', { ports, refuses })
      return () => ask('heal', { ports, forgets })
    },
    close: () => thread.terminate(),
  }
}

/** Without relays: everyone reaches everyone directly. */
export const directLinks = () => ({
  port: async (_from, _to, target) => target,
  list: () => [],
  close: async () => {},
})
