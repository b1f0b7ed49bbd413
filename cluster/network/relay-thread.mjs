// The relays run in a thread, so that a busy test does not slow down the service.
import { parentPort } from 'node:worker_threads'
import { openRelay } from '../../server/dist/test/relay.js'

const relays = new Map()

const acts = {
  open: async ({ port, target }) => void relays.set(port, await openRelay({ port, target })),
  cut: async ({ ports, ...how }) => {
    for (const port of ports) relays.get(port).cut(how)
  },
  heal: async ({ ports, ...how }) => void (await Promise.all(ports.map((port) => relays.get(port).heal(how)))),
}

parentPort.on('message', async ({ id, act, ...given }) => {
  try {
    await acts[act](given)
    parentPort.postMessage({ id })
  } catch (error) {
    parentPort.postMessage({ id, error: error.message })
  }
})
