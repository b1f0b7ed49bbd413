import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { getPriority, setPriority } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { attacks } from './attacks.mjs'

// Runs one attack from its own process and its own addresses. It has a low priority: real attackers have their own
// machines, and this one must not slow down the service.

const inFlightPerAddress = 50
const requestSeconds = 30

setPriority(Math.min(19, getPriority() + 10))
process.on('disconnect', () => process.exit())
process.on('message', async (message) => process.send(await (message.stop ? stop() : start(message))))
process.send({})

let running

/** Starts an attack and returns when its first requests are on their way. */
async function start({ name, origin, addresses, supplies }) {
  const attack = attacks.find((each) => each.name === name)
  const next = await attack.start(supplies)
  const statuses = {}
  const count = (status) => {
    statuses[status] = (statuses[status] ?? 0) + 1
  }
  const inFlight = attack.burst ?? inFlightPerAddress
  const agents = addresses.map(
    (localAddress) => new Agent({ keepAlive: true, localAddress, maxSockets: attack.isHeld ? 1000 : inFlight }),
  )
  const ended = new AbortController()
  const pending = new Set()
  const { hostname, port } = new URL(origin)
  const send = (n) => {
    const { method = 'GET', path, headers = {}, body } = next(n)
    const signal = attack.isHeld
      ? ended.signal
      : AbortSignal.any([ended.signal, AbortSignal.timeout(requestSeconds * 1000)])
    const agent = agents[n % agents.length]
    const sent = request({ hostname, port, method, path, headers, agent, signal }, (reply) => {
      count(reply.statusCode)
      reply.resume().on('close', () => pending.delete(sent))
    })
    sent.on('error', () => {
      if (!ended.signal.aborted) count('error')
      pending.delete(sent)
    })
    pending.add(sent)
    sent.end(body)
  }
  const sendSlowly = (n) => {
    const socket = connect({ host: hostname, port, localAddress: addresses[n % addresses.length] })
    socket.write('GET / HTTP/1.1\r\nhost: localhost\r\nx-slow: ')
    const timer = setInterval(() => socket.write('a'), 1000)
    const end = () => {
      clearInterval(timer)
      if (!ended.signal.aborted) count('closed')
    }
    socket.on('error', () => {})
    socket.on('close', end)
    ended.signal.addEventListener('abort', () => socket.destroy())
  }
  const isFull = () => !attack.isHeld && pending.size >= inFlight * addresses.length
  const { burst = 1 } = attack
  const sendAll = async () => {
    const startedAt = performance.now()
    for (let n = 0; !ended.signal.aborted; n += 1) {
      const earlyMs = startedAt + ((n - (n % burst)) * 1000) / attack.perSecond - performance.now()
      if (earlyMs > 0) await wait(earlyMs)
      if (ended.signal.aborted) break
      if (isFull()) count('not sent')
      else if (attack.isSlow) sendSlowly(n)
      else send(n)
    }
  }
  running = { done: sendAll(), ended, agents, statuses }
  return {}
}

async function stop() {
  const { done, ended, agents, statuses } = running
  ended.abort()
  await done
  for (const agent of agents) agent.destroy()
  return { statuses }
}
