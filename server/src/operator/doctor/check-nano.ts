import { randomBytes } from 'node:crypto'
import { expectedHashes, formatWork, workThresholds } from '@pennypost/nano/work'
import { WebSocket } from 'ws'
import { z } from 'zod'
import type { Config } from '../../config.ts'
import { systemClock } from '../../platform/clock.ts'
import { createLog } from '../../platform/log.ts'
import { createNodeClient } from '../../rails/nano/node/node-client.ts'
import { BlockCount } from '../../rails/nano/node/node-replies.ts'
import { createRpcEndpoint, orRefusal, type RpcEndpoint } from '../../rails/nano/node/rpc-endpoint.ts'
import { NodeRefusal } from '../../rails/node-errors.ts'
import { type Check, hostOf, type Report } from './check.ts'

const nodeTimeoutMs = 5_000
const workTimeoutMs = 20_000

/** Checks each node separately: the service would use another one, and nobody would notice that this one is broken. */
export function checkNano({ nano, environment }: Config): Check[] {
  if (nano.rpcUrls.length === 0) {
    const isDevelopment = environment === 'development'
    return [skipped('nano', isDevelopment ? 'the development ledger is used' : 'NANO_RPC_URL is not set')]
  }
  return [
    ...nano.rpcUrls.map((url) => checkNode(url, nano.network)),
    ...(nano.wsUrl ? [checkWebsocket(nano.wsUrl)] : [skipped('nano websocket', 'NANO_WS_URL is not set')]),
    ...nano.workUrls.map((url) => checkWork(url, nano.network)),
  ]
}

const skipped = (area: string, detail: string): Check => ({
  area,
  timeoutMs: 1_000,
  advice: '',
  run: async (report) => report.skip(detail),
})

const checkNode = (url: string, network: 'live' | 'dev'): Check => ({
  area: 'nano node',
  timeoutMs: 3 * nodeTimeoutMs,
  advice: `Check the node at ${hostOf(url)} and NANO_RPC_URL.`,
  async run(report) {
    const host = hostOf(url)
    const parts = { clock: systemClock(), log: createLog('silent'), timeoutMs: nodeTimeoutMs }
    const endpoint = createRpcEndpoint({ url, network, ...parts })
    await endpoint.checkNetwork()
    report.ok(`${host} is on the ${network} network`)
    await reportSync(report, endpoint, host)
    await reportEpoch(report, endpoint, host, network)
  },
})

const Telemetry = z.object({
  cemented_count: z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number),
})

/** Compares the node with what the network says. A node may lack the newest blocks for a moment. */
async function reportSync(report: Report, endpoint: RpcEndpoint, host: string): Promise<void> {
  const counted = await orRefusal(endpoint.call({ action: 'block_count' }, BlockCount))
  if (counted instanceof NodeRefusal) return report.skip(`${host} does not say how many blocks it has`)
  const { count, confirmed } = counted
  const told = await orRefusal(endpoint.call({ action: 'telemetry' }, Telemetry))
  const most = told instanceof NodeRefusal ? undefined : told.cemented_count
  const advice = 'Wait until the node has synchronized, or use another one: payments are noticed late.'
  if (most !== undefined && confirmed < most * 0.9995)
    return report.wrong(`${host} is behind: it has ${confirmed} confirmed blocks, the network ${most}`, advice)
  if (count - confirmed > Math.max(5_000, count * 0.001))
    return report.warn(`${host} has ${count - confirmed} blocks that are not confirmed`, advice)
  report.ok(`${host} has ${confirmed} confirmed blocks${most === undefined ? '' : ', as many as the network'}`)
}

const Difficulty = z.object({ network_minimum: z.string(), network_receive_minimum: z.string().optional() })

/** The thresholds of work are those of an epoch of the protocol. With other ones, no block of ours is accepted. */
async function reportEpoch(report: Report, endpoint: RpcEndpoint, host: string, network: 'live' | 'dev') {
  const found = await orRefusal(endpoint.call({ action: 'active_difficulty' }, Difficulty))
  if (found instanceof NodeRefusal) return report.skip(`${host} does not say which work it wants`)
  const { send, receive } = workThresholds[network]
  const isRight =
    found.network_minimum.toLowerCase() === formatWork(send) &&
    (found.network_receive_minimum ?? formatWork(receive)).toLowerCase() === formatWork(receive)
  if (isRight) report.ok(`${host} wants the work of epoch 2`)
  else
    report.wrong(
      `${host} wants other work (${found.network_minimum}) than this version makes (${formatWork(send)})`,
      'The protocol may have a new epoch: look for a newer version of Pennypost.',
    )
}

const checkWebsocket = (url: string): Check => ({
  area: 'nano websocket',
  timeoutMs: nodeTimeoutMs + 1_000,
  advice: `Check the websocket at ${hostOf(url)} and NANO_WS_URL. Until then payments are noticed later.`,
  async run(report, signal) {
    const socket = new WebSocket(url, { handshakeTimeout: nodeTimeoutMs, maxPayload: 1 << 20 })
    signal.addEventListener('abort', () => socket.terminate())
    await new Promise<void>((resolve, reject) => socket.once('open', resolve).on('error', reject))
    socket.terminate()
    report.ok(`${hostOf(url)} accepts connections`)
  },
})

/** Has the work of one receive made, the smallest there is. */
const checkWork = (url: string, network: 'live' | 'dev'): Check => ({
  area: 'nano work server',
  timeoutMs: workTimeoutMs + 1_000,
  advice: `Check the server at ${hostOf(url)} and NANO_WORK_URL. Until then this machine makes the work.`,
  async run(report, signal) {
    const parts = { clock: systemClock(), log: createLog('silent'), timeoutMs: workTimeoutMs }
    const { send, receive } = workThresholds[network]
    const begunAt = performance.now()
    const client = createNodeClient([createRpcEndpoint({ url, ...parts })])
    await client.generateWork(randomBytes(32).toString('hex').toUpperCase(), receive, { signal })
    const seconds = (performance.now() - begunAt) / 1000
    const saleSeconds = seconds * ((2 * expectedHashes(send)) / expectedHashes(receive) + 1)
    const detail = `${hostOf(url)} made the work of a receive in ${seconds.toFixed(2)} s`
    if (seconds > 5) report.warn(detail, `A sale may take ${Math.round(saleSeconds)} s of it: use a faster server.`)
    else report.ok(detail)
  },
})
